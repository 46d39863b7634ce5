"""The stretch of a recording that a strip shows. Knows no Qt."""

from __future__ import annotations

import math

from as2d.app.viewmodels.clock import clock_text

_NARROWEST_S = 0.5
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 36000)


class Span:
    """`begin` and `width` in seconds, within `length`."""

    def __init__(self) -> None:
        self.length = 0.0
        self.begin = 0.0
        self.width = 0.0

    def set_length(self, length: float) -> None:
        """Another length; who saw the whole still does."""
        if length != self.length:
            whole = self.width >= self.length
            self.length = length
            if whole or not length:
                self.fit()
            else:
                self._hold()

    def fit(self) -> None:
        """Show the whole recording."""
        self.begin, self.width = 0.0, self.length

    def zoom(self, factor: float, around: float) -> None:
        """Show `factor` times as much; the place `around` stays where it is."""
        if not self.length:
            return
        width = min(max(self.width * factor, min(_NARROWEST_S, self.length)), self.length)
        share = (around - self.begin) / self.width
        self.begin, self.width = around - share * width, width
        self._hold()

    def move(self, by: float) -> None:
        """Show what lies later, or earlier."""
        self.begin += by
        self._hold()

    def turn_to(self, seconds: float) -> bool:
        """Turn the page where a place is out of sight; whether that was so."""
        if self.begin <= seconds <= self.begin + self.width or not self.length:
            return False
        self.begin = seconds - 0.05 * self.width
        self._hold()
        return True

    def marks(self, most: float) -> list[float]:
        """Round times within the span, at most about so many."""
        if not self.width:
            return []
        step = next((own for own in _STEPS if self.width / own <= max(most, 1)), _STEPS[-1])
        first = math.ceil(self.begin / step - 1e-9)
        last = math.floor((self.begin + self.width) / step + 1e-9)
        return [number * step for number in range(first, last + 1)]

    def label(self, seconds: float, *, fine: bool = False) -> str:
        """A time as 0:07, with tenths where the span is narrow or `fine` is wanted."""
        return clock_text(seconds, tenths=fine or self.width < 5)

    def _hold(self) -> None:
        self.begin = max(0.0, min(self.begin, self.length - self.width))
