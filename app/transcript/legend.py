"""What the lines under the text mean, with how many tokens there are of each kind."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from as2d.app.elided import ElidedLabel
from as2d.app.theme.theme import Theme
from as2d.app.transcript.origins import KINDS, Kind, colour_of, kind_name
from as2d.app.translation import tr


class _Sample(QWidget):
    """A stretch of the line that a kind has under its text."""

    def __init__(self, kind: Kind, theme: Theme) -> None:
        super().__init__()
        self._kind = kind
        self._theme = theme
        self.setFixedSize(QSize(26, 16))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = colour_of(self._kind, self._theme)
        if self._kind == "correction":
            ground = QColor(colour)
            ground.setAlpha(52)
            painter.fillRect(self.rect(), ground)
            painter.setPen(QPen(colour, 1.4))
            for x in range(1, self.width() - 4, 6):
                painter.drawLine(x, 13, x + 3, 10)
                painter.drawLine(x + 3, 10, x + 6, 13)
            return
        styles = {"target-only": Qt.PenStyle.DotLine, "edited": Qt.PenStyle.DashLine}
        style = styles.get(self._kind, Qt.PenStyle.SolidLine)
        painter.setPen(QPen(colour, 2, style))
        painter.drawLine(1, 12, self.width() - 1, 12)


class Legend(QWidget):
    """A row of samples, names and counts."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("footer")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(tr("Where the tokens came from"))
        self._counts: dict[Kind, QLabel] = {}
        self._edited: list[QWidget] = []
        layout = QHBoxLayout(self)
        layout.setContentsMargins(22, 6, 12, 6)
        layout.setSpacing(5)
        for place, kind in enumerate(KINDS):
            if place:
                layout.addSpacing(5)
            sample = _Sample(kind, theme)
            name = ElidedLabel()
            name.setText(kind_name(kind))
            count = QLabel()
            for label in (name, count):
                label.setObjectName("secondary")
            count.setMinimumWidth(count.fontMetrics().horizontalAdvance("000"))  # it grows during a run
            self._counts[kind] = count
            if kind == "edited":
                self._edited = [sample, name, count]
            for widget in (sample, name, count):
                layout.addWidget(widget)
            theme.changed.connect(sample.update)
        layout.addStretch(1)
        self.count(Counter())

    def count(self, counts: Counter[Kind]) -> None:
        """Show how many tokens there are of each kind."""
        for kind, label in self._counts.items():
            label.setText(str(counts[kind]) if counts.total() else "")
        for widget in self._edited:
            widget.setVisible(counts["edited"] > 0)

    def counted(self) -> dict[Kind, int]:
        """How many tokens are shown of each kind."""
        return {kind: int(label.text()) for kind, label in self._counts.items() if label.text()}
