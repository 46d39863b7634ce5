"""Sums by the second of bars that are no longer kept one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from as2d.backend.protocol.message import NANOSECONDS


class Archive:
    """Nanoseconds of each kind in each second since the first bar; ten hours take a megabyte a kind."""

    def __init__(self, kinds: int) -> None:
        self._kinds = kinds
        self._first = 0
        self._bins = np.zeros((kinds, 0), np.int64)
        self._end = 0

    @property
    def span(self) -> tuple[int, int] | None:
        """From the first begin to the last end of what it holds."""
        return (self._first, self._end) if self._end else None

    def add(self, begins: NDArray[np.int64], ends: NDArray[np.int64], kinds: NDArray[np.uint8]) -> None:
        """Take bars that lie behind all that were added before."""
        if not len(begins):
            return
        if not self._end:
            self._first = int(begins[0])
        self._end = max(self._end, int(ends.max()))
        count = max(1, -(-(self._end - self._first) // NANOSECONDS))
        grown = np.zeros((self._kinds, count), np.int64)
        grown[:, : self._bins.shape[1]] = self._bins
        # A bar over several seconds is cut at each; most lie in one.
        while len(begins):
            place = np.minimum((begins - self._first) // NANOSECONDS, count - 1)
            cut = np.minimum(ends, self._first + (place + 1) * NANOSECONDS)
            np.add.at(grown, (kinds, place), cut - begins)
            more = ends > cut
            begins, ends, kinds = cut[more], ends[more], kinds[more]
        self._bins = grown

    def coverage(self, edges: NDArray[np.int64]) -> NDArray[np.int64]:
        """As `Bars.coverage`; within a second the bars count as spread evenly."""
        marks = self._first + np.arange(self._bins.shape[1] + 1, dtype=np.int64) * NANOSECONDS
        sums = np.zeros((self._kinds, len(marks)), np.int64)
        np.cumsum(self._bins, axis=1, out=sums[:, 1:])
        found: NDArray[Any] = np.empty((self._kinds, len(edges)), np.int64)
        for kind in range(self._kinds):
            found[kind] = np.rint(np.interp(edges, marks, sums[kind]))
        return np.diff(found, axis=1)


class CountArchive:
    """Counts by the second: calls, candidates and tokens of calls that are no longer kept one by one."""

    def __init__(self) -> None:
        self._first: int | None = None
        self._bins: dict[str, NDArray[np.int64]] = {}

    def add(self, times: NDArray[np.int64], name: str, counts: NDArray[Any]) -> None:
        """Add what was counted at these times."""
        if not len(times):
            return
        if self._first is None:
            self._first = int(times[0])
        place = np.maximum((times - self._first) // NANOSECONDS, 0)
        bins = self._bins.get(name, np.zeros(0, np.int64))
        grown = np.zeros(max(len(bins), int(place.max()) + 1), np.int64)
        grown[: len(bins)] = bins
        np.add.at(grown, place, counts.astype(np.int64))
        self._bins[name] = grown

    def within(self, begin: int, end: int, name: str) -> int:
        """The sum over the seconds that begin in a span."""
        bins = self._bins.get(name)
        if bins is None or self._first is None:
            return 0
        first = max(0, -(-(begin - self._first) // NANOSECONDS))
        last = max(first, -(-(end - self._first) // NANOSECONDS))
        return int(bins[first:last].sum())
