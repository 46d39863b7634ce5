"""Distributions of a comparison: how many windows are how much faster, and each window by itself."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from as2d.app.recordings.dropping import pass_drops_on
from as2d.app.theme.axes import dress_axis
from as2d.app.theme.colours import Colours
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.comparison_plots import Series

COLOURS = ("accepted", "correction", "target-only", "guard", "encode", "draft", "ready")
SYMBOLS = ("o", "t", "s", "d", "star", "+", "x")
DASHES = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)
_REACH = 14.0


class ComparisonPlots(QWidget):
    """ECDF of the speed-up on the left, each window against the reference's time on the right."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._theme = theme
        self._series: Sequence[Series] = ()
        self._windows: Sequence[str] = ()
        self.distribution = _Plot(
            tr("Share of the windows that are at most so much faster"),
            tr("speed-up, ×"),
            tr("share of the windows, %"),
        )
        self.distribution.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.windows = _Plot(
            tr("Each window: its speed-up by the reference's decode time"),
            tr("decode time of the reference, ms"),
            tr("speed-up, ×"),
        )
        self.windows.pointed.connect(self._tell)
        self.windows.stepped.connect(self._step)
        self._place = -1
        self.told = QLabel()
        self.told.setObjectName("note")
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        self.legend = QLabel()
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.distribution, 1)
        row.addWidget(self.windows, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 6)
        layout.setSpacing(4)
        layout.addWidget(self.legend)
        layout.addLayout(row, 1)
        layout.addWidget(self.told)
        theme.changed.connect(self._draw)

    def show_series(self, series: Sequence[Series], windows: Sequence[str]) -> None:
        """Draw these; `windows` are the names of the windows."""
        self._series, self._windows = series, windows
        self._place = -1
        self._draw()

    def _draw(self) -> None:
        data, colours = self._theme.data, self._theme.colours
        for plot in (self.distribution, self.windows):
            plot.restart(colours)
        texts = []
        for place, series in enumerate(self._series):
            colour = data[COLOURS[place % len(COLOURS)]]
            turn = place // len(COLOURS)  # another round of the colours has other signs and dashes
            symbol = SYMBOLS[(place + turn) % len(SYMBOLS)]
            values = np.array(series.speed_ups)
            known = np.isfinite(values)
            steps = np.sort(values[known])
            shares = 100 * np.arange(1, len(steps) + 1) / max(len(steps), 1)
            pen = pg.mkPen(colour, width=2, style=DASHES[turn % len(DASHES)])
            if len(steps):
                xs = np.concatenate([[steps[0]], steps])
                ys = np.concatenate([[0.0], shares])
                self.distribution.plotItem.plot(
                    np.repeat(xs, 2)[1:], np.repeat(ys, 2)[:-1], pen=pen, connect="finite"
                )
            self.windows.plotItem.plot(
                np.array(series.reference_ms)[known], values[known], pen=None, symbol=symbol, symbolSize=7,
                symbolBrush=QColor(colour), symbolPen=pg.mkPen(colours.surface, width=1),
            )  # fmt: skip
            sign = {"o": "●", "t": "▼", "s": "■", "d": "◆", "star": "★", "+": "+", "x": "×"}[symbol]
            name = html.escape(series.name).replace(" ", "&nbsp;").replace("-", "\u2011")
            texts.append(f'<span style="color:{colour}">{sign}</span>&nbsp;{name}')
        self.legend.setText("&nbsp;&nbsp; ".join(texts))
        for plot, angle in ((self.distribution, 90), (self.windows, 0)):
            line = pg.InfiniteLine(1.0, angle=angle, pen=pg.mkPen(colours.secondary, width=1))
            plot.plotItem.addItem(line, ignoreBounds=True)
        self.told.setText("")

    def _step(self, by: int) -> None:
        """Go from point to point by the keyboard, arm by arm and from the shortest window to the longest."""
        points = [
            (number, place)
            for number, series in enumerate(self._series)
            for place in np.argsort(series.reference_ms)
            if np.isfinite(series.reference_ms[place]) and np.isfinite(series.speed_ups[place])
        ]
        if points:
            self._place = min(max(self._place + by, 0), len(points) - 1)
            number, place = points[self._place]
            text = self._told(self._series[number], place)
            self.told.setText(text)
            self.windows.setAccessibleDescription(text)

    def _told(self, series: Series, place: int) -> str:
        return f"{self._windows[place]}  ·  {series.name}  ·  {series.speed_ups[place]:.2f} ×"

    def _tell(self, at: QPointF) -> None:
        """The window nearest to the pointer."""
        box, ((left, right), (low, high)) = self.windows.drawn()
        nearest, text = _REACH**2, ""
        if right <= left or high <= low or not box.isValid():
            self.told.setText(text)
            return
        for series in self._series:
            xs, ys = np.array(series.reference_ms), np.array(series.speed_ups)
            across = box.left() + (xs - left) / (right - left) * box.width() - at.x()
            down = box.bottom() - (ys - low) / (high - low) * box.height() - at.y()
            away = across**2 + down**2
            if not np.isfinite(away).any():
                continue
            place = int(np.nanargmin(away))
            if away[place] <= nearest:
                nearest = float(away[place])
                text = self._told(series, place)
        self.told.setText(text)


class _Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot that stands still; `pointed` tells where the pointer is, in its scene, `stepped` that Left or
    Right was pressed.
    """

    pointed = Signal(QPointF)
    stepped = Signal(int)

    def __init__(self, name: str, bottom: str, left: str) -> None:
        super().__init__(background=None)
        pass_drops_on(self)
        self._labels = {"bottom": bottom, "left": left}
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMenuEnabled(False)
        self.hideButtons()
        self.plotItem.setMouseEnabled(x=False, y=False)
        self.setFrameShape(self.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setMinimumHeight(120)

    def drawn(self) -> tuple[QRectF, tuple[tuple[float, float], tuple[float, float]]]:
        """Where the points lie in the scene, and which values its edges are."""
        (left, right), (low, high) = self.plotItem.vb.viewRange()
        return self.plotItem.vb.sceneBoundingRect(), ((left, right), (low, high))

    def restart(self, colours: Colours) -> None:
        """Empty it, in these colours."""
        self.plotItem.clear()
        for side, label in self._labels.items():
            axis = self.getAxis(side)
            dress_axis(axis, colours, self.font(), label)
            axis.setStyle(tickLength=-4)
        self.showGrid(x=True, y=True, alpha=0.18)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self.pointed.emit(self.mapToScene(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
        else:
            self.stepped.emit(step)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed.emit(QPointF(-1e6, -1e6))

    def wheelEvent(self, event: object) -> None:
        event.ignore()  # type: ignore[attr-defined]
