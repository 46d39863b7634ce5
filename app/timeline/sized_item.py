"""An item of the timeline whose size in pixels the layout gives."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QGraphicsItem


class SizedItem(QGraphicsItem):
    """Its rectangle begins at (0, 0) and is at least a pixel wide and high."""

    def __init__(self) -> None:
        super().__init__()
        self._rect = QRectF(0, 0, 1, 1)

    def set_size(self, width: float, height: float) -> None:
        """Give it a size in pixels."""
        self.prepareGeometryChange()
        self._rect = QRectF(0, 0, max(width, 1), max(height, 1))

    def boundingRect(self) -> QRectF:
        return self._rect
