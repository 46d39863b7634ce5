"""MNN's source: nothing but the pinned crate, file by file, is used; what is missing is named."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from types import ModuleType

import pytest

PACKAGE = "ab" * 32


@pytest.fixture
def source(monkeypatch: pytest.MonkeyPatch, repository: Path) -> ModuleType:
    monkeypatch.syspath_prepend(str(repository / "native" / "cmake"))
    import mnn_source

    return mnn_source


@pytest.fixture
def crate(tmp_path: Path) -> Path:
    root = tmp_path / "mnn-sys"
    files = {
        "Cargo.toml": "[package]\n",
        "vendor/CMakeLists.txt": "project(MNN)\n",
        "vendor/source/a.cpp": "int a;\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    listing = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in files.items()}
    (root / ".cargo-checksum.json").write_text(json.dumps({"files": listing, "package": PACKAGE}))
    return root


def pin_of(source: ModuleType, crate: Path) -> object:
    return source.CratePin("mnn-sys", "0.2.0", PACKAGE, source.tree_digest(crate / "vendor"))


def test_the_pinned_crate_is_accepted(source: ModuleType, crate: Path) -> None:
    assert source.verify_crate(crate, pin_of(source, crate)) == crate / "vendor"


def test_another_crate_is_refused(source: ModuleType, crate: Path) -> None:
    pin = source.CratePin("mnn-sys", "0.2.0", "cd" * 32, source.tree_digest(crate / "vendor"))
    with pytest.raises(source.SourceError, match=r"abab.* instead of cdcd"):
        source.verify_crate(crate, pin)


@pytest.mark.parametrize("harm", ["changed", "missing", "too many"])
def test_a_file_that_differs_from_the_crates_list_is_named(
    source: ModuleType, crate: Path, harm: str
) -> None:
    pin = pin_of(source, crate)
    file = crate / "vendor" / "source" / "a.cpp"
    if harm == "changed":
        file.write_text("int b;\n")
    elif harm == "missing":
        file.unlink()
    else:
        file = crate / "vendor" / "source" / "b.cpp"
        file.touch()
    with pytest.raises(source.SourceError, match=f"vendor/source/{file.name}"):
        source.verify_crate(crate, pin)


def test_a_list_that_was_changed_along_with_a_file_does_not_help(source: ModuleType, crate: Path) -> None:
    pin = pin_of(source, crate)
    text = "int b;\n"
    (crate / "vendor/source/a.cpp").write_text(text)
    listing = json.loads((crate / ".cargo-checksum.json").read_text())
    listing["files"]["vendor/source/a.cpp"] = hashlib.sha256(text.encode()).hexdigest()
    (crate / ".cargo-checksum.json").write_text(json.dumps(listing))
    with pytest.raises(source.SourceError, match="digest"):
        source.verify_crate(crate, pin)


def test_a_link_out_of_the_crate_is_refused(source: ModuleType, crate: Path, tmp_path: Path) -> None:
    pin = pin_of(source, crate)
    (crate / "vendor" / "include").symlink_to(tmp_path)
    with pytest.raises(source.SourceError, match="link"):
        source.verify_crate(crate, pin)


@pytest.mark.parametrize(
    ("said", "expected"),
    [(None, "not installed"), ("cargo 0.66.0", "too old"), ("cargo 1.84.1 (x)", "too old")],
)
def test_a_missing_or_old_cargo_is_said_with_the_way_to_get_one(
    source: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str | None, expected: str
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    if said is not None:
        (programs / "cargo").write_text(f"#!/bin/sh\necho '{said}'\n")
        (programs / "cargo").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "no-cargo"))
    with pytest.raises(source.SourceError, match=expected) as caught:
        source.find_cargo()
    assert "cargo-web" in str(caught.value)
    assert "MNN_SOURCE_DIR" in str(caught.value)


def test_files_of_version_control_do_not_count(source: ModuleType, crate: Path) -> None:
    before = source.tree_digest(crate / "vendor")
    (crate / "vendor" / "source" / ".gitignore").write_text("*.o\n")
    (crate / "vendor" / ".git").mkdir()
    (crate / "vendor" / ".git" / "HEAD").write_text("ref\n")
    assert source.tree_digest(crate / "vendor") == before
    (crate / "vendor" / "source" / "b.cpp").touch()
    assert source.tree_digest(crate / "vendor") != before
