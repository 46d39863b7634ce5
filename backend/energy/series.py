"""The battery's readings of a run, compact: about 60 bytes a sample, 25 MB for a day at five a second."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.protocol.telemetry import Telemetry

GAP_SECONDS = 2.0
"""Readings further apart than this leave a gap in which nothing is known."""

SLEEP_NOISE_NS = 10_000_000
"""What two clocks seem to move apart by reading them one after the other; more is sleep."""

CHARGING = frozenset({"Charging", "Full", "Not charging"})
"""The kernel's words for a battery whose phone has a charger."""


class Reading(NamedTuple):
    """The battery at one moment; nan and None: not told. `current` is raw, `volts` in V, `t` in ns."""

    t: int
    current: float
    volts: float
    counter: float
    level: float
    suspended_s: float
    charging: bool | None


class BatterySeries:
    """The readings in the order of their times."""

    def __init__(self) -> None:
        self._times = array("q")
        self._values = {name: array("d") for name in ("current", "volts", "counter", "level", "suspended")}
        self._charging = array("b")
        self.source: str | None = None
        self.why_no_current: str | None = None
        self.why_no_battery: str | None = None
        self.restarted = False
        """Whether the device's clock began anew: later times may be those of earlier readings."""

    def __len__(self) -> int:
        return len(self._times)

    def __iter__(self) -> Iterator[Reading]:
        return map(self._at, range(len(self)))

    @property
    def span(self) -> tuple[int, int] | None:
        """The times of the first and the last reading, ns."""
        return (self._times[0], self._times[-1]) if self._times else None

    def add(self, event: Telemetry) -> None:
        """Take a sample; one without a battery, or older than the last, is left out."""
        battery = event.battery
        if battery is None:
            self.why_no_battery = event.missing.get("battery", self.why_no_battery)
            return
        if self._times and event.t <= self._times[-1]:
            self.restarted = self.restarted or (self._times[-1] - event.t) / NANOSECONDS > GAP_SECONDS
            return
        self.source = battery.current_source or self.source
        if battery.current_raw is None:
            self.why_no_current = event.missing.get("battery.current_raw", self.why_no_current)
        volts = battery.voltage_uv / 1e6 if battery.voltage_uv is not None else None
        slept = event.suspended_ns / NANOSECONDS if event.suspended_ns is not None else None
        numbers = (battery.current_raw, volts, battery.charge_counter_raw, battery.level, slept)
        self._times.append(event.t)
        for column, number in zip(self._values.values(), numbers, strict=True):
            column.append(math.nan if number is None else number)
        self._charging.append(_state(battery.charger, battery.status))

    def around(self, start: int, end: int) -> list[Reading]:
        """The readings from the last at or before `start` to the first at or after `end` (ns)."""
        first = max(bisect_right(self._times, start) - 1, 0)
        last = min(bisect_left(self._times, end) + 1, len(self))
        return [self._at(index) for index in range(first, last)]

    def _at(self, index: int) -> Reading:
        state = self._charging[index]
        current, volts, counter, level, slept = (column[index] for column in self._values.values())
        charging = None if state < 0 else bool(state)
        return Reading(self._times[index], current, volts, counter, level, slept, charging)


def _state(charger: bool | None, status: str | None) -> int:
    """1: a charger feeds the phone; 0: none does; -1: not told."""
    if charger or status in CHARGING:
        return 1
    return 0 if charger is False or status == "Discharging" else -1


def seconds_between(first: Reading, second: Reading) -> float:
    """The time between two readings in seconds."""
    return (second.t - first.t) / NANOSECONDS


def stretches(readings: list[Reading]) -> list[list[Reading]]:
    """The readings cut at gaps and where the phone slept."""
    found: list[list[Reading]] = []
    for reading in readings:
        last = found[-1][-1] if found else None
        if last is None or seconds_between(last, reading) > GAP_SECONDS or slept_between(last, reading):
            found.append([])
        found[-1].append(reading)
    return found


def slept_between(first: Reading, second: Reading) -> float:
    """Seconds that the phone slept between two readings."""
    slept = second.suspended_s - first.suspended_s
    return slept if slept * NANOSECONDS > SLEEP_NOISE_NS else 0.0
