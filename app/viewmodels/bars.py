"""Bars over a time axis, and how much of each kind lies in each pixel, whatever their number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from as2d.app.viewmodels.archive import Archive
from as2d.app.viewmodels.columns import Column

BLOCK = 8
"""Running sums are kept for every so many bars, which takes an eighth of their memory."""

Times = NDArray[np.int64]


class Bars:
    """Bars of one lane in the order of their begins; a kind is a number below `kinds`.

    A bar that begins before the one in front of it ended is cut to begin there: a lane is one actor. Bars
    that were forgotten (`forget`) stay in every sum, by the second.
    """

    def __init__(self, kinds: int) -> None:
        self.kinds = kinds
        self.forgotten = 0
        self.archive = Archive(kinds)
        self._begin = Column("i8")
        self._end = Column("i8")
        self._kind = Column("u1")
        self._sums = Column("i8")  # per block of bars: `kinds` sums of what lies before it
        self._running = [0] * kinds

    def __len__(self) -> int:
        return len(self._begin)

    @property
    def begins(self) -> Times:
        """Begin of every bar that is kept, ns."""
        return self._begin.values

    @property
    def ends(self) -> Times:
        """End of every bar that is kept, ns."""
        return self._end.values

    @property
    def kind(self) -> NDArray[np.uint8]:
        """Kind of every bar that is kept."""
        return self._kind.values

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return sum(column.nbytes for column in (self._begin, self._end, self._kind, self._sums))

    @property
    def span(self) -> tuple[int, int] | None:
        """From the first begin to the last end, what was forgotten included; None: no bars."""
        if not len(self._begin):
            return self.archive.span
        first = int(self._begin.values[0])
        if self.archive.span is not None:
            first = self.archive.span[0]
        return first, int(self._end.values[-1])

    def append(self, begin: int, end: int, kind: int) -> None:
        """Add a bar behind the others."""
        size = len(self._begin)
        if size:
            begin = max(begin, int(self._end.values[-1]))
            end = max(begin, end)
        if size % BLOCK == 0:
            self._sums.extend(tuple(self._running))
        self._begin.append(begin)
        self._end.append(end)
        self._kind.append(kind)
        self._running[kind] += end - begin

    def forget(self, rows: int) -> None:
        """Forget the oldest bars one by one, but keep their sums by the second."""
        begins, ends, kinds = self.begins[:rows].copy(), self.ends[:rows].copy(), self.kind[:rows].copy()
        self.archive.add(begins, ends, kinds)
        for column in (self._begin, self._end, self._kind):
            column.drop_first(rows)
        self.forgotten += rows
        self._sums = Column("i8")
        self._running = [0] * self.kinds
        self._sum_up()

    def visible(self, begin: int, end: int) -> tuple[int, int]:
        """The rows, first and behind the last, that touch the span from `begin` to `end`."""
        first = int(np.searchsorted(self.ends, begin, "right"))
        last = int(np.searchsorted(self.begins, end, "left"))
        return first, max(first, last)

    def coverage(self, edges: Times) -> Times:
        """Nanoseconds of each kind between neighbouring edges, shape [kinds, len(edges) - 1].

        Exact: the sum over all columns is the sum of the bars, cut at the outermost edges.
        """
        up_to = self._up_to(edges)
        covered = np.diff(up_to, axis=1)
        if self.archive.span is not None:
            covered = covered + self.archive.coverage(edges)
        return covered

    def projected(self, begins: Times, ends: Times) -> Bars:
        """The same bars at other times, sorted anew; overlapping ones keep their lengths."""
        order = np.argsort(begins, kind="stable")
        bars = Bars(self.kinds)
        bars._begin.extend(begins[order])
        bars._end.extend(np.maximum(ends, begins)[order])
        bars._kind.extend(self.kind[order])
        bars._sum_up()
        bars.rows = order
        return bars

    rows: NDArray[Any] | None = None
    """In a projection: the row of the original for each bar."""

    def _sum_up(self) -> None:
        size = len(self._begin)
        lengths = self.ends - self.begins
        blocks = -(-size // BLOCK)
        sums = np.zeros((blocks + 1, self.kinds), np.int64)
        for kind in range(self.kinds):
            of_kind = np.zeros(blocks * BLOCK, np.int64)
            of_kind[:size] = np.where(self.kind == kind, lengths, 0)
            np.cumsum(of_kind.reshape(blocks, BLOCK).sum(axis=1), out=sums[1:, kind])
        self._running = [int(value) for value in sums[-1]]
        self._sums.extend(sums[:-1].reshape(-1))

    def _up_to(self, times: Times) -> Times:
        """Nanoseconds of each kind before each time, shape [kinds, len(times)]."""
        size = len(self._begin)
        if not size:
            return np.zeros((self.kinds, len(times)), np.int64)
        begun = np.searchsorted(self.begins, times, "right")  # bars that have begun by then
        last = np.maximum(begun - 1, 0)
        block = last // BLOCK
        rows = block[:, None] * BLOCK + np.arange(BLOCK)
        outside = rows > last[:, None]
        np.minimum(rows, size - 1, out=rows)
        lengths = np.minimum(self.ends[rows], times[:, None]) - self.begins[rows]
        lengths[outside] = 0
        np.maximum(lengths, 0, out=lengths)
        # Doubles add lengths of a block exactly: they are far below 2^53 ns, a hundred days.
        place = self.kind[rows] + np.arange(len(times))[:, None] * self.kinds
        inside = np.bincount(place.ravel(), lengths.ravel(), len(times) * self.kinds)
        sums = self._sums.values.reshape(-1, self.kinds)
        found: Times = (sums[block] + inside.astype(np.int64).reshape(-1, self.kinds)).T
        found[:, begun == 0] = 0
        return found
