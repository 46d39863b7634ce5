"""`as2d record` ends in order, whatever ends it, and says where the recording is."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import soundfile

from as2d.backend.sound.devices import BACKENDS_VARIABLE


def begin(*arguments: str, backend: str = "null") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "as2d.backend.cli.entry", "record", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, BACKENDS_VARIABLE: backend},
    )


def test_it_records_for_so_long_and_prints_the_file(tmp_path: Path) -> None:
    program = begin("--seconds", "0.4", "--output-dir", str(tmp_path / "takings"))
    out, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (0, "")
    assert soundfile.info(out.strip()).duration >= 0.4


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_recording_and_it_is_kept(tmp_path: Path, number: signal.Signals) -> None:
    program = begin("--output-dir", str(tmp_path))
    assert program.stderr is not None
    assert program.stderr.readline() == "Recording from the microphone; Ctrl+C ends it.\n"
    while not any(path.stat().st_size > 44 for path in tmp_path.iterdir()):
        assert program.poll() is None
    program.send_signal(number)
    out, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (0, "")
    assert soundfile.info(out.strip()).frames > 0


def test_a_hang_up_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as `nohup` starts programs
    try:
        program = begin("--output-dir", str(tmp_path))
    finally:
        signal.signal(signal.SIGHUP, before)
    assert program.stderr is not None
    assert program.stderr.readline() == "Recording from the microphone; Ctrl+C ends it.\n"

    def ignored() -> int:
        status = Path(f"/proc/{program.pid}/status").read_text()
        return int(status.partition("SigIgn:")[2].split()[0], 16)

    assert ignored() & 1 << (signal.SIGHUP - 1)
    program.send_signal(signal.SIGHUP)
    program.send_signal(signal.SIGINT)
    out, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (0, "")
    assert out.endswith(".wav\n") or out == ""  # nothing came before it was to end
    assert list(tmp_path.glob("*.unfinished.wav")) == []


def test_without_a_microphone_the_status_says_so(tmp_path: Path) -> None:
    program = begin("--seconds", "1", "--output-dir", str(tmp_path), backend="oss")
    out, errors = program.communicate(timeout=60)
    assert program.returncode == 3
    assert errors.startswith("Error: This computer has no microphone that could be opened;")
    assert out == ""
    assert list(tmp_path.iterdir()) == []
