"""A place that must not be written to is refused before anything is done for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from as2d.backend.bench.corpus import files_read
from as2d.backend.cli.outputs import STANDARD_OUTPUT, checked_output
from as2d.backend.errors import WrongUse


def test_a_file_that_is_there_is_kept_unless_overwriting_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    assert checked_output(path, [], overwrite=False) == path
    path.touch()  # as mktemp leaves it: nothing would be lost
    assert checked_output(path, [], overwrite=False) == path
    path.write_text("mine")
    link = tmp_path / "link"
    link.symlink_to(path)
    for named in (path, link):
        with pytest.raises(WrongUse, match="--overwrite"):
            checked_output(named, [], overwrite=False)
        assert checked_output(named, [], overwrite=True) == named


def test_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WrongUse, match="is a folder"):
        checked_output(tmp_path, [], overwrite=True)
    with pytest.raises(WrongUse, match="does not exist"):
        checked_output(tmp_path / "no" / "t.jsonl", [], overwrite=True)
    # Root may write anywhere: what the system says of a folder that may not be written.
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path) != tmp_path)
    with pytest.raises(WrongUse, match="may not write"):
        checked_output(tmp_path / "t.jsonl", [], overwrite=True)


def test_what_is_no_file_can_take_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/null"), tmp_path / "pipe"):
        assert checked_output(path, [path], overwrite=False) == path
    assert checked_output(Path("-"), [], overwrite=False) == STANDARD_OUTPUT


def test_no_file_that_is_read_is_written(tmp_path: Path) -> None:
    recording, manifest, link = (tmp_path / name for name in ("a.wav", "m.jsonl", "b.jsonl"))
    recording.write_bytes(b"sound")
    manifest.write_text('{"path": "a.wav", "split": "test"}\n')
    link.symlink_to("a.wav")
    for output in (recording, manifest, link):
        with pytest.raises(WrongUse, match="files that are read"):
            checked_output(output, files_read([manifest]), overwrite=True)
