"""Where state lives, and what is said when the helper is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from as2d.backend import paths
from as2d.backend.errors import HelperFailed, InputRefused, OutOfSpace, UserError, WrongUse


def test_the_environment_overrides_every_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "d"))
    monkeypatch.setenv("AS2D_CACHE_DIR", str(tmp_path / "c"))
    assert paths.models_dir() == tmp_path / "d" / "models"
    assert paths.runs_dir() == tmp_path / "d" / "runs"
    assert paths.profiles_dir() == tmp_path / "d" / "profiles"
    assert paths.cache_dir() == tmp_path / "c"
    assert list(tmp_path.iterdir()) == [], "asking for a place must not create it"


def test_a_relative_override_and_a_home_mark_become_absolute(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("AS2D_DATA_DIR", "state")
    monkeypatch.setenv("AS2D_CACHE_DIR", "~/cache")
    assert paths.data_dir() == tmp_path / "state"
    assert paths.cache_dir() == tmp_path / "home" / "cache"


def test_the_home_of_an_unknown_user_stays_a_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AS2D_DATA_DIR", "~no-such-user/state")
    assert paths.data_dir() == tmp_path / "~no-such-user" / "state"


def test_without_overrides_the_platform_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("AS2D_DATA_DIR")
    monkeypatch.setenv("AS2D_CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    assert tmp_path in paths.data_dir().parents
    assert tmp_path in paths.cache_dir().parents
    assert paths.data_dir() != paths.cache_dir()


def test_the_named_helper_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    helper = tmp_path / "my helper"
    helper.write_text("#!/bin/sh\n")
    helper.chmod(0o755)
    monkeypatch.setenv("AS2D_HELPER", str(helper))
    assert paths.helper_path() == helper


def test_a_named_helper_that_is_no_program_is_an_error_with_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    helper = tmp_path / "as2d-helper"
    helper.write_text("text")
    monkeypatch.setenv("AS2D_HELPER", str(helper))
    with pytest.raises(HelperFailed, match="AS2D_HELPER") as caught:
        paths.helper_path()
    assert str(helper) in caught.value.message
    assert caught.value.exit_code == 3


def test_the_resources_are_in_the_checkout(repository: Path) -> None:
    assert paths.resources_dir() == repository / "resources"


def test_the_helper_of_the_checkout_or_the_command_that_builds_it(
    monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    monkeypatch.delenv("AS2D_HELPER", raising=False)
    built = repository / "build" / "native" / "as2d-helper"
    if os.access(built, os.X_OK):
        assert paths.helper_path() == built
    else:
        with pytest.raises(HelperFailed, match="make helper"):
            paths.helper_path()


def _program(machine: int) -> bytes:
    """The beginning of a 64-bit little-endian ELF file for a machine (183: AArch64, 62: x86-64)."""
    return b"\x7fELF\x02\x01\x01" + bytes(9) + (2).to_bytes(2, "little") + machine.to_bytes(2, "little")


def test_the_helper_for_phones_must_be_a_program_for_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    helper = tmp_path / "as2d-helper"
    monkeypatch.setenv("AS2D_HELPER_ARM64", str(helper))
    for wrong in (None, b"", _program(62)):
        if wrong is not None:
            helper.write_bytes(wrong)
        with pytest.raises(HelperFailed, match="AS2D_HELPER_ARM64 names, is not a program for 64-bit ARM"):
            paths.arm64_helper_path()
    helper.write_bytes(_program(183))
    assert paths.arm64_helper_path() == helper


def test_the_helper_for_phones_of_the_checkout_or_the_command_that_builds_it(
    monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    monkeypatch.delenv("AS2D_HELPER_ARM64", raising=False)
    built = repository / "build" / "arm64" / "as2d-helper"
    if built.is_file():
        assert paths.arm64_helper_path() == built
    else:
        with pytest.raises(HelperFailed, match="run `make helper-arm64` in"):
            paths.arm64_helper_path()


def test_exit_codes_of_the_command_line() -> None:
    codes = {kind: kind("x").exit_code for kind in (InputRefused, WrongUse, HelperFailed, OutOfSpace)}
    assert codes == {InputRefused: 1, WrongUse: 2, HelperFailed: 3, OutOfSpace: 4}
    assert (
        str(UserError("The file a.wav is empty; give another.")) == "The file a.wav is empty; give another."
    )
