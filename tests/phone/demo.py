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
            "half an hour on a busy computer. A real phone takes seconds."
        )
        for words in (
            ["devices"],
            ["phone", "facts", "--device", phone.address],
            # The phone tells of eight processors; this computer has fewer, and threads of qemu wait in vain.
            ["phone", "cpus", "--device", phone.address, "--target", "7", "--drafter", "3"],
            ["demo", "--repeats", "1", "--device", phone.address],
            ["show", "last", "--telemetry"],
            ["phone", "status", "--device", phone.address],
            ["phone", "clean", "--device", phone.address],
        ):
            say(f"\n$ as2d {' '.join(words)}")
            done = subprocess.run(
                [sys.executable, "-m", "as2d.backend.cli.entry", *words], env=environment, check=False
            )
            if done.returncode != 0:
                return done.returncode
        left = [*phone.files("/data/local/tmp"), *phone.processes().values()]
        say(f"Left on the phone: {left or 'nothing'}.")
        return 1 if left else 0


def say(text: str) -> None:
    """Tell whoever watches."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
