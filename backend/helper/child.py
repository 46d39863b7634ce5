"""Starts the helper as a child that cannot outlive its parent."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from as2d.backend.helper.endings import cannot_start

_PR_SET_PDEATHSIG = 1


def _end_with_parent() -> Callable[[], None] | None:
    """A function for the forked child that asks the kernel to kill it when the thread that forked it ends."""
    if not sys.platform.startswith("linux"):
        return None
    # PyDLL keeps the interpreter lock: the forked child must not wait for another thread's.
    prctl = ctypes.PyDLL(None).prctl
    parent = os.getpid()

    def ask() -> None:
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != parent:  # the parent ended before the kernel was asked
            os.kill(os.getpid(), signal.SIGKILL)

    return ask


def start_child(path: Path, arguments: list[str]) -> subprocess.Popen[bytes]:
    """Start the helper with pipes on its three streams.

    It gets a process group of its own, so that Ctrl-C in the terminal reaches the host only, which then
    ends the helper in order. The helper ends at the end of its input; should it hang, the kernel kills it
    when the calling thread ends. The caller is therefore the thread that reads the helper's output until it
    closes.

    Raises:
        HelperFailed: the program cannot be started.
    """
    try:
        return subprocess.Popen(
            [os.fspath(path), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            process_group=0,
            preexec_fn=_end_with_parent(),
        )
    except OSError as error:
        raise cannot_start(os.fspath(path), error) from error
    except subprocess.SubprocessError as error:
        raise cannot_start(os.fspath(path), OSError(0, str(error))) from error


def kill_child(process: subprocess.Popen[bytes]) -> None:
    """Kill the child and whatever shares its group; a child that is gone is no error."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
