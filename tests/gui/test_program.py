"""`as2d studio` as a program of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.gui.conftest import PATIENCE_MS

from as2d.backend.runs.store import RunStore

_SECONDS = PATIENCE_MS / 1000


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "as2d.backend.cli.entry", "studio", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    )


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_closes_the_window_in_order(
    data_folder: Path, repository: Path, number: signal.Signals
) -> None:
    (data_folder / "studio.json").write_text('{"run_on_drop": true, "look_for_phones": false}')
    window = started(repository / "resources" / "sample" / "jfk.flac")
    runs = RunStore(data_folder / "runs")
    try:
        while not runs.list() and window.poll() is None:
            time.sleep(0.05)  # the run begins once the window is open
        window.send_signal(number)
        _, err = window.communicate(timeout=_SECONDS)
    finally:
        window.kill()
    assert window.returncode == 0, err
    assert runs.find("last").manifest.status in ("cancelled", "done")


def test_without_a_display_the_program_says_what_is_missing(data_folder: Path) -> None:
    environment = {
        key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    ended = subprocess.run(
        [sys.executable, "-m", "as2d.backend.cli.entry", "studio"],
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        env={**environment, "QT_QPA_PLATFORM": ""},
    )
    assert ended.returncode == 3
    assert (
        ended.stderr.strip()
        .splitlines()[-1]
        .startswith("Error: The window cannot be opened: there is no display")
    )
