"""The tab of long runs: begun, watched, stopped, and opened again from the history."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, HoldBehind, OpenStudio
from tests.phone.small_models import SmallPair, install_small_pair

from as2d.app.history.model import KIND
from as2d.app.window.main_window import StudioWindow
from as2d.backend.protocol.host_events import RequestSent

CLIPS = ("cv_en_651325.mp3", "sonnet001.mp3")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    """Models that decode in moments."""
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture
def window(open_studio: OpenStudio, pair: SmallPair, repository: Path) -> StudioWindow:
    clips = [repository / "tests" / "data" / "speech" / name for name in CLIPS]
    decode = {"target": str(pair.target.path), "drafter": str(pair.drafter.path), "language": "en"}
    return open_studio(*clips, started_before=True, decode=decode)


def _words(window: StudioWindow) -> list[str]:
    return [label.text() for label in (window.long_run.headline, window.long_run.facts)]


def test_a_long_run_is_watched_and_opened_again(window: StudioWindow, qtbot: QtBot) -> None:
    window.long_run_deeds.minutes = 0.5  # shown in parts of ten seconds
    qtbot.keyClick(window, Qt.Key.Key_9, Qt.KeyboardModifier.ControlModifier)
    assert window.docks.is_shown("longrun")
    assert "2 recordings of the list" in window.long_run.form.what.text()
    qtbot.mouseClick(window.long_run.form.button, Qt.MouseButton.LeftButton)
    assert window.long_runs.running
    assert not window.registry.action("run.start").isEnabled()
    assert not window.long_run.form.first.isEnabled()
    panel = window.long_run
    qtbot.waitUntil(lambda: panel.charts is not None, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: not window.long_runs.running, timeout=PATIENCE_MS)
    assert window.registry.action("run.start").isEnabled()
    live = _words(window)
    assert "in the first 10 s" in live[0]
    assert "<b>Target only</b>" in live[1]
    assert "✓\u00a0Identical output in all" in live[1]
    model = window.long_runs.shown
    assert model is not None
    curves = model.curves()
    charts = panel.charts
    assert charts is not None
    for line, (_, values) in zip(charts.lines["speed"], curves.speeds, strict=True):
        assert np.array_equal(line.getData()[1], values, equal_nan=True)
    assert curves.memory is not None
    charts.setFocus()
    qtbot.keyClick(charts, Qt.Key.Key_Right)
    assert f"{curves.speeds[0][1][0]:.1f} tokens/s" in charts.told.text()
    qtbot.mouseMove(charts.viewport(), QPoint(charts.width() - 20, 40))
    qtbot.waitUntil(lambda: "tokens/s" in charts.told.text(), timeout=PATIENCE_MS)
    assert window.calls.model is model.timeline

    window.docks.show("history")
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 1, timeout=PATIENCE_MS)
    assert window.history.model.index(0, KIND).data() == "Long run"
    assert not window.history.table.isColumnHidden(KIND)
    window.history.table.selectRow(0)
    window.registry.run("history.open")
    qtbot.waitUntil(lambda: window.long_runs.shown is not model, timeout=PATIENCE_MS)
    assert window.docks.is_shown("longrun")
    assert _words(window) == live
    again = window.long_runs.shown
    assert again is not None
    for (_, one), (_, two) in zip(again.curves().speeds, curves.speeds, strict=True):
        assert np.array_equal(one, two, equal_nan=True)
    assert window.calls.model.span == model.timeline.span


def test_a_long_run_is_stopped_and_one_method_is_enough(window: StudioWindow, qtbot: QtBot) -> None:
    form = window.long_run.form
    window.docks.show("longrun")
    form.second.setCurrentIndex(0)
    form.second.activated.emit(0)
    assert window.settings.current.long_run.methods == ("target-only",)
    window.registry.run("longrun.start")
    model = window.long_runs.live
    assert model is not None
    qtbot.waitUntil(lambda: len(model.fold.decodes) > 3, timeout=PATIENCE_MS)
    qtbot.mouseClick(form.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not window.long_runs.running, timeout=PATIENCE_MS)
    assert window.long_run.headline.text() == (
        "It was too short for a verdict, which takes decodes of every method in two parts of 1 min."
    )

    def listed() -> list[str]:
        rows = [window.history.model.index(row, 0) for row in range(window.history.model.rowCount())]
        return [row.status for row in map(window.history.model.row, rows) if row is not None]

    # The list may have been read while the run went on.
    qtbot.waitUntil(lambda: listed() == ["cancelled"], timeout=PATIENCE_MS)


@pytest.mark.parametrize("warm_up", [True, False])
def test_a_long_run_that_is_stopped_at_once_says_so_and_praises_nothing(
    window: StudioWindow, qtbot: QtBot, hold_behind: HoldBehind, warm_up: bool
) -> None:
    go_on = hold_behind(lambda event: isinstance(event, RequestSent) and event.warm_up == warm_up)
    window.docks.show("longrun")
    form = window.long_run.form
    qtbot.mouseClick(form.button, Qt.MouseButton.LeftButton)
    model = window.long_runs.live
    assert model is not None
    counted = 0 if warm_up else 1  # a decode that was held against another one
    state = (warm_up, counted)
    qtbot.waitUntil(lambda: (model.warming_up, model.fold.compared) == state, timeout=PATIENCE_MS)
    told = "Warming up: each method decodes once, which is not counted …" if warm_up else "Starting …"
    qtbot.waitUntil(lambda: form.what.text() == told, timeout=PATIENCE_MS)
    assert not window.close()
    (question,) = window.findChildren(QMessageBox)
    assert question.text() == "A long run goes on."
    question.reject()
    qtbot.mouseClick(form.button, Qt.MouseButton.LeftButton)
    assert form.button.text() == form.what.text() == "Stopping …"
    assert not form.button.isEnabled()
    go_on.set()
    qtbot.waitUntil(lambda: not window.long_runs.running, timeout=PATIENCE_MS)
    assert form.button.text() == "Start"
    assert len(model.fold.decodes) == 0
    assert window.long_run.headline.text() == (
        "It was stopped before its first decode that counts: there is nothing to tell."
    )
    assert "✓" not in window.long_run.facts.text()
    assert "Identical" not in window.long_run.facts.text()


def test_without_recordings_there_is_nothing_to_start(open_studio: OpenStudio) -> None:
    window = open_studio(started_before=True)
    window.docks.show("longrun")
    assert not window.long_run.form.button.isEnabled()
    assert "Add recordings" in window.long_run.form.what.text()
