"""Energy over a span of a run: the trapezoid of |voltage x current| of the battery, for the whole phone.

The paper's energy of a request is of this kind (its table 15: 341.6 J over 32.64 s are 10.47 W). What the
phone would have drawn anyway is part of it; the idle power stands beside it, never subtracted in silence.
"""

from __future__ import annotations

import itertools
import math
import statistics
from typing import Literal

from pydantic import BaseModel, ConfigDict

from as2d.backend.energy.calibration import Confidence, CurrentCalibration
from as2d.backend.energy.series import (
    GAP_SECONDS,
    BatterySeries,
    Reading,
    seconds_between,
    slept_between,
)
from as2d.backend.protocol.message import NANOSECONDS

Obstacle = Literal[
    "charging", "no-current", "unit", "sign", "slept", "gap", "too-short", "no-idle", "shared", "restarted"
]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class NotMeasured(_Part):
    """Why there is no number."""

    kind: Literal["not-measured"] = "not-measured"
    obstacle: Obstacle
    reason: str

    def __str__(self) -> str:
        return f"not measurable: {self.reason}"


class Energy(_Part):
    """Energy of the whole phone over a span: joules, mean watts, seconds; joules a token where there are any.

    `tokens` are the text tokens without the end of text, as the paper's body tokens. `sensor` names what was
    read. `uncertainty_joules` is half a width: what the sensor's refresh period can hide at both ends of the
    span (period x the range of the power), half of its smallest step over the whole span, and what it and the
    charge counter differ by where that was seen. The gauge's own error is not in it: phones do not tell it.
    """

    kind: Literal["energy"] = "energy"
    joules: float
    mean_watts: float
    seconds: float
    tokens: int | None
    joules_per_token: float | None
    uncertainty_joules: float
    readings: int
    sensor: str
    confidence: Confidence


def energy_between(
    series: BatterySeries, start: int, end: int, calibration: CurrentCalibration, tokens: int | None = None
) -> Energy | NotMeasured:
    """The energy from `start` to `end` (ns of the device's clock), or why it cannot be known."""
    seconds = (end - start) / NANOSECONDS
    readings = series.around(start, end)
    obstacle = _obstacle(series, readings, start, end, calibration)
    if obstacle is not None:
        return obstacle
    amperes = calibration.amperes
    assert amperes is not None
    told = [(reading.t, abs(reading.volts * reading.current * amperes)) for reading in _told(readings)]
    joules = _integral(told, start, end)
    return Energy(
        joules=joules,
        mean_watts=joules / seconds,
        seconds=seconds,
        tokens=tokens,
        joules_per_token=joules / tokens if tokens else None,
        uncertainty_joules=_uncertainty(readings, joules, seconds, calibration),
        readings=len(told),
        sensor=f"battery voltage x current from {series.source or 'an unnamed file'}",
        confidence=calibration.confidence,
    )


def _told(readings: list[Reading]) -> list[Reading]:
    return [reading for reading in readings if not math.isnan(reading.volts * reading.current)]


def _obstacle(
    series: BatterySeries, readings: list[Reading], start: int, end: int, calibration: CurrentCalibration
) -> NotMeasured | None:
    told = _told(readings)
    if series.restarted:
        return NotMeasured(obstacle="restarted", reason="the phone restarted in this run, and its clock too")
    if any(reading.charging for reading in readings):
        return NotMeasured(obstacle="charging", reason="charging")
    if not told:
        why = series.why_no_current or series.why_no_battery or "no readings of the battery in this span"
        return NotMeasured(obstacle="no-current", reason=f"no battery current ({why})")
    if any(reading.charging is None for reading in readings):
        return NotMeasured(
            obstacle="charging", reason="the phone does not tell whether a charger is connected"
        )
    slept = sum(slept_between(before, now) for before, now in itertools.pairwise(readings))
    if slept > 0:
        return NotMeasured(obstacle="slept", reason=f"the phone slept {slept:.1f} s of it")
    gap = _longest_gap(told, start, end)
    if gap > GAP_SECONDS:
        return NotMeasured(obstacle="gap", reason=f"no reading of the battery for {gap:.1f} s")
    if calibration.unit is None:
        why = calibration.evidence[-1] if calibration.evidence else "it was never calibrated"
        return NotMeasured(obstacle="unit", reason=f"the unit of the battery current is not known: {why}")
    sign = calibration.discharging_sign
    if sign is not None and statistics.fmean(reading.current for reading in told) * sign < 0:
        return NotMeasured(obstacle="sign", reason="the current flowed into the battery")
    seconds = (end - start) / NANOSECONDS
    if len(told) < 2 or seconds <= (calibration.refresh_s or 0.0):
        period = (
            f"renewed every {calibration.refresh_s:.2f} s" if calibration.refresh_s else "read too seldom"
        )
        return NotMeasured(
            obstacle="too-short", reason=f"the battery current is {period}, the span is {seconds:.2f} s"
        )
    return None


def _longest_gap(told: list[Reading], start: int, end: int) -> float:
    times = [reading.t for reading in told]
    inner = [later - earlier for earlier, later in itertools.pairwise(times)]
    return max([times[0] - start, end - times[-1], *inner]) / NANOSECONDS


def _integral(told: list[tuple[int, float]], start: int, end: int) -> float:
    """The trapezoid of the powers from `start` to `end`; outside the readings they stay level."""
    points = [
        (start, _power_at(told, start)),
        *((t, power) for t, power in told if start < t < end),
        (end, _power_at(told, end)),
    ]
    return sum(
        (before + now) / 2 * (later - earlier) / NANOSECONDS
        for (earlier, before), (later, now) in itertools.pairwise(points)
    )


def _power_at(told: list[tuple[int, float]], t: int) -> float:
    if t <= told[0][0]:
        return told[0][1]
    for (earlier, before), (later, now) in itertools.pairwise(told):
        if earlier <= t <= later:
            return before + (now - before) * (t - earlier) / (later - earlier)
    return told[-1][1]


def _uncertainty(
    readings: list[Reading], joules: float, seconds: float, calibration: CurrentCalibration
) -> float:
    told = _told(readings)
    amperes = calibration.amperes or 0.0
    powers = [abs(reading.volts * reading.current) * amperes for reading in told]
    sampled = statistics.median(seconds_between(before, now) for before, now in itertools.pairwise(told))
    period = max(calibration.refresh_s or 0.0, sampled)
    values = sorted({reading.current for reading in told})
    step = min((high - low for low, high in itertools.pairwise(values)), default=0.0)
    volts = statistics.fmean(reading.volts for reading in told)
    uncertain = period * (max(powers) - min(powers)) + seconds * volts * step * amperes / 2
    if calibration.counter_ratio is not None:
        uncertain += joules * abs(calibration.counter_ratio - 1)
    return uncertain
