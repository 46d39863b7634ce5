"""A comparison's windows one by one, for its plots. Knows no Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.app.translation import tr
from as2d.app.viewmodels.comparison import arms_of

if TYPE_CHECKING:
    from as2d.backend.compare.judging.judgement import Judgement, Side


@dataclass(frozen=True)
class Series:
    """A side's speed-ups by window, and the decode time of the reference in each, ms; nan: not decoded."""

    name: str
    speed_ups: tuple[float, ...]
    reference_ms: tuple[float, ...]


def series_of(judgement: Judgement) -> list[Series]:
    """Every side against what it is held against; several sides of one name are told apart by their run."""
    arms = arms_of(judgement)
    series = []
    for place, (side, arm) in enumerate(zip(judgement.sides, arms, strict=True)):
        held = judgement.held(place)
        if held is None:
            continue
        reference = judgement.sides[held.reference]
        series.append(
            Series(
                arm if arms.count(arm) == 1 else f"{side.name}, {arm}",
                tuple(_speed_ups(side, reference)),
                tuple(math.nan if ms is None else ms for ms in reference.figures.decode_ms),
            )
        )
    return series


def window_names(judgement: Judgement) -> list[str]:
    """A name for each window."""
    return [
        tr(
            "{name}, {begin}–{end} s",
            name=window.recording,
            begin=f"{window.start_s:.1f}",
            end=f"{window.end_s:.1f}",
        )
        for window in judgement.windows
    ]


def _speed_ups(side: Side, reference: Side) -> list[float]:
    pairs = zip(side.figures.tps, reference.figures.tps, strict=True)
    return [own / other if own is not None and other else math.nan for own, other in pairs]
