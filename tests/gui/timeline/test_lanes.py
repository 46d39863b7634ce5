"""The lanes of the timeline: hidden and brought back, and as high as there is room for."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS

from as2d.app.timeline.backdrop import RULER
from as2d.app.timeline.colours import colours_of
from as2d.app.timeline.header import WIDTH
from as2d.app.timeline.lane import Lane
from as2d.app.timeline.lane_menu import LaneButton
from as2d.app.timeline.view import TimelineView
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol.lines import RecordedEvent


def test_lanes_hide_by_key_and_menu_and_come_back(qtbot: QtBot, view: TimelineView) -> None:
    audio, drafter = view.canvas.lane("audio"), view.canvas.lane("drafter")
    top = round(audio.y())
    button = view.findChild(LaneButton)
    assert button is not None
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, round(audio.y()) + 12))
    qtbot.keyClick(view, Qt.Key.Key_H)
    assert audio.hidden
    assert not audio.isVisible()
    assert round(drafter.y()) == top
    assert view.canvas.lane_at(QPointF(60, top + 4)) is drafter
    assert "1" in button.text()
    button.menu().aboutToShow.emit()
    entry = next(action for action in button.menu().actions() if action.text() == audio.title)
    assert not entry.isChecked()
    entry.trigger()
    assert audio.isVisible()
    assert round(audio.y()) == top
    for lane in view.canvas.lanes:
        view.controls.set_hidden(lane, True)
    assert sum(not lane.hidden for lane in view.canvas.lanes) == 1
    qtbot.keyClick(view, Qt.Key.Key_H, Qt.KeyboardModifier.ShiftModifier)
    assert all(lane.isVisible() for lane in view.canvas.lanes)


def test_all_lanes_fit_into_a_low_view_and_into_a_high_one(qtbot: QtBot, view: TimelineView) -> None:
    for height in (240, 420, 900):
        view.resize(1280, height)
        QApplication.processEvents()
        bottom = max(lane.y() + lane.height for lane in view.canvas.lanes)
        assert bottom <= view.canvas.viewport().height()
        assert view.canvas.overflow == 0


def test_a_tall_view_is_filled_and_names_stand_beside_their_signs(qtbot: QtBot, view: TimelineView) -> None:
    view.resize(1900, 700)
    qtbot.waitUntil(lambda: view.height() == 700, timeout=PATIENCE_MS)
    canvas = view.canvas
    canvas.lay_out()
    lanes = [lane for lane in canvas.lanes if not lane.hidden]
    assert sum(lane.height + 1 for lane in lanes) > 0.95 * (canvas.viewport().height() - RULER)
    QApplication.processEvents()
    image = canvas.grab().toImage()
    for lane in lanes:
        header = colours_of(dark=False)["header"].name()

        def inked(left: int, right: int, lane: Lane = lane, header: str = header) -> list[int]:
            """The rows of the name's first line in which there is more than its ground."""
            top = int(lane.y())
            rows = range(top + 1, top + min(int(lane.height), 24) - 1)
            return [
                y for y in rows if any(image.pixelColor(x, y).name() != header for x in range(left, right))
            ]

        signs, letters = inked(4, 17), inked(22, 60)
        middle = (signs[0] + signs[-1]) / 2
        assert letters[0] <= middle <= letters[-1]


def test_a_timeline_shows_no_scale_before_anything_is_recorded(
    qtbot: QtBot, run_events: list[RecordedEvent]
) -> None:
    model = TimelineModel()
    view = TimelineView(model)
    qtbot.addWidget(view)
    view.resize(1280, 420)
    with qtbot.waitExposed(view, timeout=PATIENCE_MS):
        view.show()

    def scales() -> list[str]:
        return [lane.key for lane in view.canvas.lanes if lane.state]

    def ruler() -> set[str]:
        image = view.canvas.grab().toImage()
        row = int(RULER) - 2  # through the ticks
        return {image.pixelColor(x, row).name() for x in range(int(WIDTH), image.width())}

    assert scales() == []
    assert ruler() == {view.canvas.view.colours["header"].name()}
    for event in run_events:
        model.feed(event)
    view.refresh()
    assert scales() == ["ready", "acceptance", "tps"]
    assert view.canvas.view.colours["muted"].name() in ruler()
