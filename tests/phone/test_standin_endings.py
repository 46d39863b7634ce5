"""However a stand-in ends, no process and no file is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.waiting import until


def children(pid: int) -> list[int]:
    """The process's children and theirs."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *children(int(child))]
    return found


def test_closing_leaves_nothing(adb_server: AdbServer) -> None:
    with StandIn() as phone:
        adb_server.connect(phone.address)
        adb_server.run("-s", phone.address, "shell", "sleep 1000 >/dev/null 2>&1 </dev/null &")
        mine = children(os.getpid())
        root = phone.root
        assert any("sleep" in words for words in phone.processes().values())
    assert not root.exists()
    until(
        lambda: not any(Path(f"/proc/{pid}").exists() for pid in mine if pid not in children(os.getpid())),
        "gone",
    )


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_nothing_outlives_the_program(
    number: signal.Signals, adb_server: AdbServer, repository: Path
) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.phone.standin"], cwd=repository, stdout=subprocess.PIPE, text=True
    )
    assert program.stdout is not None
    with program.stdout:
        address = program.stdout.readline().removeprefix("adb connect ").strip()
        adb_server.connect(address)
        adb_server.run("-s", address, "shell", "sleep 1000 >/dev/null 2>&1 </dev/null &")
        processes = children(program.pid)
        roots = {
            Path(word.decode())
            for pid in processes
            for word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"as2d-stand-in-" in word
        }
        assert len(processes) >= 4
        assert len(roots) == 1
        program.send_signal(number)
        program.wait()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in processes), "every process has ended")
    until(lambda: not any(root.exists() for root in roots), "the folder is gone")
