"""A computer keeps its name among those that push to phones."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from tests.small_disks import SmallDisk, small_disk

from as2d.backend.devices.adb.pusher import pusher_name
from as2d.backend.errors import InputRefused, OutOfSpace

__all__ = ["small_disk"]


def test_the_name_stays_and_differs_from_another_computers(tmp_path: Path) -> None:
    name = pusher_name(tmp_path / "one")
    assert len(name) == 8
    assert pusher_name(tmp_path / "one") == name
    assert pusher_name(tmp_path / "other") != name
    assert [path.name for path in (tmp_path / "one").iterdir()] == ["pusher"]


def test_programs_that_ask_at_once_get_one_name(tmp_path: Path) -> None:
    names: list[str] = []
    barrier = threading.Barrier(8)

    def ask() -> None:
        barrier.wait()
        names.append(pusher_name(tmp_path))

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    assert len(names) == 8
    assert len(set(names)) == 1


def test_a_full_disk_is_told_as_one_and_leaves_no_half_of_a_name(small_disk: SmallDisk) -> None:
    disk = small_disk(4)
    small_disk.fill()
    with pytest.raises(OutOfSpace, match="no space left"):
        pusher_name(disk / "phones")
    small_disk.make_room()
    name = pusher_name(disk / "phones")
    assert pusher_name(disk / "phones") == name


def test_a_file_where_the_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "phones").write_text("")
    with pytest.raises(InputRefused, match="cannot be written"):
        pusher_name(tmp_path / "phones")


def test_a_damaged_name_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "pusher").write_bytes(b"\xff../")
    name = pusher_name(tmp_path)
    assert name.isalnum()
    assert pusher_name(tmp_path) == name
