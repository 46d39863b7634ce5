"""A value that holds until the next: counters and areas, with their extent in each pixel."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from as2d.app.viewmodels.columns import Column


class Series:
    """Samples in the order of time; not-a-number says that the value is unknown from there on."""

    def __init__(self) -> None:
        self._t = Column("i8")
        self._value = Column("f4")

    def __len__(self) -> int:
        return len(self._t)

    @property
    def times(self) -> NDArray[np.int64]:
        """Time of every sample, ns."""
        return self._t.values

    @property
    def values(self) -> NDArray[np.float32]:
        """Value of every sample."""
        return self._value.values

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self._t.nbytes + self._value.nbytes

    def append(self, t: int, value: float) -> None:
        """Add a sample; one that is out of order counts from the last one's time."""
        if len(self._t):
            t = max(t, int(self._t.values[-1]))
        self._t.append(t)
        self._value.append(value)

    def extend(self, times: NDArray[np.int64], values: NDArray[np.float32]) -> None:
        """Add samples that are in order and behind the others."""
        self._t.extend(times)
        self._value.extend(values)

    def at(self, t: int) -> float | None:
        """The value that held at a time; None where it is unknown."""
        row = int(np.searchsorted(self.times, t, "right")) - 1
        if row < 0 or np.isnan(self.values[row]):
            return None
        return float(self.values[row])

    def thin(self, keep: int) -> None:
        """Replace the older samples by the least and the most of each eight; `keep` newest stay."""
        old = (len(self) - keep) // 8 * 8
        if old <= 0:
            return
        blocks = self.values[:old].reshape(-1, 8)
        known = ~np.isnan(blocks)
        low = np.where(known, blocks, np.inf).argmin(axis=1)
        high = np.where(known, blocks, -np.inf).argmax(axis=1)
        pairs = np.sort(np.stack([low, high], axis=1), axis=1) + np.arange(len(blocks))[:, None] * 8
        rows = np.concatenate([pairs.reshape(-1), np.arange(old, len(self))])
        times, values = self.times[rows].copy(), self.values[rows].copy()
        self._t, self._value = Column("i8"), Column("f4")
        self._t.extend(times)
        self._value.extend(values)

    def extent(self, edges: NDArray[np.int64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The least and the most value between neighbouring edges, the one that held before included."""
        return extent(self.times, self.values, edges)

    def mean(self, begin: int, end: int) -> float | None:
        """The mean over a span, weighted by time; None where nothing is known."""
        inside = (self.times > begin) & (self.times < end)
        times = np.concatenate([[begin], self.times[inside], [end]])
        held = self.at(begin)
        values = np.concatenate([[np.nan if held is None else held], self.values[inside]])
        lengths = np.diff(times)
        known = ~np.isnan(values)
        whole = lengths[known].sum()
        return float((values[known] * lengths[known]).sum() / whole) if whole > 0 else None

    def integral(self, begin: int, end: int) -> float | None:
        """∫ value dt in value·seconds; None unless the value is known over the whole span."""
        first = int(np.searchsorted(self.times, begin, "right"))
        last = int(np.searchsorted(self.times, end, "left"))
        held = self.at(begin)
        if held is None or end <= begin or np.isnan(self.values[first:last]).any():
            return None
        times = np.concatenate([[begin], self.times[first:last], [end]]).astype(np.float64)
        values = np.concatenate([[held], self.values[first:last]])
        return float((values * np.diff(times)).sum() / 1e9)


def extent(
    times: NDArray[np.int64], values: NDArray[np.float32], edges: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Least and most of a value that holds until the next sample, in each of `len(edges) - 1` columns."""
    columns = len(edges) - 1
    low = np.full(columns, np.nan, np.float32)
    high = low.copy()
    if not len(times):
        return low, high
    rows = np.searchsorted(times, edges, "left")
    before = rows[:-1] - 1
    held = before >= 0
    low[held] = high[held] = values[before[held]]
    filled = rows[1:] > rows[:-1]
    if filled.any():
        starts = rows[:-1][filled]
        inside = values[: rows[-1]]
        low[filled] = np.fmin(low[filled], np.fmin.reduceat(inside, starts))
        high[filled] = np.fmax(high[filled], np.fmax.reduceat(inside, starts))
    return low, high
