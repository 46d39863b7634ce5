"""The picker of devices: each with its state in words, and what to do, below its name."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QComboBox, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from as2d.app.theme.theme import Theme

_WIDTH = 380
_EDGE = 10
_DETAIL_PIXELS = 11


class DevicePicker(QComboBox):
    """A combo box whose list has two lines an entry; the second is the entry's tooltip."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setItemDelegate(_TwoLines(theme, self))
        self.view().setTextElideMode(Qt.TextElideMode.ElideNone)

    def showPopup(self) -> None:
        """Open the list, wide enough for its sentences."""
        self.view().setMinimumWidth(max(_WIDTH, self.width()))
        super().showPopup()


class _TwoLines(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: DevicePicker) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """As high as name and sentence need."""
        detail = str(index.data(Qt.ItemDataRole.ToolTipRole) or "")
        height = option.fontMetrics.height() + 12
        if detail:
            height += self._wrapped(option, detail).height() + 2
        return QSize(_WIDTH, height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the two lines."""
        colours = self._theme.colours
        rect: QRect = option.rect
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(colours.selected))
        enabled = bool(state & QStyle.StateFlag.State_Enabled)
        painter.setPen(QColor(colours.text if enabled else colours.secondary))
        name = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
        painter.setFont(option.font)
        line = rect.adjusted(_EDGE, 5, -_EDGE, 0)
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, name)
        detail = str(index.data(Qt.ItemDataRole.ToolTipRole) or "")
        if detail:
            font = painter.font()
            font.setPixelSize(_DETAIL_PIXELS)
            painter.setFont(font)
            painter.setPen(QColor(colours.secondary))
            below = line.adjusted(0, option.fontMetrics.height() + 2, 0, 0)
            painter.drawText(below, int(Qt.TextFlag.TextWordWrap), detail)

    def _wrapped(self, option: QStyleOptionViewItem, text: str) -> QRect:
        font = option.font
        font.setPixelSize(_DETAIL_PIXELS)
        room = QRect(0, 0, _WIDTH - 2 * _EDGE - 8, 1000)
        return QFontMetrics(font).boundingRect(room, int(Qt.TextFlag.TextWordWrap), text)
