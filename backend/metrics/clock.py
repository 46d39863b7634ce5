"""The clock of a run's time axis."""

from __future__ import annotations

from as2d.backend.protocol.message import NANOSECONDS


class RunClock:
    """Maps the helper's times to the axis: as they are, but going on where the device started anew."""

    def __init__(self) -> None:
        self.last: int | None = None
        """The latest time seen so far."""
        self._shift = 0

    def at(self, t: int) -> int:
        """The place of a time on the axis."""
        shifted = t + self._shift
        if self.last is None or shifted > self.last:
            self.last = shifted
        return shifted

    def restarted(self, t: int) -> None:
        """A helper greeted at this time of its clock; one that lies back is that of a restarted device."""
        if self.last is not None and t + self._shift < self.last - NANOSECONDS:
            self._shift = self.last - t + NANOSECONDS
