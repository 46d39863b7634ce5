"""What lies behind and above the lanes: ticks, work before the request, and the marks of requests."""

from __future__ import annotations

from bisect import bisect_right

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from as2d.app.timeline.lane import View
from as2d.app.translation import tr
from as2d.app.viewmodels.axis import Tick
from as2d.app.viewmodels.requests import RequestSpan

RULER = 34.0
_NARROWEST = 24.0


def visible_requests(view: View) -> list[RequestSpan]:
    """The requests that are wide enough in the visible span to be marked; none in audio time."""
    if view.audio_time:
        return []
    axis = view.axis
    requests = view.model.requests
    last = bisect_right(requests, axis.end, key=lambda request: request.asked or 0)
    found: list[RequestSpan] = []
    room = axis.width / _NARROWEST
    for request in reversed(requests[max(0, last - int(room) - 2) : last + 1]):
        begin = request.preparation.begin if request.first else request.asked
        end = request.end if request.end is not None else request.last_commit
        if begin is None or begin > axis.end:
            continue
        if end is not None and end < axis.begin:
            break
        found.append(request)
        if len(found) > room:
            return []
    return found


def origin_of(view: View) -> int:
    """Where the axis counts from: the run's first bar, or the beginning of the audio."""
    span = view.model.span
    return 0 if view.audio_time or span is None else span[0]


def _ticks(view: View) -> list[Tick]:
    """The ticks of the axis; none while nothing was recorded, which has no time."""
    return [] if view.model.span is None else view.axis.ticks(origin_of(view))


def draw_backdrop(painter: QPainter, view: View, left: float, height: float) -> None:
    """The background of all lanes."""
    axis, colours = view.axis, view.colours
    painter.fillRect(QRectF(left, RULER, axis.width, height - RULER), colours["lane"])
    for request in visible_requests(view):
        begin = request.preparation.begin if request.first else None
        if begin is not None and request.asked is not None and request.asked > begin:
            x0, x1 = max(axis.x(begin), 0), min(axis.x(request.asked), axis.width)
            if x1 > x0:
                box = QRectF(left + x0, RULER, x1 - x0, height - RULER)
                painter.fillRect(box, colours["before-request"])
    painter.setPen(colours["grid"])
    for tick in _ticks(view):
        x = round(left + axis.x(tick.t))
        painter.drawLine(x, round(RULER), x, round(height))


def draw_ruler(painter: QPainter, view: View, left: float, height: float) -> None:
    """Ticks and marks, above the lanes and across them."""
    axis, colours = view.axis, view.colours
    painter.setFont(view.font)
    painter.fillRect(QRectF(0, 0, left + axis.width, RULER), colours["header"])
    painter.setClipRect(QRectF(left, 0, axis.width, height))
    busy = -1e9
    shown = list(reversed(visible_requests(view)))
    for place, request in enumerate(shown):
        begin = _begin_of(shown[place + 1]) if place + 1 < len(shown) else None
        limit = left + (axis.x(begin) if begin is not None else axis.width)
        busy = _draw_request(painter, view, request, left, height, (busy, limit))
    for tick in _ticks(view):
        x = left + axis.x(tick.t)
        painter.setPen(colours["muted"])
        painter.drawLine(QPointF(x, RULER - 4), QPointF(x, RULER))
        # The line of a request does not go through the letters.
        width = view.metrics.horizontalAdvance(tick.label)
        painter.fillRect(QRectF(x + 3, RULER - 18, width + 2, 14), colours["header"])
        painter.setPen(colours["text"])
        painter.drawText(QPointF(x + 4, RULER - 6), tick.label)
    painter.setPen(colours["grid"])
    painter.drawLine(QPointF(0, RULER - 0.5), QPointF(left + axis.width, RULER - 0.5))
    painter.setClipping(False)
    painter.setPen(colours["muted"])
    name = tr("Audio time") if view.audio_time else tr("Run time")
    painter.drawText(QRectF(8, 0, left - 8, RULER), Qt.AlignmentFlag.AlignVCenter, name)
    painter.setPen(colours["grid"])
    painter.drawLine(QPointF(left - 0.5, 0), QPointF(left - 0.5, height))


def _begin_of(request: RequestSpan) -> int | None:
    """The first moment of a request that is marked."""
    begin = request.preparation.begin if request.first else None
    return begin if begin is not None else request.asked


def _draw_request(
    painter: QPainter,
    view: View,
    request: RequestSpan,
    left: float,
    height: float,
    room: tuple[float, float],
) -> float:
    """Flags of one request; labels only in `room`, from the end of the last one to the next request. The new
    end.
    """
    axis, colours, metrics = view.axis, view.colours, view.metrics
    busy, last = room
    begin = request.preparation.begin if request.first else None
    flags = [
        (begin, tr("before the request"), Qt.PenStyle.NoPen, False),
        (request.asked, tr("request"), Qt.PenStyle.SolidLine, True),
        (request.decode, tr("decode start"), Qt.PenStyle.DashLine, True),
    ]
    for place, (t, text, style, flagged) in enumerate(flags):
        if t is None:
            continue
        x = left + axis.x(t)
        after = flags[place + 1][0] if place + 1 < len(flags) else None
        limit = min(left + axis.x(after) if after is not None else last, left + axis.width)
        if flagged and left <= x <= left + axis.width:
            painter.setPen(QPen(colours["focus"], 1, style))
            painter.drawLine(QPointF(round(x) + 0.5, 4), QPointF(round(x) + 0.5, height))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours["focus"])
            shape = ((0, 3), (7, 6.5), (0, 10)) if place == 1 else ((0, 3), (7, 3), (7, 10), (0, 10))
            painter.drawPolygon(QPolygonF([QPointF(round(x) + dx, dy) for dx, dy in shape]))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        start = max(x, left) + 10 if flagged else max(x + 4, left + 4, busy)
        width = metrics.horizontalAdvance(text)
        seen = x >= left or not flagged
        if seen and start >= busy and start + width + 4 <= limit:
            painter.setPen(colours["muted"])
            painter.drawText(QPointF(start, 13), text)
            busy = start + width + 4
    return busy
