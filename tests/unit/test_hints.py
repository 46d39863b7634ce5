"""What messages tell users to run exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from as2d.backend.devices.capabilities import check_all


def test_every_make_target_that_a_message_names_is_in_the_makefile(repository: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (repository / "Makefile").read_text(), re.MULTILINE))
    named = {
        (path.name, target)
        for path in (repository / "backend").rglob("*.py")
        for target in re.findall(r"`make ([a-z-]+)`", path.read_text(encoding="utf-8"))
    }
    assert ("paths.py", "helper") in named
    assert {(name, target) for name, target in named if target not in targets} == set()


def test_a_folder_that_cannot_be_used_is_named_with_the_variable_that_moves_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for variable in ("AS2D_DATA_DIR", "AS2D_CACHE_DIR"):
        monkeypatch.setenv(variable, str(tmp_path / "file" / variable))
    monkeypatch.setenv("AS2D_HELPER", str(tmp_path / "file"))
    found = {check.name: check for check in check_all() if check.name.endswith("folder")}
    assert {name: (check.ok, check.remedy) for name, check in found.items()} == {
        "data folder": (False, "choose another with AS2D_DATA_DIR"),
        "cache folder": (False, "choose another with AS2D_CACHE_DIR"),
    }
