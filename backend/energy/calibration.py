"""What a phone's battery current means: its unit, its sign, how often it is renewed, and how sure that is.

Android's contract is µA, positive into the battery; many phones say mA, and some have the sign the other way
round. Nothing is decided from a few samples, nor from any taken while a charger feeds the phone: there the
current is the difference of charger and load, and may be near zero in any unit.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.energy.charge import ChargeComparison, compare_charge
from as2d.backend.energy.series import BatterySeries, Reading, seconds_between, stretches
from as2d.backend.energy.spans import Spans

Unit = Literal["uA", "mA"]
Confidence = Literal["none", "low", "medium", "high", "given"]

AMPERES: dict[Unit, float] = {"uA": 1e-6, "mA": 1e-3}

LEAST_AMPERES = 0.010
MOST_AMPERES = 15.0
"""What a phone that is awake on its battery can draw."""

_LEAST_READINGS = 20
_LEAST_SECONDS = 10.0
_LEAST_VALUES = 3
_ONE_SIGN = 0.9
_LOADED = 1.2
_LEAST_CHANGES = 5
_RANKS: dict[Confidence, int] = {"none": 0, "low": 1, "medium": 2, "high": 3, "given": 4}


class Claim(BaseModel):
    """What one run said of a current, after runs had contradicted each other."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unit: Unit
    discharging_sign: Literal[1, -1] | None


class CurrentCalibration(BaseModel):
    """What is known of a phone's battery current; it holds for that phone and belongs in its record.

    `discharging_sign` is the sign of the raw current while the battery empties. `refresh_s` is how often the
    sensor gives a new value, as far as sampling shows it. `counter_ratio` is the integral of the current by
    the change of the charge counter: 1 where both agree. `evidence` tells in sentences what each method saw.
    `confidence`: `high` when two methods agree on the unit and two on the sign, `medium` when each is known,
    `low` when only the unit is, `given` when the user said it. `claim`: runs contradicted each other, the
    last one said this, and the next one has to say it too; until then nothing is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    unit: Unit | None
    discharging_sign: Literal[1, -1] | None
    refresh_s: float | None = Field(description="seconds")
    confidence: Confidence
    counter_ratio: float | None
    readings: int = Field(description="on battery, which were looked at")
    seconds: float = Field(description="that these cover")
    evidence: tuple[str, ...]
    claim: Claim | None = None

    @property
    def amperes(self) -> float | None:
        """Amperes that a raw 1 stands for; null when the unit is not known."""
        return AMPERES[self.unit] if self.unit is not None else None


def given_calibration(unit: Unit, discharging_sign: Literal[1, -1] | None = None) -> CurrentCalibration:
    """What a user says of a phone; nothing that is measured replaces it."""
    return CurrentCalibration(
        unit=unit,
        discharging_sign=discharging_sign,
        refresh_s=None,
        confidence="given",
        counter_ratio=None,
        readings=0,
        seconds=0.0,
        evidence=("given by the user",),
    )


def calibrate(series: BatterySeries, busy: Spans) -> CurrentCalibration:
    """Look at the readings on battery; `busy` are the spans in which the phone was decoding."""
    told = [reading for reading in series if not math.isnan(reading.current)]
    unplugged = [reading for reading in told if reading.charging is False]
    parts = stretches(unplugged)
    seconds = sum(seconds_between(part[0], part[-1]) for part in parts)
    refresh = refresh_seconds(told)
    shortfall = _shortfall(unplugged, seconds, len(told))
    if shortfall is not None:
        return _result(None, None, refresh, "none", None, len(unplugged), seconds, [shortfall])
    evidence: list[str] = []
    charge = compare_charge(parts)
    unit, methods = _unit(_by_magnitude(unplugged, evidence), _by_charge(charge, evidence), evidence)
    sign, sign_methods = _sign(unplugged, charge, busy, evidence)
    confidence: Confidence = "none"
    if unit is not None:
        confidence = "low" if sign is None else "medium"
        if sign is not None and methods > 1 and sign_methods > 1:
            confidence = "high"
    ratio = charge.ratio(AMPERES[unit]) if charge is not None and unit is not None else None
    return _result(unit, sign, refresh, confidence, ratio, len(unplugged), seconds, evidence)


def settled(before: CurrentCalibration | None, now: CurrentCalibration) -> CurrentCalibration:
    """What to remember of a phone after another look: the surer one.

    Of two that contradict none is trusted, but what two in a row say afterwards is, though never as `high`.
    Readings that say nothing change nothing.
    """
    if before is None or (before.unit is None and before.claim is None):
        return now
    if before.confidence == "given" or now.unit is None:
        return before
    said = Claim(unit=now.unit, discharging_sign=now.discharging_sign)
    if before.claim is not None:
        if _contradict(before.claim, said):
            return _disputed(before.claim, said, now)
        told = "two runs in a row say so, after runs that contradicted each other"
        confidence: Confidence = "medium" if now.confidence == "high" else now.confidence
        return now.model_copy(update={"confidence": confidence, "evidence": (*now.evidence, told)})
    if before.unit is not None:
        known = Claim(unit=before.unit, discharging_sign=before.discharging_sign)
        if _contradict(known, said):
            return _disputed(known, said, now)
    return before if _RANKS[before.confidence] > _RANKS[now.confidence] else now


def _contradict(before: Claim, now: Claim) -> bool:
    signs = {before.discharging_sign, now.discharging_sign} - {None}
    return before.unit != now.unit or len(signs) > 1


def _disputed(before: Claim, said: Claim, now: CurrentCalibration) -> CurrentCalibration:
    if before.unit != said.unit:
        told = f"earlier readings said {before.unit}, these say {said.unit}"
    else:
        told = f"earlier readings were {_sign_text(before)} while discharging, these are {_sign_text(said)}"
    return now.model_copy(
        update={
            "unit": None,
            "discharging_sign": None,
            "confidence": "none",
            "counter_ratio": None,
            "evidence": (*now.evidence, told),
            "claim": said,
        }
    )


def _sign_text(claim: Claim) -> str:
    return "positive" if claim.discharging_sign == 1 else "negative"


def refresh_seconds(readings: Sequence[Reading]) -> float | None:
    """How often the current gets a new value: the mean time between changes, gaps left out.

    A sensor that is renewed more often than it is sampled shows the sampling's own period; one that gives
    the same value twice looks slower than it is. Null with fewer than 5 changes.
    """
    times: list[float] = []
    for part in stretches(list(readings)):
        changed: Reading | None = None
        for before, now in itertools.pairwise(part):
            if now.current != before.current:
                if changed is not None:
                    times.append(seconds_between(changed, now))
                changed = now
    return statistics.fmean(times) if len(times) >= _LEAST_CHANGES else None


def _result(
    unit: Unit | None,
    sign: Literal[1, -1] | None,
    refresh: float | None,
    confidence: Confidence,
    ratio: float | None,
    readings: int,
    seconds: float,
    evidence: Sequence[str],
) -> CurrentCalibration:
    return CurrentCalibration(
        unit=unit,
        discharging_sign=sign,
        refresh_s=refresh,
        confidence=confidence,
        counter_ratio=ratio,
        readings=readings,
        seconds=seconds,
        evidence=tuple(evidence),
    )


def _shortfall(unplugged: Sequence[Reading], seconds: float, told: int) -> str | None:
    """Why the readings say nothing; null when they may."""
    if not told:
        return "the phone tells no battery current"
    if len(unplugged) < _LEAST_READINGS or seconds < _LEAST_SECONDS:
        return (
            f"only {len(unplugged)} of {told} readings ({seconds:.0f} s) were taken on battery; "
            f"{_LEAST_READINGS} over {_LEAST_SECONDS:.0f} s are needed"
        )
    values = {reading.current for reading in unplugged if reading.current}
    if len(values) < _LEAST_VALUES:
        return f"the current took only {len(values)} values other than 0 in {seconds:.0f} s"
    return None


def _by_magnitude(unplugged: Sequence[Reading], evidence: list[str]) -> Unit | None:
    sizes = sorted(abs(reading.current) for reading in unplugged if reading.current)
    middle, high = statistics.median(sizes), sizes[int(0.95 * (len(sizes) - 1))]
    units = [
        unit
        for unit, scale in AMPERES.items()
        if middle * scale >= LEAST_AMPERES and high * scale <= MOST_AMPERES
    ]
    said = " or ".join(units) if units else "neither µA nor mA"
    evidence.append(f"size: median {middle:.0f}, 95 % below {high:.0f}, which can be {said}")
    return units[0] if len(units) == 1 else None


def _by_charge(charge: ChargeComparison | None, evidence: list[str]) -> Unit | None:
    if charge is None:
        evidence.append("charge counter: not told, or it changed too little")
        return None
    unit = next((unit for unit, scale in AMPERES.items() if charge.fits(scale)), None)
    evidence.append(
        f"charge counter: it fell by {charge.ampere_hours * 1000:.2f} mAh while the current came to "
        f"{abs(charge.raw_hours):.2f} raw hours, which is {unit or 'neither µA nor mA'}"
    )
    return unit


def _unit(magnitude: Unit | None, charge: Unit | None, evidence: list[str]) -> tuple[Unit | None, int]:
    """The unit and how many methods say it."""
    if magnitude is not None and charge is not None and magnitude != charge:
        evidence.append("size and charge counter contradict each other")
        return None, 0
    return magnitude or charge, (magnitude is not None) + (charge is not None)


def _sign(
    unplugged: Sequence[Reading], charge: ChargeComparison | None, busy: Spans, evidence: list[str]
) -> tuple[Literal[1, -1] | None, int]:
    """The sign while discharging and how many methods say it."""
    votes: list[float] = []
    currents = [reading.current for reading in unplugged if reading.current]
    positive = sum(current > 0 for current in currents) / len(currents)
    evidence.append(f"sign on battery: {positive:.0%} of the readings are positive")
    if positive >= _ONE_SIGN or positive <= 1 - _ONE_SIGN:
        votes.append(1 if positive >= _ONE_SIGN else -1)
    if charge is not None:
        votes.append(math.copysign(1, charge.raw_hours))
    loaded = [reading.current for reading in unplugged if busy.holds(reading.t)]
    idle = [reading.current for reading in unplugged if not busy.holds(reading.t)]
    if min(len(loaded), len(idle)) >= _LEAST_READINGS // 2:
        low, high = statistics.median(idle), statistics.median(loaded)
        evidence.append(f"load: median {low:.0f} idle, {high:.0f} while decoding")
        if abs(high - low) > (_LOADED - 1) * abs(low):
            votes.append(math.copysign(1, high - low))
    if not votes or len(set(votes)) > 1:
        evidence.append("the sign is not clear")
        return None, 0
    return (1 if votes[0] > 0 else -1), len(votes)
