"""While the microphone records: how loud it is, how long it has been, and the button that ends it."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from as2d.app.microphone.recorder import Recorder
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.clock import clock_text

_FLOOR_DB = -54.0
_HIGH_DB = -9.0
_CLIP_DB = -0.3
_SILENT_S = 2.5


class LevelMeter(QWidget):
    """A bar from -54 to 0 dB of full scale; the end of its colour says too loud, and so does its name."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._db = _FLOOR_DB
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Level of the microphone"))
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A thin bar."""
        return QSize(120, 10)

    @property
    def decibels(self) -> float:
        """What is shown, dB of full scale."""
        return self._db

    def show_level(self, level: float) -> None:
        """Show a peak of 0 to 1."""
        self._db = max(_FLOOR_DB, 20 * math.log10(level)) if level > 0 else _FLOOR_DB
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        """The bar, with a mark where it gets too loud."""
        colours = self._theme.colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = QRectF(0, 0, self.width(), self.height())
        painter.setBrush(QColor(colours.hover))
        painter.drawRoundedRect(whole, 3, 3)
        share = (self._db - _FLOOR_DB) / -_FLOOR_DB
        colour = colours.danger if self._db > _CLIP_DB else colours.success
        painter.setBrush(QColor(colour))
        painter.drawRoundedRect(QRectF(0, 0, whole.width() * share, whole.height()), 3, 3)
        painter.setBrush(QColor(colours.text))
        x = whole.width() * (_HIGH_DB - _FLOOR_DB) / -_FLOOR_DB
        painter.drawRect(QRectF(x, 0, 1, whole.height()))


class MicrophoneStrip(QWidget):
    """Shows a `Recorder` while it records."""

    def __init__(self, recorder: Recorder, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("footer")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._recorder = recorder
        self.text = QLabel()
        self.hint = QLabel()
        self.hint.setObjectName("secondary")
        self.hint.setWordWrap(True)
        self.meter = LevelMeter(theme)
        self.stop = QPushButton(tr("Stop"))
        self.stop.clicked.connect(recorder.stop)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.text, 1)
        row.addWidget(self.stop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 10, 8)
        layout.setSpacing(6)
        layout.addLayout(row)
        layout.addWidget(self.meter)
        layout.addWidget(self.hint)
        recorder.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        state = self._recorder.state
        self.setVisible(state is not None)
        if state is None:
            return
        begun = state.elapsed_s > 0
        text = tr("● Recording {time}", time=clock_text(int(state.elapsed_s))) if begun else tr("Starting …")
        if text != self.text.text():
            self.text.setText(text)
        self.meter.show_level(state.level)
        silent = state.silent_s > _SILENT_S
        self.hint.setVisible(silent)
        if silent:
            self.hint.setText(tr("Nothing is heard: is the microphone muted?"))
