"""Timelines of several arms one under the other, aligned at the request, with one zoom for all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

from as2d.app.elided import fitting
from as2d.app.recordings.dropping import pass_drops_on
from as2d.app.timeline.bar_lane import BarLane
from as2d.app.timeline.colours import colours_of, is_dark
from as2d.app.timeline.lane import View
from as2d.app.timeline.lanes import make_lanes
from as2d.app.translation import tr
from as2d.app.viewmodels.arm_names import arm_words
from as2d.app.viewmodels.axis import TimeAxis, duration_label, fitted
from as2d.app.viewmodels.stacked import Strip

NAMES = 186.0
RULER = 36.0
_POINTS = 9.0
_LANES = {"audio": 11.0, "drafter": 16.0, "target": 25.0}
_GAP = 7.0
_ZOOM = 1.25
_PAN = 0.12
STRIP = sum(_LANES.values()) + _GAP


@dataclass
class _Row:
    """One arm: its lanes over its own model, and where they lie."""

    strip: Strip
    view: View
    lanes: list[BarLane]
    top: float = 0.0


class StripStack(QGraphicsView):
    """Shows strips; W and S or the wheel zoom, A and D or dragging pan, F fits, Up and Down go from strip to
    strip. `looked_at` tells what is under the pointer, or the strip that was gone to.
    """

    looked_at = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        pass_drops_on(self)
        font = self.font()
        font.setPointSizeF(_POINTS)
        self._font, self._metrics = font, QFontMetricsF(font)
        self._colours = colours_of(is_dark(self.palette()))
        self.axis = TimeAxis(0, 10**9, 1)
        self.rows: list[_Row] = []
        self._whole = True
        self._dragged: float | None = None
        self._at = -1
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Timelines of the methods, aligned at the request"))
        self.setAccessibleDescription(tr("W and S zoom, A and D pan, F fits, Up and Down read the strips."))
        self.setMinimumHeight(90)
        self._scene = QGraphicsScene(self)
        self.setScene(self._scene)

    def show_strips(self, strips: list[Strip]) -> None:
        """Show these in place of the last; the same ones are brought up to date."""
        same = [(row.strip.model, row.strip.request) for row in self.rows]
        if same != [(strip.model, strip.request) for strip in strips]:
            for row in self.rows:
                for lane in row.lanes:
                    self._scene.removeItem(lane)
            self.rows = [self._row(strip) for strip in strips]
            self._at = -1
        self._lay_out()

    def fit(self) -> None:
        """Show everything."""
        self._whole = True
        self._lay_out()

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Show `factor` times as much, the time at a pixel (default: the request) staying there."""
        self._whole = False
        place = at if at is not None else min(max(self.axis.x(0), 0), self.axis.width)
        self._set_axis(self.axis.zoomed(factor, place))

    def pan(self, pixels: float) -> None:
        """Show what lies so many pixels later."""
        self._whole = False
        self._set_axis(self.axis.panned(pixels))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Perfetto's keys."""
        step = _PAN * self.axis.width
        deeds: dict[Qt.Key, Callable[[], None]] = {
            Qt.Key.Key_W: lambda: self.zoom(1 / _ZOOM),
            Qt.Key.Key_S: lambda: self.zoom(_ZOOM),
            Qt.Key.Key_A: lambda: self.pan(-step),
            Qt.Key.Key_D: lambda: self.pan(step),
            Qt.Key.Key_F: self.fit,
            Qt.Key.Key_Up: lambda: self._step(-1),
            Qt.Key.Key_Down: lambda: self._step(1),
        }
        deed = deeds.get(Qt.Key(event.key())) if not event.modifiers() else None
        if deed is None:
            super().keyPressEvent(event)
        else:
            deed()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel zooms at the pointer; with Shift, or over the names, it scrolls."""
        place = event.position().x() - NAMES
        turned = event.angleDelta().y()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or place < 0 or not turned:
            super().wheelEvent(event)
            return
        self.zoom(_ZOOM ** (-turned / 120), place)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to drag."""
        self._dragged = event.position().x()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: ARG002
        """The drag is over."""
        self._dragged = None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or tell what is under the pointer."""
        x = event.position().x()
        if self._dragged is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self.pan(self._dragged - x)
            self._dragged = x
            return
        self.looked_at.emit(self._told_at(self.mapToScene(event.position().toPoint())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the room."""
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Follow the theme."""
        colours = colours_of(is_dark(self.palette()))
        if colours is not self._colours:
            self._colours = colours
            for row in self.rows:
                row.view.colours = colours
                for lane in row.lanes:
                    lane.update()
        super().paintEvent(event)

    def changeEvent(self, event: object) -> None:
        """Follow the theme."""
        super().changeEvent(event)  # type: ignore[arg-type]
        self.viewport().update()

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:  # type: ignore[override]
        """Names, the work before the request, and the grid."""
        colours, axis = self._colours, self.axis
        painter.fillRect(rect, colours["background"])
        painter.setFont(self._font)
        bottom = self._scene.sceneRect().bottom()
        for row in self.rows:
            box = QRectF(NAMES, row.top, axis.width, STRIP - _GAP)
            painter.fillRect(box, colours["lane"])
            span = row.strip.span
            if span is not None and span[0] < 0:
                left, right = (min(max(axis.x(t), 0), axis.width) for t in (span[0], 0))
                painter.fillRect(
                    QRectF(NAMES + left, row.top, right - left, box.height()), colours["before-request"]
                )
        painter.setPen(colours["grid"])
        for tick in axis.ticks(0):
            if axis.begin <= tick.t <= axis.end:
                x = round(NAMES + axis.x(tick.t))
                painter.drawLine(x, round(RULER), x, round(bottom))

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:  # type: ignore[override] # noqa: ARG002
        """The ruler, the request's line, and where each arm's decoding begins and ends."""
        colours, axis = self._colours, self.axis
        painter.setFont(self._font)
        for row in self.rows:
            self._draw_name(painter, row)
            painter.setClipRect(QRectF(NAMES, row.top, axis.width, STRIP))
            self._draw_moments(painter, row)
            painter.setClipping(False)
        top = self.mapToScene(0, 0).y()
        painter.fillRect(QRectF(0, top, NAMES + axis.width, RULER), colours["header"])
        painter.setPen(colours["muted"])
        painter.drawText(
            QRectF(8, top, NAMES - 12, RULER), Qt.AlignmentFlag.AlignVCenter, tr("from the request")
        )
        painter.setClipRect(QRectF(NAMES, top, axis.width, self._scene.sceneRect().height()))
        for tick in axis.ticks(0):
            x = NAMES + axis.x(tick.t)
            painter.setPen(colours["muted"])
            painter.drawLine(QPointF(x, top + RULER - 4), QPointF(x, top + RULER))
            painter.setPen(colours["text"])
            painter.drawText(QPointF(x + 4, top + RULER - 6), tick.label)
        if self.rows:
            x = round(NAMES + axis.x(0)) + 0.5
            painter.setPen(QPen(colours["focus"], 1))
            painter.drawLine(QPointF(x, top + 3), QPointF(x, self._scene.sceneRect().bottom()))
            painter.setPen(colours["muted"])
            painter.drawText(QPointF(x + 5, top + 13), tr("request"))
        painter.setClipping(False)

    def _row(self, strip: Strip) -> _Row:
        view = View(strip.model, TimeAxis(0, 10**9, 1), self._colours, self._font, self._metrics)
        lanes = [lane for lane in make_lanes(view) if isinstance(lane, BarLane) and lane.key in _LANES]
        for lane in lanes:
            self._scene.addItem(lane)
        return _Row(strip, view, lanes)

    def _lay_out(self) -> None:
        size = self.viewport().size()
        width = max(int(size.width() - NAMES), 1)
        self.axis = self.axis.resized(width)
        top = RULER + 3
        for row in self.rows:
            row.top = top
            top += STRIP
        self._scene.setSceneRect(0, 0, size.width(), max(top, size.height()))
        spans = [span for span in (row.strip.span for row in self.rows) if span is not None]
        if self._whole and spans:
            begin, end = min(span[0] for span in spans), max(span[1] for span in spans)
            # What was done long before the request would leave no room for what is compared.
            self.axis = fitted((max(begin, -end // 3), max(end, 1)), width, 0.02)
        self._set_axis(self.axis)

    def _set_axis(self, axis: TimeAxis) -> None:
        self.axis = axis
        for row in self.rows:
            self._place(row)
        self.viewport().update()

    def _place(self, row: _Row) -> None:
        """Give the lanes the part of the axis that is the request's own; the rest is other arms' work."""
        span, origin = row.strip.span, row.strip.origin
        begin = max(self.axis.begin, span[0]) if span is not None else 0
        end = min(self.axis.end, span[1]) if span is not None else 0
        left = round(self.axis.x(begin))
        right = max(round(self.axis.x(end)), left + 1)  # what took no pixel's time is seen too
        shown = origin is not None and end > begin
        y = row.top
        for lane in row.lanes:
            lane.setVisible(shown)
            if shown and origin is not None:
                lane.setPos(NAMES + left, y)
                lane.set_size(right - left, _LANES[lane.key] - 1)
            y += _LANES[lane.key]
        if shown and origin is not None:
            row.view.ratio = self.devicePixelRatioF()
            row.view.axis = TimeAxis(
                origin + self.axis.t(left), origin + self.axis.t(right), max(right - left, 1)
            )
            for lane in row.lanes:
                lane.update()

    def _draw_name(self, painter: QPainter, row: _Row) -> None:
        colours = self._colours
        painter.fillRect(QRectF(0, row.top, NAMES - 1, STRIP - _GAP), colours["header"])
        threads, _, drafter = row.strip.arm.partition(" (")[2].partition(") by ")
        method, settings = arm_words(row.strip.arm)
        told = "  ·  ".join(text for text in (drafter, row.strip.source) if text)
        font = QFont(self._font)
        height = self._metrics.height()
        settings, left = fitting(settings, self._metrics, NAMES - 16)
        lines = [method, settings, " · ".join(text for text in (left, told or threads.rstrip(")")) if text)]
        for place, text in enumerate(line for line in lines if line):
            font.setBold(place == 0)
            painter.setFont(font)
            painter.setPen(colours["text" if place == 0 else "muted"])
            shown = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, NAMES - 16)
            box = QRectF(8, row.top + 2 + place * height, NAMES - 12, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, shown)
        painter.setFont(self._font)

    def _draw_moments(self, painter: QPainter, row: _Row) -> None:
        colours, request = self._colours, row.strip.request
        if request.asked is None:
            return
        if request.decode is not None:
            x = round(NAMES + self.axis.x(request.decode - request.asked)) + 0.5
            painter.setPen(QPen(colours["focus"], 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, row.top), QPointF(x, row.top + STRIP - _GAP))
        if request.end is not None:
            x = NAMES + self.axis.x(request.end - request.asked)
            text = duration_label(request.end - request.asked)
            painter.setPen(QPen(colours["focus"], 2))
            painter.drawLine(QPointF(x + 1, row.top), QPointF(x + 1, row.top + STRIP - _GAP))
            room = self._metrics.horizontalAdvance(text) + 8
            at = x + 5 if x + 5 + room < NAMES + self.axis.width else x - room
            box = QRectF(at, row.top + _LANES["audio"], room, _LANES["drafter"])
            painter.fillRect(box, colours.translucent("background", 225))
            painter.setPen(colours["text"])
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _step(self, by: int) -> None:
        """Go to another strip, and say it."""
        if not self.rows:
            return
        self._at = min(max(self._at + by, 0), len(self.rows) - 1)
        row = self.rows[self._at]
        self.ensureVisible(QRectF(0, row.top, 1, STRIP), 0, round(RULER))
        text = _told(row.strip)
        self.setAccessibleDescription(text)
        self.looked_at.emit(text)

    def _told_at(self, point: QPointF) -> str:
        for row in self.rows:
            if point.x() < NAMES and row.top <= point.y() < row.top + STRIP - _GAP:
                return _told(row.strip)
            for lane in row.lanes:
                if lane.isVisible() and lane.contains_y(point.y()):
                    place = lane.local(point).x()
                    inside = 0 <= place <= lane.boundingRect().width()
                    return lane.tip(place).replace("\n", " ") if inside else ""
        return ""


def _told(strip: Strip) -> str:
    """A strip in words: the arm, where it decoded, and how long."""
    method, settings = arm_words(strip.arm)
    _, bracket, rest = strip.arm.partition(" (")
    parts = [f"{method}{bracket}{rest}", settings, strip.source]
    asked, end = strip.request.asked, strip.request.end
    if asked is not None and end is not None:
        parts.append(duration_label(end - asked))
    return "  ·  ".join(part for part in parts if part)
