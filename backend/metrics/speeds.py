"""Speeds by window, of one way to decode and of the mean of several."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

Window = TypeVar("Window", bound=Hashable)


class Measured(Protocol[Window]):
    """What is paired: tokens/s by window, and pooled over any of them."""

    @property
    def speeds(self) -> Mapping[Window, float]:
        """By window, where there is one."""

    def pooled(self, windows: Collection[Window] | None = None) -> float | None:
        """Pooled tokens/s over the windows that are named, or all; null: there is none."""


class MeanOfArms(Generic[Window]):
    """Several arms as one: the mean of their speeds, in each window that all of them decoded, and pooled."""

    def __init__(self, members: Sequence[Measured[Window]]) -> None:
        self._members = members
        common = set.intersection(*(set(member.speeds) for member in members))
        self.speeds: Mapping[Window, float] = {
            window: statistics.fmean(member.speeds[window] for member in members)
            for window in members[0].speeds
            if window in common
        }

    def pooled(self, windows: Collection[Window] | None = None) -> float | None:
        """As `Measured`; null where a member has no speed."""
        return mean_of_all(member.pooled(windows) for member in self._members)


def median_speed(after_first: float, seconds: Sequence[float]) -> float | None:
    """Tokens/s of a window: its tokens after the first, by the median of its decode times; null: there is
    only the token that the prefill gives.
    """
    median = statistics.median(seconds)
    return after_first / median if median > 0 and after_first > 0 else None


def mean_of_all(values: Iterable[float | None]) -> float | None:
    """The mean, if all are known."""
    known = list(values)
    told = [value for value in known if value is not None]
    return statistics.fmean(told) if told and len(told) == len(known) else None


def median_of_any(values: Sequence[float]) -> float | None:
    """The median, if there are any."""
    return statistics.median(values) if values else None
