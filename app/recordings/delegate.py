"""Draws a recording of the list: state, name, what there is to say, progress."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from as2d.app.recordings.list_model import ITEM_ROLE
from as2d.app.recordings.words import details_of
from as2d.app.theme.icons import draw_icon
from as2d.app.theme.theme import Theme
from as2d.app.viewmodels.recordings import RecordingItem

_HEIGHT = 50
_MARGIN = 10.0
_ICON = 18.0
_ICONS = {
    "waiting": "clock",
    "active": "wave",
    "done": "check",
    "failed": "warning",
    "refused": "warning",
    "cancelled": "minus",
}


class RecordingDelegate(QStyledItemDelegate):
    """One row a recording; states differ by icon and words, not by colour alone."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(
        self,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,  # noqa: ARG002  (all rows are alike)
    ) -> QSize:
        """Rows of one height, that of two lines of text."""
        metrics = option.fontMetrics
        return QSize(160, max(_HEIGHT, 2 * metrics.height() + 16))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the row."""
        item = index.data(ITEM_ROLE)
        if not isinstance(item, RecordingItem):
            return
        rect = QRectF(option.rect)
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._draw_ground(painter, rect, state)
        colours = self._theme.colours
        mark = {
            "done": colours.success,
            "failed": colours.danger,
            "refused": colours.danger,
            "active": colours.accent,
        }.get(item.status, colours.secondary)
        icon = QRectF(rect.left() + _MARGIN, rect.center().y() - _ICON / 2, _ICON, _ICON)
        draw_icon(_ICONS[item.status], mark, painter, icon)
        left = icon.right() + _MARGIN
        self._draw_texts(
            painter, option.font, item, QRectF(left, rect.top(), rect.right() - left - _MARGIN, rect.height())
        )
        painter.restore()

    def _draw_ground(self, painter: QPainter, rect: QRectF, state: QStyle.StateFlag) -> None:
        colours = self._theme.colours
        inner = rect.adjusted(4, 1, -4, -1)
        painter.setPen(Qt.PenStyle.NoPen)
        if state & QStyle.StateFlag.State_Selected:
            painter.setBrush(QColor(colours.selected))
            painter.drawRoundedRect(inner, 6, 6)
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(QColor(colours.hover))
            painter.drawRoundedRect(inner, 6, 6)
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(QColor(colours.focus))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inner, 6, 6)

    def _draw_texts(self, painter: QPainter, font: QFont, item: RecordingItem, rect: QRectF) -> None:
        colours = self._theme.colours
        small = QFont(font)
        small.setPixelSize(max(QFontMetrics(font).height() * 11 // 16, 11))
        half = rect.height() / 2
        upper = QRectF(rect.left(), rect.top() + 4, rect.width(), half - 4)
        lower = QRectF(rect.left(), rect.top() + half, rect.width(), half - 6)
        vertical = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.setFont(font)
        painter.setPen(QColor(colours.text))
        name = QFontMetrics(font).elidedText(item.name, Qt.TextElideMode.ElideMiddle, int(rect.width()))
        painter.drawText(upper, vertical, name)
        painter.setFont(small)
        painter.setPen(QColor(colours.danger if item.message is not None else colours.secondary))
        details = details_of(item)
        shown = QFontMetrics(small).elidedText(details, Qt.TextElideMode.ElideRight, int(rect.width()))
        fraction = item.fraction
        if item.status == "active" and fraction is not None:
            lower.setHeight(lower.height() - 3)
            track = QRectF(rect.left(), rect.bottom() - 7, rect.width(), 3)
            painter.drawText(lower, vertical, shown)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.border))
            painter.drawRoundedRect(track, 1.5, 1.5)
            track.setWidth(track.width() * fraction)
            painter.setBrush(QColor(colours.accent))
            painter.drawRoundedRect(track, 1.5, 1.5)
        else:
            painter.drawText(lower, vertical, shown)
