"""Interrupts in the first moments of the program."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys

import pytest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "module", ["logging", "typer", "as2d.backend.cli.console", "as2d.backend.protocol.ops"]
)
def test_an_interrupt_while_modules_are_loaded_ends_in_order(module: str, number: signal.Signals) -> None:
    # The interpreter tells which modules it has loaded: the signal is sent in the middle of that.
    # What it says has room for a few lines: it cannot run ahead of whoever reads them.
    ours, theirs = socket.socketpair()
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
    with theirs:
        child = subprocess.Popen(
            [sys.executable, "-X", "importtime", "-m", "as2d.backend.cli.entry", "schema"],
            stdout=subprocess.PIPE,
            stderr=theirs,
        )
    with child, ours, ours.makefile("rb", buffering=0) as lines:
        assert child.stdout is not None
        for line in lines:
            if line.decode().split("|")[-1].strip() == module:
                break
        child.send_signal(number)
        told = [line for line in lines if not line.startswith(b"import time:")]
        assert child.stdout.read() == b""
    assert child.returncode == 130
    assert told == [b"Interrupted.\n"]
