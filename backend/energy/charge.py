"""The integral of the battery current against what the charge counter lost."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from as2d.backend.energy.series import Reading, seconds_between

_HOUR = 3600.0
_LEAST_STEPS = 3
# A phone's battery, in mAh: from a small watch's to a large tablet's.
_LEAST_MAH = 100.0
_MOST_MAH = 30_000.0
_COUNTER_UNITS = (1e-6, 1e-3)
_FITS = 0.4


@dataclass(frozen=True)
class ChargeComparison:
    """Over one stretch on battery: the raw current's integral in raw hours, and what the counter lost, Ah."""

    raw_hours: float
    ampere_hours: float

    def ratio(self, amperes: float) -> float:
        """The integral by the counter's loss, with so many amperes to a raw 1; 1 where both agree."""
        return abs(self.raw_hours) * amperes / self.ampere_hours

    def fits(self, amperes: float) -> bool:
        """Whether both agree within a factor of 2.5; the units are a factor of 1000 apart."""
        ratio = self.ratio(amperes)
        return ratio > 0 and abs(math.log10(ratio)) < _FITS


def compare_charge(parts: list[list[Reading]]) -> ChargeComparison | None:
    """Compare over the stretch in which the counter lost most, from its first change to its last.

    Null where the counter is not told, in no unit that a battery's size allows, or changed less than 3 times.
    """
    found = [comparison for part in parts if (comparison := _compare(part)) is not None]
    return max(found, key=lambda comparison: comparison.ampere_hours, default=None)


def _compare(part: list[Reading]) -> ChargeComparison | None:
    told = [reading for reading in part if not math.isnan(reading.counter)]
    changes = [
        index
        for index, (before, now) in enumerate(itertools.pairwise(told), start=1)
        if now.counter != before.counter
    ]
    if len(changes) <= _LEAST_STEPS:
        return None
    first, last = changes[0], changes[-1]
    unit = _counter_unit(told[first])
    lost = told[first].counter - told[last].counter
    if unit is None or lost <= 0:
        return None
    between = told[first : last + 1]
    raw = sum(
        (before.current + now.current) / 2 * seconds_between(before, now)
        for before, now in itertools.pairwise(between)
    )
    return ChargeComparison(raw / _HOUR, lost * unit) if raw else None


def _counter_unit(reading: Reading) -> float | None:
    """Ampere hours of a raw 1 of the counter, by the battery's size that it means at this level."""
    if math.isnan(reading.level) or reading.level <= 0:
        return None
    whole = reading.counter * 100 / reading.level
    return next((unit for unit in _COUNTER_UNITS if _LEAST_MAH <= whole * unit * 1000 <= _MOST_MAH), None)
