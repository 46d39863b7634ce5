"""The name of a lane at its left, with its signs for folding and pinning."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from as2d.app.timeline.lane import Lane

WIDTH = 124.0
_SIGN = 18.0
_LOWEST = 14.0


class Header(QGraphicsItem):
    """Paints the name of a lane; a click on the triangle folds it, on the pin pins it."""

    def __init__(self, lane: Lane) -> None:
        super().__init__()
        self.lane = lane
        self.focused = False
        self.plain = False
        """Without the signs for folding and pinning, as on paper."""
        self.setZValue(2)

    def boundingRect(self) -> QRectF:
        return QRectF(0, 0, WIDTH, self.lane.height)

    def part_at(self, x: float) -> str:
        """What lies at a pixel: `fold`, `pin` or `name`."""
        if x < _SIGN:
            return "fold"
        return "pin" if x >= WIDTH - _SIGN else "name"

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,  # noqa: ARG002
        widget: QWidget | None = None,  # noqa: ARG002
    ) -> None:
        view, height = self.lane.view, self.lane.height
        colours = view.colours
        painter.fillRect(QRectF(0, 0, WIDTH, height - 1), colours["header"])
        if self.focused:
            painter.fillRect(QRectF(0, 0, 3, height - 1), colours["selection"])
        line = view.metrics.height()
        two_lines = height >= 2 * line and bool(self.lane.state)
        # The first line: in the middle of a low lane, near the top of a high one; its signs are beside it.
        middle = min((height - 1) / 2 - (line / 2 if two_lines else 0), _LOWEST)
        if not self.plain:
            self._draw_triangle(painter, QPointF(10, middle))
            self._draw_pin(painter, QPointF(WIDTH - 10, middle))
        painter.setFont(view.font)
        painter.setPen(colours["muted" if self.lane.folded else "text"])
        name = QRectF(_SIGN + 2, middle - line / 2, WIDTH - 2 * _SIGN, line)
        painter.drawText(name, Qt.AlignmentFlag.AlignVCenter, self.lane.title)
        if two_lines:
            painter.setPen(colours["muted"])
            below = name.adjusted(0, line - 1, _SIGN, line - 1)
            painter.drawText(below, Qt.AlignmentFlag.AlignVCenter, f"≤ {self.lane.state}")

    def _draw_triangle(self, painter: QPainter, at: QPointF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.lane.view.colours["muted"])
        points = ((-3, -4), (3, 0), (-3, 4)) if self.lane.folded else ((-4, -3), (4, -3), (0, 3))
        painter.drawPolygon(QPolygonF([at + QPointF(x, y) for x, y in points]))
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _draw_pin(self, painter: QPainter, at: QPointF) -> None:
        colours = self.lane.view.colours
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(colours["selection" if self.lane.pinned else "muted"], 1.4))
        if self.lane.pinned:
            painter.setBrush(colours["selection"])
        painter.drawEllipse(at + QPointF(0, -2), 2.6, 2.6)
        painter.drawLine(at + QPointF(0, 1), at + QPointF(0, 5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
