"""What lies over the lanes: selection, focused call, pointer and playback position."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from as2d.app.timeline.backdrop import RULER, draw_ruler, origin_of
from as2d.app.timeline.header import WIDTH
from as2d.app.timeline.lane import Lane, View
from as2d.app.timeline.sized_item import SizedItem
from as2d.app.viewmodels.axis import duration_label, tick_label

_APART = 2.0


class Overlay(SizedItem):
    """Times are those of the axis that is shown; None: not there."""

    def __init__(self, view: View) -> None:
        super().__init__()
        self.view = view
        self.selection: tuple[int, int] | None = None
        self.call: QRectF | None = None
        self.pointer: float | None = None
        self.playhead: int | None = None
        self.recording: tuple[int, int] | None = None
        self.lanes: list[Lane] = []
        self.counters: list[Lane] = []
        self.setZValue(10)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002
        widget: QWidget | None = None,  # noqa: ARG002
    ) -> None:
        draw_ruler(painter, self.view, WIDTH, self._rect.height())
        painter.setFont(self.view.font)
        painter.setClipRect(QRectF(WIDTH, 0, self.view.axis.width, self._rect.height()))
        self._draw_above(painter)
        if self.recording is not None:
            self._draw_recording(painter, *self.recording)
        if self.selection is not None:
            self._draw_selection(painter, *self.selection)
        if self.call is not None:
            painter.setPen(QPen(self.view.colours["background"], 4))
            painter.drawRect(self.call)
            painter.setPen(QPen(self.view.colours["focus"], 2))
            painter.drawRect(self.call)
        if self.playhead is not None:
            self._draw_playhead(painter, WIDTH + self.view.axis.x(self.playhead))
        if self.pointer is not None and self.view.model.span is not None:
            self._draw_pointer(painter, self.pointer)

    def _draw_above(self, painter: QPainter) -> None:
        """What lanes paint above the marks, where they are not scrolled behind others."""
        pinned = [lane.y() + lane.height for lane in self.lanes if lane.pinned and not lane.hidden]
        free = max([RULER, *pinned])
        for lane in self.lanes:
            if not lane.hidden and (lane.pinned or lane.y() >= free - 1):
                painter.translate(lane.pos())
                lane.draw_above(painter)
                painter.translate(-lane.pos())

    def _draw_selection(self, painter: QPainter, begin: int, end: int) -> None:
        axis, colours = self.view.axis, self.view.colours
        left = WIDTH + max(axis.x(begin), -2)
        right = WIDTH + min(axis.x(end), axis.width + 2)
        if right < left:
            return
        height = self._rect.height()
        painter.fillRect(
            QRectF(left, RULER, right - left, height - RULER), colours.translucent("selection", 38)
        )
        painter.setPen(QPen(colours["selection"], 1.5))
        painter.drawLine(QPointF(left, RULER - 12), QPointF(left, height))
        painter.drawLine(QPointF(right, RULER - 12), QPointF(right, height))
        text = duration_label(end - begin)
        flag = self._flag((left + right) / 2, text)
        if self.pointer is not None:
            flag = self._beside(flag, self._flag(WIDTH + self.pointer, self._time_at(self.pointer)))
        self._draw_flag(painter, flag, text, "selection")

    def _draw_recording(self, painter: QPainter, begin: int, end: int) -> None:
        """A bar along the ruler's lower edge: what is chosen, where a selection would hide the lanes."""
        axis = self.view.axis
        left, right = max(axis.x(begin), 0.0), min(axis.x(end), float(axis.width))
        if right >= left:
            box = QRectF(WIDTH + left, RULER - 4, max(right - left, 3.0), 4)
            painter.fillRect(box, self.view.colours["selection"])

    def _draw_playhead(self, painter: QPainter, x: float) -> None:
        painter.setPen(QPen(self.view.colours["playhead"], 2))
        painter.drawLine(QPointF(x, RULER - 8), QPointF(x, self._rect.height()))
        painter.setBrush(self.view.colours["playhead"])
        painter.drawEllipse(QPointF(x, RULER - 8), 4, 4)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_pointer(self, painter: QPainter, x: float) -> None:
        axis, colours = self.view.axis, self.view.colours
        painter.setPen(QPen(colours["muted"], 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(WIDTH + x, RULER), QPointF(WIDTH + x, self._rect.height()))
        t = axis.t(x)
        text = self._time_at(x)
        self._draw_flag(painter, self._flag(WIDTH + x, text), text, "counter")
        for lane in self.counters:
            text = "" if lane.hidden else lane.value_text(t)
            if text and lane.height >= self.view.metrics.height():
                width = self.view.metrics.horizontalAdvance(text)
                at = WIDTH + x + 5 if x + width + 12 < axis.width else WIDTH + x - width - 7
                box = QRectF(at - 2, lane.y() + 2, width + 4, self.view.metrics.height())
                painter.fillRect(box, colours.translucent("background", 215))
                painter.setPen(colours["text"])
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _time_at(self, x: float) -> str:
        """The time at a pixel of the lanes, as exact as a pixel is."""
        axis = self.view.axis
        return tick_label(axis.t(x) - origin_of(self.view), max(1000, round(axis.ns_per_pixel)))

    def _flag(self, x: float, text: str) -> QRectF:
        """Where a small label at the ruler stands: at `x`, and inside the view."""
        width = self.view.metrics.horizontalAdvance(text) + 10
        left = min(max(x - width / 2, WIDTH), WIDTH + max(self.view.axis.width - width, 0))
        return QRectF(left, RULER - 15, width, 14)

    def _beside(self, flag: QRectF, other: QRectF) -> QRectF:
        """A label moved off another that it would lie under: to its own side of it where there is room."""
        if not flag.intersects(other):
            return flag
        before, behind = other.left() - _APART - flag.width(), other.right() + _APART
        fits_before, fits_behind = before >= WIDTH, behind + flag.width() <= WIDTH + self.view.axis.width
        first = fits_before and (flag.center().x() <= other.center().x() or not fits_behind)
        return QRectF(before if first else behind, flag.y(), flag.width(), flag.height())

    def _draw_flag(self, painter: QPainter, flag: QRectF, text: str, colour: str) -> None:
        painter.fillRect(flag, self.view.colours[colour])
        painter.setPen(self.view.colours.text_on(colour))
        painter.drawText(flag, Qt.AlignmentFlag.AlignCenter, text)
