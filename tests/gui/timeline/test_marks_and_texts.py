"""Flags, lines and words of the timeline keep out of each other's way."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot
from tests.gui.timeline.conftest import grab

from as2d.app.timeline.backdrop import RULER
from as2d.app.timeline.header import WIDTH
from as2d.app.timeline.view import TimelineView
from as2d.app.viewmodels.axis import TimeAxis, duration_label


def test_flags_stand_where_the_request_came_and_its_decode_began(view: TimelineView) -> None:
    request = view.canvas.view.model.requests[0]
    assert request.asked is not None
    assert request.decode is not None
    apart = request.decode - request.asked
    view.navigator.show((request.asked - apart, request.decode + apart))
    image, axis = grab(view), view.navigator.axis
    ink = view.canvas.view.colours["focus"]
    for moment, lower_edge_is_full in ((request.asked, False), (request.decode, True)):
        x = round(WIDTH + axis.x(moment))
        assert image.pixelColor(x + 2, 6) == ink, "a flag"
        assert image.pixelColor(x + 30, 6) != ink, "and no bar"
        # A pennant for the request, a square flag for the decode: told apart without colours.
        assert (image.pixelColor(x + 5, 9) == ink) == lower_edge_is_full


def test_no_line_of_a_request_goes_through_a_committed_text(view: TimelineView) -> None:
    request = view.canvas.view.model.requests[1]
    assert request.asked is not None
    assert request.decode is not None
    apart = request.decode - request.asked  # too little room for a text of its own
    view.navigator.show((request.asked - 12 * apart, request.decode + 12 * apart))
    image, axis, lane = grab(view), view.navigator.axis, view.canvas.lane("committed")
    asked, decode = (round(WIDTH + axis.x(t)) for t in (request.asked, request.decode))
    rows = range(round(lane.y()) + 3, round(lane.y() + lane.height) - 8)

    def inked(begin: int, end: int) -> bool:
        letters = view.canvas.view.colours["text"]
        return any(image.pixelColor(x, y) == letters for x in range(begin, end) for y in rows)

    assert not inked(asked + 2, decode - 1)
    assert inked(decode + 2, decode + 60)


def test_no_line_of_a_request_goes_through_a_time_of_the_ruler(view: TimelineView) -> None:
    request = view.canvas.view.model.requests[0]
    span = view.canvas.view.model.span
    assert request.asked is not None
    assert span is not None
    asked = request.asked

    def crosses(axis: TimeAxis) -> bool:
        return any(6 < axis.x(asked) - axis.x(tick.t) < 20 for tick in axis.ticks(span[0]))

    for tenths in range(40, 200):  # until the line stands in the letters of a tick
        view.navigator.show((span[0], span[0] + tenths * 10**8))
        if crosses(view.navigator.axis):
            break
    assert crosses(view.navigator.axis)
    image, line = grab(view), round(WIDTH + view.navigator.axis.x(asked))
    ink = view.canvas.view.colours["focus"]
    assert image.pixelColor(line, 14) == ink
    assert any(image.pixelColor(line, y) != ink for y in range(int(RULER) - 16, int(RULER) - 6))


@pytest.mark.parametrize("drag", [(1180, 1277), (230, 126), (600, 640), (640, 600)])
def test_the_length_of_a_drag_and_the_pointers_time_are_read_side_by_side(
    qtbot: QtBot, view: TimelineView, drag: tuple[int, int]
) -> None:
    viewport, y = view.canvas.viewport(), round(view.canvas.lane("ready").y()) + 8
    told: list[tuple[int, int]] = []
    view.span_selected.connect(lambda begin, end: told.append((begin, end)))
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=QPoint(drag[0], y))
    qtbot.mouseMove(viewport, QPoint(sum(drag) // 2, y))
    qtbot.mouseMove(viewport, QPoint(drag[1], y))
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=QPoint(drag[1], y))
    image, shown = grab(view), view.canvas.view
    row = int(RULER) - 14  # through both labels, above their letters
    length, time = (
        [x for x in range(int(WIDTH), image.width()) if image.pixelColor(x, row) == shown.colours[name]]
        for name in ("selection", "counter")
    )
    begin, end = told[-1]
    assert len(length) >= shown.metrics.horizontalAdvance(duration_label(end - begin)) + 8
    assert length == list(range(length[0], length[-1] + 1))
    assert time == list(range(time[0], time[-1] + 1))
