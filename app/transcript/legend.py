"""What the lines under the text mean, with how many tokens there are of each kind."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

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
        self._labels: dict[Kind, QLabel] = {}
        self._samples: dict[Kind, _Sample] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(22, 6, 12, 6)
        layout.setSpacing(8)
        for kind in KINDS:
            sample = _Sample(kind, theme)
            label = QLabel(kind_name(kind))
            label.setObjectName("secondary")
            self._labels[kind] = label
            self._samples[kind] = sample
            layout.addWidget(sample)
            layout.addWidget(label)
            layout.addSpacing(14)
            theme.changed.connect(sample.update)
        layout.addStretch(1)
        self.count(Counter())

    def labels(self) -> list[QLabel]:
        """The names with their counts."""
        return list(self._labels.values())

    def count(self, counts: Counter[Kind]) -> None:
        """Show how many tokens there are of each kind."""
        for kind, label in self._labels.items():
            name = kind_name(kind)
            label.setText(f"{name}  {counts[kind]}" if counts.total() else name)
            if kind == "edited":
                for widget in (label, self._samples[kind]):
                    widget.setVisible(counts[kind] > 0)
