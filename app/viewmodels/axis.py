"""The time axis: what is visible, zooming, panning, and where its ticks lie."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NARROWEST_NS = 20_000
WIDEST_NS = 400 * 3600 * 10**9
_STEPS = (1, 2, 5)
_MINUTES = (60, 120, 300, 600, 900, 1800, 3600, 7200, 18000, 36000)


@dataclass(frozen=True)
class Tick:
    """A labelled moment on the axis."""

    t: int
    label: str


@dataclass(frozen=True)
class TimeAxis:
    """The visible span from `begin` to `end` (ns) over `width` pixels."""

    begin: int
    end: int
    width: int

    @property
    def ns_per_pixel(self) -> float:
        """How much time a pixel holds."""
        return (self.end - self.begin) / max(self.width, 1)

    def x(self, t: float) -> float:
        """The pixel of a time."""
        return (t - self.begin) / self.ns_per_pixel

    def t(self, x: float) -> int:
        """The time at a pixel."""
        return self.begin + round(x * self.ns_per_pixel)

    def edges(self, columns: int) -> NDArray[np.int64]:
        """The times of the edges of `columns` equal columns."""
        places = np.arange(columns + 1) * ((self.end - self.begin) / columns)
        edges: NDArray[np.int64] = np.rint(places).astype(np.int64) + self.begin
        return edges

    def zoomed(self, factor: float, at_x: float) -> TimeAxis:
        """Show `factor` times as much time, the time under a pixel staying there."""
        span = (self.end - self.begin) * factor
        span = min(max(span, NARROWEST_NS), WIDEST_NS)
        fixed = self.t(at_x)
        begin = fixed - round(span * at_x / max(self.width, 1))
        return TimeAxis(begin, begin + round(span), self.width)

    def panned(self, pixels: float) -> TimeAxis:
        """Show what lies so many pixels later."""
        by = round(pixels * self.ns_per_pixel)
        return TimeAxis(self.begin + by, self.end + by, self.width)

    def resized(self, width: int) -> TimeAxis:
        """The same span over another width."""
        return TimeAxis(self.begin, self.end, max(width, 1))

    def kept_near(self, span: tuple[int, int]) -> TimeAxis:
        """Moved back so that a part of `span` stays visible."""
        margin = (self.end - self.begin) // 10
        by = 0
        if self.begin > span[1] - margin:
            by = span[1] - margin - self.begin
        elif self.end < span[0] + margin:
            by = span[0] + margin - self.end
        return TimeAxis(self.begin + by, self.end + by, self.width)

    def ticks(self, origin: int, apart: int = 96) -> list[Tick]:
        """Round times since `origin`, at least `apart` pixels apart."""
        step = _round_up(self.ns_per_pixel * apart)
        first = -(-(self.begin - origin) // step)
        last = (self.end - origin) // step
        return [Tick(origin + n * step, tick_label(n * step, step)) for n in range(first, last + 1)]


def fitted(span: tuple[int, int], width: int, margin: float = 0.01) -> TimeAxis:
    """An axis that shows a span whole."""
    length = max(span[1] - span[0], NARROWEST_NS)
    spare = round(length * margin)
    return TimeAxis(span[0] - spare, span[0] + length + spare, max(width, 1))


def tick_label(ns: int, step: int) -> str:
    """A time since the origin, as exact as the steps between ticks need it."""
    if step >= 60 * 10**9 or abs(ns) >= 600 * 10**9:
        sign, seconds = ("-" if ns < 0 else ""), abs(ns) / 1e9
        hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
        digits = max(0, min(6, 9 - int(math.log10(step)))) if step < 10**9 else 0
        rest = f"{seconds % 60:0{3 + digits if digits else 2}.{digits}f}"
        return f"{sign}{hours}:{minutes:02d}:{rest}" if hours else f"{sign}{minutes}:{rest}"
    if step >= 10**9:
        return f"{ns // 10**9} s"
    if abs(ns) >= 10**9 or step >= 10**8:
        return f"{ns / 1e9:.{max(0, 9 - int(math.log10(step)))}f} s"
    if step >= 10**6:
        return f"{ns // 10**6} ms"
    return f"{ns / 1e6:.{max(0, 6 - int(math.log10(step)))}f} ms"


def duration_label(ns: float) -> str:
    """A length of time with its unit, three digits where they matter."""
    for limit, unit, name in ((1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms"), (60e9, 1e9, "s")):
        if abs(ns) < limit:
            value = ns / unit
            return f"{value:.{2 if abs(value) < 10 else 1 if abs(value) < 100 else 0}f} {name}"
    seconds = round(ns / 1e9)
    hours, minutes = seconds // 3600, seconds % 3600 // 60
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {seconds % 60:02d} s"


def _round_up(ns: float) -> int:
    if ns > 30e9:
        return next((s for s in _MINUTES if s * 1e9 >= ns), -(-int(ns) // (36000 * 10**9)) * 36000) * 10**9
    power = int(10 ** math.floor(math.log10(max(ns, 1000))))
    return next((power * step for step in _STEPS if power * step >= ns), power * 10)
