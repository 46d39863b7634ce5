"""Lanes of a value over time: candidates ready, acceptance, tokens a second, temperature, power."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPolygonF

from as2d.app.timeline.lane import FOLDED_HEIGHT, Lane, View
from as2d.app.timeline.projection import Kept
from as2d.app.timeline.raster import draw_extent
from as2d.app.viewmodels.series import Series, extent

_RANGES = (1, 2, 3, 4, 5, 6, 8)


@dataclass
class Counter:
    """Where a counter comes from: its series, how a value reads, the colour, whether it follows the words in
    audio time, fixed bounds if any, whether its scale begins at zero, and why there are no values.
    """

    series: Callable[[], Series]
    text: Callable[[float], str]
    colour: str
    heard: bool = True
    bounds: tuple[float, float] | None = None
    from_zero: bool = True
    missing: Callable[[], str | None] = lambda: None
    ticks: Callable[[], NDArray[np.int64] | None] = lambda: None


class CounterLane(Lane):
    """A lane of a value over time."""

    smallest, preferred, largest = 18, 30, 150

    def __init__(self, view: View, key: str, title: str, about: str, counter: Counter) -> None:
        super().__init__(view, key, title, about)
        self._counter = counter
        self._bounds = counter.bounds or (0.0, 1.0)
        self._projected = Kept(self._in_audio_time)

    @property
    def state(self) -> str:
        if self._counter.missing() is not None or not len(self._counter.series()):
            return ""
        return self._counter.text(self._bounds[1])

    @property
    def wish(self) -> tuple[float, float, float]:
        if self._counter.missing() is not None and not self.folded:
            return self.smallest, self.smallest, self.smallest
        return super().wish

    def draw(self, painter: QPainter) -> None:
        missing = self._counter.missing()
        if missing is not None:
            return
        columns = self.columns()
        times, values = self._samples()
        low, high = extent(times, values, self.view.axis.edges(columns))
        self._bounds = self._counter.bounds or _scale(low, high, self._counter.from_zero)
        colours = self.view.colours
        draw_extent(
            painter,
            QRectF(0, 1, self._rect.width(), self.height - 2),
            low,
            high,
            self._bounds,
            self.rows(2),
            colours.argb(self._counter.colour),
            colours.argb(self._counter.colour, 60),
            max(1, round(1.4 * self.view.ratio)),
        )
        self._draw_ticks(painter)

    def tip(self, x: float) -> str:
        missing = self._counter.missing()
        return missing if missing is not None else self.value_text(self.view.axis.t(x))

    def value_text(self, t: int) -> str:
        times, values = self._samples()
        row = int(np.searchsorted(times, t, "right")) - 1
        if row < 0 or np.isnan(values[row]):
            return ""
        return self._counter.text(float(values[row]))

    def _samples(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        series = self._counter.series()
        if not self.view.audio_time:
            return series.times, series.values
        return self._projected.get(self.view.model.version)

    def _in_audio_time(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        series, audio_time = self._counter.series(), self.view.model.audio_time
        times = (audio_time.heard if self._counter.heard else audio_time.worked)(series.times)
        order = np.argsort(times, kind="stable")
        return times[order], series.values[order]

    def draw_above(self, painter: QPainter) -> None:
        missing = self._counter.missing()
        if missing is None or self.height <= FOLDED_HEIGHT:
            return
        metrics = self.view.metrics
        shown = metrics.elidedText(missing, Qt.TextElideMode.ElideRight, self._rect.width() - 16)
        plate = QRectF(4, 1, metrics.horizontalAdvance(shown) + 8, self.height - 2)
        painter.fillRect(plate, self.view.colours["lane"])
        painter.setPen(self.view.colours["muted"])
        painter.drawText(self._rect.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter, shown)

    def _draw_ticks(self, painter: QPainter) -> None:
        """Moments at the upper edge, as small triangles, where they are few enough to be told apart."""
        times = self._counter.ticks()
        if times is None or self.view.audio_time or self.height <= FOLDED_HEIGHT:
            return
        axis = self.view.axis
        first, last = (int(place) for place in np.searchsorted(times, [axis.begin, axis.end]))
        if last - first > self._rect.width() / 8:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.view.colours["muted"])
        for t in times[first:last].tolist():
            x = axis.x(t)
            painter.drawPolygon(QPolygonF([QPointF(x - 3, 1), QPointF(x + 3, 1), QPointF(x, 6)]))
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _scale(low: NDArray[np.float32], high: NDArray[np.float32], from_zero: bool) -> tuple[float, float]:
    """Round bounds around the values."""
    known = ~np.isnan(high)
    if not known.any():
        return 0.0, 1.0
    most = float(high[known].max())
    if from_zero:
        return 0.0, _round_up(most)
    least = float(low[known].min())
    return float(np.floor(least - 1)), float(np.ceil(most + 1))


def _round_up(value: float) -> float:
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next((step * power for step in _RANGES if step * power >= value), 10 * power))
