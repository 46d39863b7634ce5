"""Times our push against `adb push` over the same link."""

from __future__ import annotations

import os
import secrets
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.places import ROOT
from as2d.backend.devices.adb.program import adb_program, program_version
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.adb.shell import run
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.devices.adb.sync import SyncClient
from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancel, Progress, Reporter

_BLOCK = 1 << 20


@dataclass(frozen=True)
class PushTiming:
    """Seconds on the monotonic clock, for one file of random bytes.

    `transfer`: ours until everything is on the phone. `check`: its SHA-256 there, and giving it its name.
    `again`: finding that it is there unchanged.
    """

    adb_push: float
    transfer: float
    check: float
    again: float


def time_pushes(
    server: AdbServer,
    target: AdbTarget,
    size: int,
    repeats: int,
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> list[PushTiming]:
    """Push `size` random bytes by adb's own program and by us, in turn; the phone is left as it was.

    Raises:
        HelperFailed: there is no adb program, it is of another version than the server, which it would end,
            or it fails.
        UserError: as `PhoneStore.place_file`.
    """
    program = adb_program()
    if program is None:
        raise HelperFailed("There is no adb program to compare with; install your system's adb.")
    _require_same_version(server, program)
    reporter = Reporter(progress, cancel)
    with SyncClient.open(target, cancel=cancel) as sync:
        nothing_there = sync.stat(ROOT) is None
    try:
        return _time_all(program, target, size, repeats, reporter)
    finally:
        if nothing_there:
            PhoneStore(target).clean()


def _time_all(
    program: Path, target: AdbTarget, size: int, repeats: int, reporter: Reporter
) -> list[PushTiming]:
    timings = []
    with tempfile.TemporaryDirectory(prefix="as2d-push-") as folder:
        local = Path(folder) / "random.bin"
        for number in range(repeats):
            with local.open("wb") as file:
                for start in range(0, size, _BLOCK):
                    file.write(os.urandom(min(_BLOCK, size - start)))
            reporter.report(f"adb push, {number + 1} of {repeats}", 0, 0)
            timings.append(_time_once(program, target, local, reporter))
    return timings


def _time_once(program: Path, target: AdbTarget, local: Path, reporter: Reporter) -> PushTiming:
    theirs = _time_adb(program, target, local)
    stages: dict[str, float] = {}

    def note(stage: str, done: int, total: int) -> None:
        kind = stage.partition(" ")[0]
        if kind == "reading":  # by its last report
            stages[kind] = time.monotonic()
        stages.setdefault(kind, time.monotonic())
        reporter.report(stage, done, total)

    store = PhoneStore(target)
    placed = store.place_file(local, note, reporter.asked_to_end)
    try:
        end = time.monotonic()
        transfer, check = stages["checking"] - stages["pushing"], end - stages["checking"]
        stages.clear()
        store.place_file(local, note, reporter.asked_to_end)
        again = time.monotonic() - stages["reading"]
    finally:
        store.remove_file(placed)
    return PushTiming(theirs, transfer, check, again)


def _time_adb(program: Path, target: AdbTarget, local: Path) -> float:
    remote = f"/data/local/tmp/as2d-timing-{secrets.token_hex(4)}"
    words = ["-H", target.host, "-P", str(target.port), "-s", target.serial, "push", str(local), remote]
    begin = time.monotonic()
    try:
        done = subprocess.run([str(program), *words], capture_output=True, check=False)
        took = time.monotonic() - begin
    finally:
        run(target, ["rm", "-f", remote])
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        reason = said[-1] if said else f"exit status {done.returncode}"
        raise HelperFailed(f"adb cannot push to the phone {target.name} ({reason}); see `as2d phone status`.")
    return took


def _require_same_version(server: AdbServer, program: Path) -> None:
    version = server.version()
    if program_version(program).server != version:
        raise HelperFailed(
            f"The adb program {program} is of another version than the running adb server (1.0.{version}) "
            "and would end it; end the server with its own `adb kill-server` and try again."
        )
