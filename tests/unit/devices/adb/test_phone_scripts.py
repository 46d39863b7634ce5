"""What phones' shells are told to do, in a shell that can do as little as an old phone's."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from as2d.backend.devices.adb.processes import TENTH


@pytest.mark.parametrize(
    ("sleep", "waits"),
    [("exit 0", ["0.1"] * 20), ("case $1 in *.*) exit 1 ;; esac", ["0.1", "1", "0.1", "1"])],
    ids=["a phone of today", "whole seconds only"],
)
def test_two_seconds_are_twenty_tenths_of_one(tmp_path: Path, sleep: str, waits: list[str]) -> None:
    program = tmp_path / "sleep"
    program.write_text(f"#!/bin/sh\necho $1 >>{tmp_path}/waits\n{sleep}\n")
    program.chmod(0o755)
    script = f"PATH={tmp_path}:$PATH\n{TENTH}n=0; while [ $n -lt 20 ]; do tenth; done; echo $n"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "20\n"
    assert (tmp_path / "waits").read_text().split() == waits
