"""A shown timeline of a recorded run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS

from as2d.app.timeline.view import TimelineView
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.runs.stream import StreamReader


@pytest.fixture(scope="session")
def run_events(repository: Path) -> list[RecordedEvent]:
    """Three recordings, four windows, decoded with as2d."""
    return list(StreamReader(repository / "tests/data/runs/three-recordings/events.jsonl.gz"))


@pytest.fixture
def model(run_events: list[RecordedEvent]) -> TimelineModel:
    """The timeline of that run."""
    model = TimelineModel()
    for event in run_events:
        model.feed(event)
    return model


@pytest.fixture
def view(qtbot: QtBot, model: TimelineModel) -> Iterator[TimelineView]:
    """It, on the screen."""
    view = TimelineView(model)
    qtbot.addWidget(view)
    view.resize(1280, 420)
    with qtbot.waitExposed(view, timeout=PATIENCE_MS):
        view.show()
    view.setFocus()
    yield view
    view.hide()


def grab(view: TimelineView) -> QImage:
    """What is painted."""
    QApplication.processEvents()
    return view.canvas.grab().toImage()
