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


def children(pid: int) -> set[int]:
    """The process's children and theirs."""
    found = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            direct = {int(child) for child in task.read_text().split()}
        except OSError:
            continue  # that thread has ended
        found |= direct.union(*map(children, direct))
    return found


def words_of(pid: int) -> list[bytes]:
    """The process's command line; none once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def test_closing_leaves_nothing(adb_server: AdbServer) -> None:
    before = children(os.getpid())
    with StandIn() as phone:
        adb_server.connect(phone.address)
        adb_server.run("-s", phone.address, "shell", "sleep 1000 >/dev/null 2>&1 </dev/null &")
        root = phone.root
        until(lambda: any("sleep" in words for words in phone.processes().values()), "it sleeps")
        mine = children(os.getpid()) - before
        assert len(mine) >= 4
    assert not root.exists()
    until(lambda: not any(map(is_there, mine)), "every process has ended")


@pytest.mark.parametrize(
    ("number", "to_group"),
    [
        (signal.SIGKILL, False),
        *((number, to_group) for number in (signal.SIGINT, signal.SIGTERM) for to_group in (False, True)),
    ],
)
def test_nothing_outlives_the_program(
    number: signal.Signals, to_group: bool, adb_server: AdbServer, repository: Path
) -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "tests.phone.standin"],
        cwd=repository,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert program.stdout is not None
    with program.stdout:
        address = program.stdout.readline().removeprefix("adb connect ").strip()
        adb_server.connect(address)
        adb_server.run("-s", address, "shell", "sleep 1000 >/dev/null 2>&1 </dev/null &")
        until(lambda: any(b"sleep" in words_of(pid) for pid in children(program.pid)), "it sleeps")
        processes = children(program.pid)
        words = {word for pid in processes for word in words_of(pid)}
        roots = {Path(word.decode()) for word in words if b"as2d-stand-in-" in word}
        assert len(processes) >= 4
        assert len(roots) == 1
        (os.killpg if to_group else os.kill)(program.pid, number)
        program.wait()
    until(lambda: not any(map(is_there, processes)), "every process has ended")
    until(lambda: not any(root.exists() for root in roots), "the folder is gone")
