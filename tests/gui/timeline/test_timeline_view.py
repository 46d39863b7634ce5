"""The timeline, driven by keys and clicks on what it painted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QPalette, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS
from tests.gui.timeline.conftest import grab

from as2d.app.inspector.inspector import CallInspector
from as2d.app.timeline.colours import colours_of, contrast
from as2d.app.timeline.header import WIDTH
from as2d.app.timeline.help import TimelineHelp
from as2d.app.timeline.view import FRAME_MS, TICK_MS, TimelineView
from as2d.app.viewmodels.kinds import CALL_COLOURS, CallKind
from as2d.app.viewmodels.selection import span_sums
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.app.window.timeline_host import TimelineHost
from as2d.backend.protocol.lines import RecordedEvent

KEY = Qt.Key


def place_of(view: TimelineView, row: int) -> QPoint:
    """Where a call's bar is painted."""
    lane = view.canvas.bar_lane("target")
    begin, end = lane.span_of(row)
    axis = view.navigator.axis
    return QPoint(round(WIDTH + (axis.x(begin) + axis.x(end)) / 2), round(lane.y() + lane.height - 6))


def show_request(view: TimelineView, number: int) -> None:
    request = view.canvas.view.model.requests[number]
    assert request.decode is not None
    assert request.end is not None
    view.navigator.show((request.decode, request.end))


def colours_in(image: QImage, top: int, bottom: int) -> set[str]:
    return {
        image.pixelColor(x, y).name()
        for x in range(int(WIDTH) + 1, image.width())
        for y in range(top, bottom)
    }


def test_calls_are_painted_in_the_colours_of_their_outcomes(view: TimelineView) -> None:
    show_request(view, 2)
    image = grab(view)
    model = view.canvas.view.model
    for row in range(len(model.target)):
        begin, end = view.canvas.bar_lane("target").span_of(row)
        axis = view.navigator.axis
        if begin < axis.begin or end > axis.end or axis.x(end) - axis.x(begin) < 12:
            continue
        kind = int(model.target.kind[row])
        if kind in (CallKind.ALL, CallKind.TARGET_ONLY):
            at = place_of(view, row)
            expected = view.canvas.view.colours[CALL_COLOURS[kind]]
            x = round(WIDTH + axis.x(begin)) + 2
            assert image.pixelColor(x, at.y() + 2) == expected, row


def test_a_click_on_a_painted_bar_tells_the_call(qtbot: QtBot, view: TimelineView) -> None:
    show_request(view, 0)
    grab(view)
    for row in (1, 3):
        with qtbot.waitSignal(view.call_selected) as told:
            qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=place_of(view, row))
        assert told.args == ["a1.w1.p1.r1", row]


def test_the_inspector_follows_the_click(qtbot: QtBot, view: TimelineView, model: TimelineModel) -> None:
    inspector = CallInspector(model)
    qtbot.addWidget(inspector)
    inspector.show()
    view.call_selected.connect(inspector.show_call)
    show_request(view, 0)
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=place_of(view, 0))
    assert inspector.shown is not None
    assert inspector.shown.text == " so my fellow Americans,"
    cells = [
        inspector.positions.data(inspector.positions.index(row, 3))
        for row in range(inspector.positions.rowCount())
    ]
    assert [cell.split(" ", 1)[0] for cell in cells] == ["✓", "✓", "✓", "✓", "+"]
    assert "␣so" in inspector.positions.data(inspector.positions.index(0, 0))


def test_the_end_of_text_is_named_in_the_inspector(qtbot: QtBot, model: TimelineModel) -> None:
    inspector = CallInspector(model)
    qtbot.addWidget(inspector)
    inspector.show_call("a1.w1.p1.r1", 4)
    assert "end of text" in inspector.positions.data(inspector.positions.index(4, 1))
    inspector.show_call("a1.w1.p1.r1", 99)
    assert inspector.shown is None


def test_arrow_keys_step_along_calls_and_bring_them_into_view(qtbot: QtBot, view: TimelineView) -> None:
    show_request(view, 0)
    for index in (0, 1, 2):
        with qtbot.waitSignal(view.call_selected) as told:
            qtbot.keyClick(view, KEY.Key_Right)
        assert told.args == ["a1.w1.p1.r1", index]
    qtbot.keyClick(view, KEY.Key_Left)
    assert view.navigator.call_row() == 1
    qtbot.keyClick(view, KEY.Key_End)
    row = view.navigator.call_row()
    assert row == len(view.canvas.view.model.target) - 1
    begin, end = view.canvas.bar_lane("target").span_of(row)
    assert view.navigator.axis.begin <= begin
    assert end <= view.navigator.axis.end


def test_shift_and_arrow_selects_from_call_to_call(qtbot: QtBot, view: TimelineView) -> None:
    show_request(view, 0)
    qtbot.keyClick(view, KEY.Key_Home)
    for _ in range(2):
        qtbot.keyClick(view, KEY.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.navigator.span is not None
    sums = span_sums(view.canvas.view.model, *view.navigator.span)
    assert (sums.calls, sums.proposed, sums.accepted) == (3, 12, 12)


def test_a_drag_selects_a_span_and_shows_its_sums(qtbot: QtBot, view: TimelineView) -> None:
    show_request(view, 1)
    viewport = view.canvas.viewport()
    y = round(view.canvas.lane("ready").y()) + 8
    told: list[tuple[int, int]] = []
    view.span_selected.connect(lambda begin, end: told.append((begin, end)))
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(400, y))
    qtbot.mouseMove(viewport, QPoint(600, y))
    qtbot.mouseMove(viewport, QPoint(900, y))
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(900, y))
    axis = view.navigator.axis
    begin, end = told[-1]
    assert abs(axis.x(begin) + WIDTH - 400) <= 1
    assert abs(axis.x(end) + WIDTH - 900) <= 1
    sums = span_sums(view.canvas.view.model, begin, end)
    assert sums.calls > 3
    shown = view.findChild(type(view._sums))
    assert f"<b>{sums.tokens}</b>" in shown.text()
    assert "No energy:" in shown.toolTip()
    qtbot.keyClick(view, KEY.Key_F)
    assert abs(view.navigator.axis.x(begin)) < 20
    qtbot.keyClick(view, KEY.Key_F)
    span = view.canvas.view.model.span
    assert span is not None
    assert view.navigator.axis.begin <= span[0]
    assert view.navigator.axis.end >= span[1]


def test_w_s_a_d_and_the_wheel_move_the_axis(qtbot: QtBot, view: TimelineView) -> None:
    before = view.navigator.axis
    qtbot.keyClick(view, KEY.Key_W)
    closer = view.navigator.axis
    assert closer.ns_per_pixel < before.ns_per_pixel
    qtbot.keyClick(view, KEY.Key_D)
    assert view.navigator.axis.begin > closer.begin
    qtbot.keyClick(view, KEY.Key_A)
    assert abs(view.navigator.axis.begin - closer.begin) <= 2
    qtbot.keyClick(view, KEY.Key_S)
    assert view.navigator.axis.ns_per_pixel > closer.ns_per_pixel
    axis, at = view.navigator.axis, QPointF(WIDTH + 300, 100)
    wheel = QWheelEvent(
        at,
        view.canvas.viewport().mapToGlobal(at),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.canvas.viewport(), wheel)
    assert view.navigator.axis.ns_per_pixel < axis.ns_per_pixel
    assert abs(view.navigator.axis.x(axis.t(300)) - 300) < 1


def test_lanes_fold_and_pin_by_click_and_by_key(qtbot: QtBot, view: TimelineView) -> None:
    lane = view.canvas.lane("audio")
    tall = lane.height
    viewport = view.canvas.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(9, round(lane.y()) + 12))
    assert lane.folded
    assert lane.height < tall / 2
    qtbot.keyClick(view, KEY.Key_C)
    assert not lane.folded
    target = view.canvas.lane("target")
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=QPoint(int(WIDTH) - 8, round(target.y()) + 12))
    assert target.pinned
    assert target.y() < lane.y()
    qtbot.keyClick(view, KEY.Key_P)
    assert target.y() > lane.y()


def test_audio_time_shows_the_whole_audio(qtbot: QtBot, view: TimelineView, model: TimelineModel) -> None:
    qtbot.keyClick(view, KEY.Key_T)
    axis = view.navigator.axis
    last = model.requests[-1].preparation.window
    assert axis.begin <= 0
    assert axis.end / 1e9 >= last.audio_s + last.end_s - last.start_s
    row = 3
    with qtbot.waitSignal(view.call_selected) as told:
        qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=place_of(view, row))
    assert told.args == ["a1.w1.p1.r1", row]
    qtbot.keyClick(view, KEY.Key_T)
    assert view.navigator.axis.begin > 10**9


def test_a_double_click_plays_from_there(qtbot: QtBot, view: TimelineView, model: TimelineModel) -> None:
    show_request(view, 1)
    y = round(view.canvas.lane("ready").y()) + 8
    with qtbot.waitSignal(view.play_recording_from) as told:
        qtbot.mouseDClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(700, y))
    recording, seconds = told.args
    assert recording == "a2"
    assert 1 < seconds < 27.4
    view.show_position(recording, seconds)
    assert view.canvas.overlay.playhead is not None
    assert abs(view.navigator.axis.x(view.canvas.overlay.playhead) + WIDTH - 700) < 3
    place = view.canvas.overlay.playhead
    view.set_audio_time(True)  # the same place of the recording, on the other axis
    assert view.canvas.overlay.playhead == round(model.audio_seconds(recording, seconds) * 1e9)
    view.set_audio_time(False)
    assert view.canvas.overlay.playhead == place
    view.show_position(recording, None)
    assert view.canvas.overlay.playhead is None


def test_the_question_mark_lists_the_keys(qtbot: QtBot, view: TimelineView) -> None:
    qtbot.keyClick(view, KEY.Key_Question)
    found = view.findChild(TimelineHelp)
    assert found is not None
    assert found.isVisible()
    qtbot.keyClick(found, KEY.Key_Escape)


def test_live_events_appear_by_themselves(qtbot: QtBot, run_events: list[RecordedEvent]) -> None:
    model = TimelineModel()
    view = TimelineView(model)
    qtbot.addWidget(view)
    view.resize(1280, 420)
    view.show()
    assert TICK_MS + FRAME_MS <= 60
    assert view._empty.isVisible()
    for event in run_events[: len(run_events) // 2]:
        model.feed(event)
    qtbot.waitUntil(lambda: view._shown == model.version, timeout=PATIENCE_MS)
    assert not view._empty.isVisible()
    span = model.span
    assert span is not None
    lane = view.canvas.lane("target")
    colours = colours_in(grab(view), round(lane.y()) + 2, round(lane.y() + lane.height) - 2)
    assert view.canvas.view.colours["accepted"].name() in colours
    for event in run_events[len(run_events) // 2 :]:
        model.feed(event)
    qtbot.waitUntil(lambda: view._shown == model.version, timeout=PATIENCE_MS)
    assert model.span is not None
    assert view.navigator.axis.end >= model.span[1] > span[1]
    view.hide()


@pytest.mark.parametrize("dark", [False, True])
def test_texts_are_read_well_on_every_colour(dark: bool) -> None:
    colours = colours_of(dark)
    for name in ("accepted", "correction", "target-only", "draft", "encode", "prefill", "guard", "selection"):
        assert contrast(colours[name], colours.text_on(name)) >= 4.5, name
        assert contrast(colours[name], colours["lane"]) >= 1.3, name
    for name in ("text", "muted"):
        for behind in ("lane", "background", "header", "before-request"):
            assert contrast(colours[name], colours[behind]) >= 4.5, (name, behind)


def test_colours_follow_the_window(view: TimelineView) -> None:
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.Window, QColor("#202326"))
    view.setPalette(palette)
    image = grab(view)
    dark = colours_of(dark=True)
    lane = view.canvas.lane("power")
    assert dark["lane"].name() in colours_in(image, round(lane.y()) + 2, round(lane.y()) + 6)


def test_another_run_is_arranged_as_the_last_one_was(qtbot: QtBot, model: TimelineModel) -> None:
    host = TimelineHost()
    qtbot.addWidget(host.timeline_place)
    host.timeline_place.resize(1280, 400)
    host.timeline_place.show()
    first = host.view
    first.controls.toggle_fold(first.canvas.lane("audio"))
    first.controls.toggle_pin(first.canvas.lane("target"))
    first.controls.set_hidden(first.canvas.lane("power"), True)
    first.set_audio_time(True)
    host.show_model(model)
    assert host.view is not first
    assert host.view.canvas.lane("audio").folded
    assert host.view.canvas.lane("power").hidden
    assert host.view.canvas.lane("target").pinned
    assert host.view.canvas.lane("target").y() < host.view.canvas.lane("audio").y()
    assert host.view.canvas.view.audio_time
    host.timeline_place.hide()
