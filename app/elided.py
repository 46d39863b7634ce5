"""Texts that may be longer than their place: what does not fit is left out there, and told by their tips."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QStyle, QStyleOptionComboBox, QWidget

from as2d.app.plain import plain_tip

_BESIDE = 8  # pixels


def fitting(parts: str, metrics: QFontMetricsF, width: float) -> tuple[str, str]:
    """As many of the parts, which " · " parts, as have room in a line of `width` pixels, and the others."""
    words = parts.split(" · ")
    count = len(words)
    while count > 1 and metrics.horizontalAdvance(" · ".join(words[:count])) > width:
        count -= 1
    return " · ".join(words[:count]), " · ".join(words[count:])


class ElidedLabel(QLabel):
    """A plain text in one line; what does not fit is left out in the middle, where names differ least."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        """Show another text."""
        super().setText(text)
        self.setToolTip(plain_tip(text))

    def shown(self) -> str:
        """What is to be read of the text."""
        return self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideMiddle, self.contentsRect().width()
        )

    def minimumSizeHint(self) -> QSize:
        """Room for a few letters."""
        least = self.fontMetrics().horizontalAdvance("MMMM")
        hint = super().minimumSizeHint()
        return QSize(min(least, hint.width()), hint.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The whole text as a label does, which lets it be selected; else what fits."""
        shown = self.shown()
        if shown == self.text():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.contentsRect(), self.alignment(), shown)


class ElidedComboBox(QComboBox):
    """A list of choices of which the chosen one is shown as far as it fits, its end included."""

    def sizeHint(self) -> QSize:
        """Room for the longest choice, also where a style sheet leaves less beside it than it counts."""
        hint = super().sizeHint()
        return QSize(hint.width() + _BESIDE, hint.height())

    def shown(self) -> str:
        """What is to be read of the choice."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, field, self)
        return self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideMiddle, room.width() - _BESIDE // 2
        )

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """As a list of choices, with the shorter text."""
        painter = QPainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        self.style().drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option, painter, self)
        option.currentText = self.shown()
        self.style().drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option, painter, self)
