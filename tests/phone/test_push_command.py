"""`as2d push` and `as2d phone` as a user runs them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.phone.storing import MEBIBYTE, STORE, Bench
from tests.phone.waiting import until

from as2d.backend.models.store import InstalledModel

PATIENCE = 120.0


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Enough of an arm64 program to be pushed."""
    path = tmp_path / "as2d-helper"
    path.write_bytes(b"\x7fELF\x02\x01" + bytes(12) + b"\xb7\x00" + bytes(1000))
    return path


class Command:
    """Runs `as2d` for one phone with a data folder of its own."""

    def __init__(self, bench: Bench, folder: Path, program: Path) -> None:
        self._phone = ["--device", bench.phone.address, "--adb-server", f"127.0.0.1:{bench.server.port}"]
        self._environment = {
            **os.environ,
            "AS2D_DATA_DIR": str(folder / "data"),
            "AS2D_HELPER_ARM64": str(program),
        }

    def start(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "as2d.backend.cli.entry", *words, *self._phone],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: str) -> tuple[int, str, str]:
        running = self.start(*words)
        out, err = running.communicate(timeout=PATIENCE)
        return running.returncode, out, err


@pytest.fixture
def as2d(bench: Bench, tmp_path: Path, program: Path) -> Command:
    return Command(bench, tmp_path, program)


def test_a_model_is_pushed_shown_and_taken_away(bench: Bench, as2d: Command, model: InstalledModel) -> None:
    code, out, err = as2d("push", str(model.path))
    assert code == 0, err
    assert [line.split("\t")[0] for line in out.splitlines()] == ["helper program", "little"]
    assert "little\tpushed, 25 MB at " in out
    code, out, _ = as2d("push", str(model.path))
    assert code == 0
    assert [line.split("\t")[1] for line in out.splitlines()] == ["was there", "was there"]
    code, out, err = as2d("phone", "status")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[2:]] == [["model", "little"], ["helper", "program"]]
    assert "Free on the phone" in err
    bench.path(f"{STORE}/jobs/job-1").mkdir()
    code, _, err = as2d("phone", "clean")
    assert code == 2
    assert "1 detached job would be lost (job-1)" in err
    code, _, err = as2d("phone", "clean", "--jobs")
    assert code == 0
    assert "25 MB were deleted" in err
    assert bench.phone.files() == {}
    code, out, err = as2d("phone", "status")
    assert (code, out) == (0, "")
    assert "Nothing of AS²D is on the phone" in err


def test_an_interrupted_push_says_so_and_goes_on(bench: Bench, as2d: Command, model: InstalledModel) -> None:
    bench.phone.cable.bytes_per_second = 4e6
    running = as2d.start("push", str(model.path))
    until(lambda: bench.arrived() >= MEBIBYTE, "a first piece in its place")
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert err.endswith("Interrupted.\n")
    code, out, _ = as2d("phone", "status")
    assert code == 0
    assert "cut-off pushes" in out
    bench.phone.cable.clear()
    code, out, _ = as2d("push", str(model.path))
    assert code == 0
    assert "from before" in out
    assert bench.incoming() == []


def test_a_pulled_cable_is_told_with_the_phones_name(
    bench: Bench, as2d: Command, model: InstalledModel
) -> None:
    bench.phone.unplug_after(3_000_000, service="sync:")
    code, _, err = as2d("push", str(model.path))
    assert code == 3
    assert "Error: The connection to the phone" in err
    assert "Traceback" not in err
    bench.plug_in()
    assert as2d("push", str(model.path))[0] == 0


def test_pushes_are_timed_against_adb(bench: Bench, as2d: Command) -> None:
    code, out, err = as2d("bench", "push", "--megabytes", "5", "--repeats", "1")
    assert code == 0, err
    assert "| adb push " in out
    assert "times that of adb push" in err
    assert bench.phone.files() == {}
