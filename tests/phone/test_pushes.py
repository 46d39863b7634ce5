"""Pushes that are cut off, slowed, damaged or run out of room: nothing half-written is used."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.storing import FEATURES, MEBIBYTE, MEGABYTE, STORE, Bench, assert_model_is_there
from tests.phone.waiting import until

from as2d.backend.devices.adb import pushing
from as2d.backend.devices.adb.connection import TransportLost
from as2d.backend.errors import OutOfSpace, UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.models.store import InstalledModel


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of the smallest size: larger ones are for links that seem faster, as a busy computer's may."""
    monkeypatch.setattr(pushing, "LARGEST_PIECE", pushing.SMALLEST_PIECE)


@pytest.mark.parametrize("count", [0, 1, 70_000, 3 * MEGABYTE, 9_999_999, 17 * MEGABYTE])
def test_an_unplugged_push_goes_on_where_it_stopped(
    bench: Bench, big: Path, small_pieces: None, count: int
) -> None:
    least = int(count - 2 * max(4 << 20, 9e6 * 0.6) - MEGABYTE)
    bench.unplug_after(count, arrived=least + MEBIBYTE)
    bench.phone.cable.bytes_per_second = 9e6
    with pytest.raises(UserError, match="Anna's phone"):
        bench.store().place_file(big)
    bench.plug_in()
    assert bench.phone.files(f"/{STORE}/objects") == {}
    reports: list[tuple[str, int, int]] = []
    sent = bench.sent_by(lambda: bench.store().place_file(big, lambda *report: reports.append(report)))
    first = next(done for stage, done, _ in reports if stage.startswith("pushing"))
    # Two pieces are lost at most, of half a second each.
    assert first >= least
    assert sent < big.stat().st_size - first + 1_300_000  # a trial of the link's rate
    bench.assert_only_whole_files()
    assert bench.incoming() == []


def test_what_has_arrived_grows_while_a_push_runs_and_is_used(
    bench: Bench, big: Path, small_pieces: None
) -> None:
    bench.unplug_after(16 * MEGABYTE, arrived=5 * MEBIBYTE)
    bench.phone.cable.bytes_per_second = 8e6
    with pytest.raises(UserError):
        bench.store().place_file(big)
    bench.plug_in()
    reports: list[tuple[str, int, int]] = []
    bench.store().place_file(big, lambda *report: reports.append(report))
    first = next(done for stage, done, _ in reports if stage.startswith("pushing"))
    assert first >= 4 << 20
    bench.assert_only_whole_files()


def test_a_killed_push_goes_on(bench: Bench, big: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from as2d.backend.devices.adb.connection import AdbTarget\n"
        "from as2d.backend.devices.adb.store import PhoneStore\n"
        "host, port, serial, records, name = sys.argv[1:]\n"
        "store = PhoneStore(AdbTarget(host, int(port), serial), records=pathlib.Path(records))\n"
        "store.place_file(pathlib.Path(name))\n"
    )
    bench.phone.cable.bytes_per_second = 7e6
    words = ["127.0.0.1", str(bench.server.port), bench.phone.address, str(bench.records), str(big)]
    pushing = subprocess.Popen([sys.executable, "-c", program, *words])
    try:
        until(lambda: bench.arrived() >= MEBIBYTE, "a first piece in its place")
    finally:
        pushing.send_signal(signal.SIGKILL)
        pushing.wait()
    bench.phone.cable.clear()
    reports: list[tuple[str, int, int]] = []
    bench.store().place_file(big, lambda *report: reports.append(report))
    assert next(done for stage, done, _ in reports if stage.startswith("pushing")) > 0
    bench.assert_only_whole_files()
    assert bench.incoming() == []


def test_a_stall_is_noticed_and_what_arrived_is_kept(bench: Bench, big: Path) -> None:
    bench.phone.stall_after(10 * MEGABYTE, service="sync:")
    with pytest.raises(TransportLost, match="Anna's phone did not"):
        bench.store(stall_seconds=1.0).place_file(big)
    bench.phone.drop()
    bench.plug_in()
    bench.store().place_file(big)
    bench.assert_only_whole_files()


def test_a_slow_push_is_cancelled_and_goes_on(bench: Bench, big: Path) -> None:
    bench.phone.cable.bytes_per_second = 6e6
    done = [0]

    def progress(stage: str, count: int, total: int) -> None:
        done[0] = count if stage.startswith("pushing") else done[0]

    with pytest.raises(Cancelled):
        bench.store().place_file(big, progress, lambda: done[0] > 12 * MEGABYTE)
    bench.phone.cable.clear()
    sent = bench.sent_by(lambda: bench.store().place_file(big))
    assert sent < big.stat().st_size
    bench.assert_only_whole_files()
    assert bench.incoming() == []


@pytest.mark.parametrize("bytes_per_second", [None, 8e6], ids=["whole", "pieces"])
def test_a_file_that_is_damaged_on_its_way_is_sent_again(
    bench: Bench, big: Path, bytes_per_second: float | None
) -> None:
    def progress(stage: str, count: int, total: int) -> None:
        if stage.startswith("checking") and not damaged:
            place = max(bench.path(f"{STORE}/incoming").iterdir(), key=lambda path: path.stat().st_size)
            damaged.append(place)
            with place.open("r+b") as file:
                file.seek(5_000_000)
                file.write(b"damaged")

    damaged: list[Path] = []
    bench.phone.cable.bytes_per_second = bytes_per_second
    bench.store().place_file(big, progress)
    assert damaged
    bench.assert_only_whole_files()
    assert bench.incoming() == []


def test_a_full_phone_is_told_before_anything_is_sent(
    standin: Callable[..., StandIn], adb_server: AdbServer, tmp_path: Path, big: Path
) -> None:
    phone = standin(disk_bytes=60 * MEGABYTE)
    adb_server.connect(phone.address)
    bench = Bench(phone, adb_server, tmp_path / "phones")
    with pytest.raises(OutOfSpace, match=r"Anna's phone has .* free, but 音声 big.bin needs"):
        bench.store().place_file(big)
    assert bench.incoming() == []


@pytest.mark.parametrize(
    ("features", "bytes_per_second"), [("everything", None), ("everything", 8e6), ("old", 8e6)]
)
def test_a_phone_that_becomes_full_keeps_nothing_half_written(
    features: str,
    bytes_per_second: float | None,
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
    tmp_path: Path,
    big: Path,
) -> None:
    phone = standin(disk_bytes=120 * MEGABYTE, features=FEATURES[features])
    adb_server.connect(phone.address)
    bench = Bench(phone, adb_server, tmp_path / "phones")
    phone.cable.bytes_per_second = bytes_per_second
    phone.cable.when(9 * MEGABYTE, lambda: phone.fill_disk(100_000), service="sync:")
    with pytest.raises(OutOfSpace, match="Anna's phone has no space left"):
        bench.store().place_file(big)
    assert bench.incoming() == []
    phone.empty_disk()
    phone.cable.clear()
    bench.store().place_file(big)
    bench.assert_only_whole_files()


def test_two_computers_push_the_same_model_at_once(
    bench: Bench, model: InstalledModel, tmp_path: Path
) -> None:
    other = Bench(bench.phone, bench.server, tmp_path / "others")
    bench.phone.cable.bytes_per_second = 9e6
    failed: list[UserError] = []

    def push(computer: Bench) -> None:
        try:
            computer.store().place_model(model)
        except UserError as error:
            failed.append(error)

    pushing = [threading.Thread(target=push, args=(computer,)) for computer in (bench, other)]
    pushing[0].start()
    until(lambda: any(name.endswith(".part") for name in bench.incoming()), "a first piece in its place")
    pushing[1].start()
    for thread in pushing:
        thread.join()
    assert failed == []
    bench.phone.cable.clear()
    assert_model_is_there(bench, model, bench.store().place_model(model))
    bench.assert_only_whole_files()
    assert bench.incoming() == []


def test_leftovers_are_deleted_when_they_are_old(bench: Bench, big: Path, tmp_path: Path) -> None:
    bench.phone.unplug_after(12 * MEGABYTE, service="sync:")
    bench.phone.cable.bytes_per_second = 8e6
    with pytest.raises(UserError):
        bench.store().place_file(big)
    bench.plug_in()
    folder = bench.path(f"{STORE}/incoming")
    (mine,) = [path for path in folder.iterdir() if path.name.endswith(".part")]
    left = {f"{'a' * 64}.part": 8, f"{'b' * 64}.01234567.part": 8, f"{'c' * 64}.01234567.0.ab": 8}
    young = {f"{'d' * 64}.01234567.part": 5, f"{'e' * 64}.01234567.0.ab": 5}
    for name in left | young:
        (folder / name).write_bytes(b"x")
    for name, days in (left | young | {mine.name: 30}).items():
        old = time.time() - days * 86_400
        os.utime(folder / name, (old, old))
    reports: list[tuple[str, int, int]] = []
    bench.store().place_file(big, lambda *report: reports.append(report))
    # What is wanted now is used, however old it is.
    assert next(done for stage, done, _ in reports if stage.startswith("pushing")) >= 4 << 20
    assert {path.name for path in folder.iterdir()} == young.keys()
    bench.assert_only_whole_files()
