"""A long run's first minutes against its last: how much each method slowed down, and which is faster."""

from __future__ import annotations

import statistics
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.metrics.distributions import median_interval
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.sustained.fold import SustainedFold

_MOST_SECONDS = 300.0
_LEAST_PARTS = 2


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ArmChange(_Part):
    """Speeds in tokens/s, each window counted once; `change` is the last by the first less 1, so -0.2 is a
    fifth slower.
    """

    arm: str
    first_tps: float
    last_tps: float
    change: float


class SpeedUp(_Part):
    """The second method against the first: median over the windows of the ratio of decode speeds, with its
    bootstrap interval by recording (null: fewer than two).
    """

    median: float
    low: float | None
    high: float | None
    windows: int


class SustainedVerdict(_Part):
    """`seconds` is the length of the run and `span_s` that of the spans at its begin and its end.

    `paired`: the speeds are of windows that are in both spans; else there are none.

    `ranking`: whether the faster method is the same at both ends: `open` where an interval holds 1; null for
    one method.
    """

    seconds: float
    span_s: float
    paired: bool
    arms: tuple[ArmChange, ...]
    speed_up_first: SpeedUp | None = None
    speed_up_last: SpeedUp | None = None
    ranking: Literal["kept", "changed", "open"] | None = None
    start_celsius: float | None = Field(default=None, description="before the first decode")
    hottest_celsius: float | None = None


_Table = NDArray[np.float64]
"""Mean decode time in seconds and tokens after the first, [2, arms, windows]; nan: not decoded."""


def verdict_of(fold: SustainedFold) -> SustainedVerdict | None:
    """The verdict so far; None: too little was decoded at both ends."""
    if fold.parts < _LEAST_PARTS or not len(fold.decodes):
        return None
    # The newest part may have begun a moment ago: as a span's end it is one that is nearly whole.
    parts = fold.parts if fold.seconds % fold.part_seconds > fold.part_seconds / 2 else fold.parts - 1
    width = max(1, min(round(_MOST_SECONDS / fold.part_seconds), parts // 2))
    if parts < _LEAST_PARTS:
        return None
    first, last = _table(fold, 0, width), _table(fold, parts - width, fold.parts)
    at_first, at_last = (~np.isnan(table[0]).any(axis=0) for table in (first, last))
    paired = bool((at_first & at_last).any())
    if paired:
        at_first = at_last = at_first & at_last
    if not (at_first.any() and at_last.any()):
        return None
    temperatures = [value for value in fold.temperature.values if value == value]
    ups = (_speed_up(fold, first), _speed_up(fold, last)) if len(fold.arms) > 1 else (None, None)
    return SustainedVerdict(
        seconds=fold.seconds,
        span_s=float(width * fold.part_seconds),
        paired=paired,
        arms=tuple(
            _change(arm, first[:, place, at_first], last[:, place, at_last])
            for place, arm in enumerate(fold.arms)
        ),
        speed_up_first=ups[0],
        speed_up_last=ups[1],
        ranking=_ranking(*ups),
        start_celsius=fold.start_celsius,
        hottest_celsius=max(temperatures, default=None),
    )


def _table(fold: SustainedFold, begin: int, end: int) -> _Table:
    """The windows that were decoded in the parts from `begin` to before `end`."""
    decodes = fold.decodes
    parts = decodes.column("parts")
    inside = (parts >= begin) & (parts < end)
    place = decodes.column("arms")[inside], decodes.column("windows")[inside]
    shape = (len(fold.arms), len(fold.windows))
    counts, seconds, tokens = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    np.add.at(counts, place, 1)
    np.add.at(seconds, place, decodes.column("nanoseconds")[inside] / NANOSECONDS)
    np.add.at(tokens, place, decodes.column("tokens")[inside])
    counts[(counts == 0) | (tokens == 0)] = np.nan
    return np.stack([seconds / counts, tokens / counts])


def _change(arm: str, first: _Table, last: _Table) -> ArmChange:
    first_tps = float(first[1].sum() / first[0].sum())
    last_tps = float(last[1].sum() / last[0].sum())
    return ArmChange(arm=arm, first_tps=first_tps, last_tps=last_tps, change=last_tps / first_tps - 1)


def _speed_up(fold: SustainedFold, table: _Table) -> SpeedUp | None:
    seconds = table[0]
    groups: dict[str, list[float]] = {}
    for window, name in enumerate(fold.windows):
        ratio = float(seconds[0, window] / seconds[1, window])
        if ratio == ratio:
            groups.setdefault(fold.recording_of.get(name, name), []).append(ratio)
    ratios = [ratio for values in groups.values() for ratio in values]
    if not ratios:
        return None
    low, high = median_interval(groups) or (None, None)
    return SpeedUp(median=statistics.median(ratios), low=low, high=high, windows=len(ratios))


def _ranking(first: SpeedUp | None, last: SpeedUp | None) -> Literal["kept", "changed", "open"] | None:
    if first is None or last is None:
        return None
    sides = [_side(first), _side(last)]
    if 0 in sides:
        return "open"
    return "kept" if sides[0] == sides[1] else "changed"


def _side(up: SpeedUp) -> int:
    """1: the second method is faster, -1: the first is, 0: that cannot be told."""
    low, high = (up.low, up.high) if up.low is not None and up.high is not None else (up.median, up.median)
    return 1 if low > 1 else -1 if high < 1 else 0
