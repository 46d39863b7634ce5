"""A file on a phone is trusted without reading it only while nothing about it has changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.devices.adb.records import StoreRecords
from as2d.backend.devices.adb.sync import RemoteStat

SHA = "a" * 64
FILE = RemoteStat(mode=0o100444, size=5, modified=100, changed=101, inode=7)


def kept(folder: Path) -> StoreRecords:
    records = StoreRecords(folder / "phone" / "files.json")
    records.note("objects/x", FILE, SHA)
    records.save()
    return StoreRecords(folder / "phone" / "files.json")


def test_what_was_checked_is_remembered(tmp_path: Path) -> None:
    assert kept(tmp_path).vouches("objects/x", FILE, SHA)


@pytest.mark.parametrize("change", [{"size": 6}, {"modified": 99}, {"changed": 102}, {"inode": 8}])
def test_a_change_ends_the_trust(tmp_path: Path, change: dict[str, Any]) -> None:
    assert not kept(tmp_path).vouches("objects/x", replace(FILE, **change), SHA)


def test_another_content_another_place_and_no_file_are_not_trusted(tmp_path: Path) -> None:
    records = kept(tmp_path)
    assert not records.vouches("objects/x", FILE, "b" * 64)
    assert not records.vouches("objects/y", FILE, SHA)
    assert not records.vouches("objects/x", None, SHA)
    assert not records.vouches("objects/x", replace(FILE, mode=0o120777), SHA)


@pytest.mark.parametrize("content", [b"", b"{", b'{"format":2}', b'{"files":{"x":{"sha256":"no"}}}'])
def test_an_unreadable_record_only_means_to_check_again(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "files.json"
    path.write_bytes(content)
    assert not StoreRecords(path).vouches("objects/x", FILE, SHA)


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    StoreRecords(tmp_path / "file" / "files.json").save()
