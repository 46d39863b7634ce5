"""The spans of a run in which the device was at work."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from as2d.backend.protocol.message import NANOSECONDS

SETTLE_NS = 2 * NANOSECONDS
"""After work the device needs this long to be idle again; shorter pauses belong to the work."""


class Spans:
    """Spans in ns, merged across pauses of less than 2 s. They may be added in any order."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """Add a span of work."""
        first = bisect_right(self._ends, start - SETTLE_NS)
        last = bisect_left(self._starts, end + SETTLE_NS)
        if first < last:
            start, end = min(start, self._starts[first]), max(end, self._ends[last - 1])
        self._starts[first:last] = [start]
        self._ends[first:last] = [end]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(zip(self._starts, self._ends, strict=True))

    def holds(self, t: int) -> bool:
        """Whether the device was at work at `t`, or less than 2 s before."""
        index = bisect_right(self._starts, t) - 1
        return index >= 0 and t < self._ends[index] + SETTLE_NS

    def longest_pause(self, first: int, last: int) -> tuple[int, int]:
        """The longest span from `first` to `last` without work, counted from 2 s after work."""
        found = (first, first)
        start = first
        for begin, end in [*self, (last, last)]:
            if min(begin, last) - start > found[1] - found[0]:
                found = (start, min(begin, last))
            start = max(start, end + SETTLE_NS)
        return found
