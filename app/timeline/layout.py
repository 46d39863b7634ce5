"""How high each lane is: all of them fit where they can. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Wish:
    """The heights that a lane can have."""

    smallest: float
    preferred: float
    largest: float


def heights(wishes: Sequence[Wish], available: float) -> list[float]:
    """A height for each lane. Their sum is more than `available` only where all are at their smallest."""
    smallest = [wish.smallest for wish in wishes]
    preferred = [wish.preferred for wish in wishes]
    largest = [wish.largest for wish in wishes]
    for low, high in ((smallest, preferred), (preferred, largest)):
        if available <= sum(low):
            return [float(int(height)) for height in low]
        if available < sum(high):
            share = (available - sum(low)) / (sum(high) - sum(low))
            return [float(int(a + (b - a) * share)) for a, b in zip(low, high, strict=True)]
    return largest
