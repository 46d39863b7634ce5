"""Interrupts in the first moments of the program."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    "module", ["logging", "typer", "as2d.backend.cli.console", "as2d.backend.protocol.ops"]
)
def test_an_interrupt_while_modules_are_loaded_ends_in_order(module: str, number: signal.Signals) -> None:
    # The interpreter tells which modules it has loaded: the signal is sent in the middle of that.
    child = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "as2d.backend.cli.entry", "schema"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        assert child.stderr is not None
        for line in child.stderr:
            if line.split("|")[-1].strip() == module:
                break
        child.send_signal(number)
        told = [line for line in child.stderr if not line.startswith("import time:")]
        assert child.stdout.read() == ""
    assert child.returncode == 130
    assert told == ["Interrupted.\n"]
