"""`as2d studio` as a program of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio, statuses

from as2d.backend.protocol.events import Hello
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


_SAY_SIZE = """
from as2d.app.main import open_studio

def say(window):
    print(window.isMaximized(), window.width(), window.height())
    window.asks = False
    window.close()

open_studio([], say)
"""


@pytest.mark.parametrize(
    ("width", "height", "size"), [(1280, 800, "True 1280 800"), (2560, 1440, "False 1280 800")]
)
def test_the_first_window_fits_the_screen_with_its_frame(
    data_folder: Path, tmp_path: Path, width: int, height: int, size: str
) -> None:
    (data_folder / "studio.json").write_text('{"started_before": true, "look_for_phones": false}')
    screens = json.loads(Path(__file__).with_name("screen.json").read_text())
    screens["screens"][0] |= {"width": width, "height": height}
    (tmp_path / "screen.json").write_text(json.dumps(screens))
    platform = {"QT_QPA_PLATFORM": f"offscreen:configfile={tmp_path / 'screen.json'}"}
    said = subprocess.run(
        [sys.executable, "-c", _SAY_SIZE],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | platform,
    )
    assert said.stdout.strip() == size


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
    assert runs.find("last").manifest.status in ("interrupted", "done")


def test_a_window_that_was_killed_leaves_all_that_was_decoded(
    open_studio: OpenStudio, qtbot: QtBot, data_folder: Path, repository: Path
) -> None:
    (data_folder / "studio.json").write_text('{"run_on_drop": true, "look_for_phones": false}')
    behind = [repository / "tests" / "data" / "speech" / "singing_lets_go_fishin_30s.ogg"] * 8
    killed = started(repository / "resources" / "sample" / "jfk.flac", *behind)  # it is never done in time
    runs = RunStore(data_folder / "runs")
    try:
        while not _recorded(runs, "recording_done") and killed.poll() is None:
            time.sleep(0.05)  # the first recording is on the disk about a second after its text
        helper = next(event.pid for event in runs.find("last").stream() if isinstance(event, Hello))
    finally:
        killed.kill()
        killed.communicate()
    window = open_studio(look_for_phones=False)
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 1, timeout=PATIENCE_MS)
    assert window.history.model.data(window.history.model.index(0, 4)) == "interrupted"
    window.docks.show("history")
    window.history.table.selectRow(0)
    qtbot.keyClick(window.history.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.transcript.text is not None, timeout=PATIENCE_MS)
    assert window.transcript.view.toPlainText().endswith("ask what you can do for your country.")
    assert ("jfk.flac", "done") in statuses(window)
    qtbot.waitUntil(lambda: not Path(f"/proc/{helper}").exists(), timeout=PATIENCE_MS)


def _recorded(runs: RunStore, name: str) -> bool:
    """Whether the last run's stream holds an event so far."""
    return bool(runs.list()) and any(
        getattr(event, "host", "") == name for event in runs.find("last").stream()
    )


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
