"""`make phone-demo`: the sample on a stand-in phone, through the real adb, beside this computer."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn


def main() -> int:
    """Run it; the exit status of the first command that failed, else 0."""
    say("A stand-in phone boots: arm64 programs under qemu, a fake file tree, and the real adb server.")
    with (
        tempfile.TemporaryDirectory(prefix="as2d-adb-") as home,
        AdbServer(Path(home)) as adb,
        StandIn() as phone,
    ):
        adb.connect(phone.address)
        environment = {**os.environ, "AS2D_ADB_SERVER": f"127.0.0.1:{adb.port}"}
        say(
            "Under qemu an encoder pass takes minutes, and so does the self-test of 300 target calls: expect "
            "half an hour, and twice that on a busy computer; now and then a line tells what takes how long. "
            "A real phone takes seconds. The stand-in tells of eight "
            "processors, but its programs run on this computer's: warnings about that are to be expected."
        )
        place = ["--device", phone.address]
        try:
            as2d(["devices"], environment)
            as2d(["phone", "facts", *place], environment)
            # One thread each: threads of qemu that wait for one another wait for long.
            as2d(["phone", "cpus", *place, "--target", "7", "--drafter", "3"], environment)
            run = as2d(["demo", "--repeats", "1", *place], environment).split()[-1]
            say("Emulated arithmetic costs by the row, so these speeds say nothing of a phone's.")
            as2d(["show", run, "--telemetry"], environment)
            as2d(["phone", "status", *place], environment)
            as2d(["phone", "clean", *place], environment)
        except subprocess.CalledProcessError as error:
            return error.returncode
        left = [*phone.files("/data/local/tmp"), *phone.processes().values()]
        say(f"Left on the phone: {left or 'nothing'}.")
        return 1 if left else 0


def as2d(words: list[str], environment: dict[str, str]) -> str:
    """Run a command, shown with what it prints; that is also returned.

    Raises:
        CalledProcessError: it failed.
    """
    say(f"\n$ as2d {' '.join(words)}")
    command = [sys.executable, "-m", "as2d.backend.cli.entry", *words]
    printed = []
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            printed.append(line)
    if running.returncode != 0:
        raise subprocess.CalledProcessError(running.returncode, command)
    return "".join(printed)


def say(text: str) -> None:
    """Tell whoever watches."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
