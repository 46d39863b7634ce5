"""How windows change against target-only."""

from __future__ import annotations

import statistics
from collections.abc import Hashable, Mapping
from typing import TypeVar

from pydantic import BaseModel, ConfigDict

Key = TypeVar("Key", bound=Hashable)


class WindowChanges(BaseModel):
    """The changes of the windows' tokens/s against target-only: 0.5 is half as fast again, -0.1 a tenth
    slower.

    `change_q1` and `change_q3` bound the middle half; `slower` windows are those below target-only,
    `slower_share` their share; losses are how much slower those are, null where there are none.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    compared: int
    change_median: float | None
    change_q1: float | None
    change_q3: float | None
    slower: int
    slower_share: float | None
    loss_median: float | None
    loss_max: float | None


def window_changes(speeds: Mapping[Key, float], alone: Mapping[Key, float]) -> WindowChanges:
    """Hold the windows' tokens/s against those of target-only on the same windows."""
    changes = [speeds[window] / alone[window] - 1 for window in speeds if window in alone]
    losses = [-change for change in changes if change < 0]
    q1, median, q3 = _quartiles(changes)
    return WindowChanges(
        compared=len(changes),
        change_median=median,
        change_q1=q1,
        change_q3=q3,
        slower=len(losses),
        slower_share=len(losses) / len(changes) if changes else None,
        loss_median=statistics.median(losses) if losses else None,
        loss_max=max(losses, default=None),
    )


def _quartiles(values: list[float]) -> tuple[float | None, float | None, float | None]:
    if len(values) < 2:
        only = values[0] if values else None
        return only, only, only
    first, median, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, median, third
