"""A computer keeps its name among those that push to phones."""

from __future__ import annotations

import threading
from pathlib import Path

from as2d.backend.devices.adb.pusher import pusher_name


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


def test_a_damaged_name_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "pusher").write_bytes(b"\xff../")
    name = pusher_name(tmp_path)
    assert name.isalnum()
    assert pusher_name(tmp_path) == name
