"""The cells of a plan, in the order in which they are run."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.bench.arms import Arm, rounds
from as2d.backend.compare.plan import ComparePlan

_SEPARATOR = " | "


@dataclass(frozen=True)
class Cell:
    """One decode of one window by one arm; `window` counts the windows of the recording, from 0."""

    device: str
    target: str
    recording: str
    window: int
    drafter: str
    repeat: int
    arm: Arm

    @property
    def key(self) -> str:
        """A name that is the same in every session of a plan."""
        parts = (self.window, self.drafter, self.repeat, self.arm.label)
        return _SEPARATOR.join((recording_key(self.device, self.target, self.recording), *map(str, parts)))

    @property
    def preparation(self) -> tuple[str, str]:
        """Cells of a window with the same one share a preparation."""
        return (self.drafter if self.arm.drafts else "", self.arm.preparation)

    @property
    def drafts_beforehand(self) -> bool:
        """Whether the draft is there before the request, so that a decode has to wait for it first."""
        return self.arm.drafts and self.arm.start_condition == "pre-drafted"


@dataclass(frozen=True)
class _Drafted:
    drafter: str
    arm: Arm

    @property
    def again(self) -> bool:
        return self.arm.again


def recording_key(device: str, target: str, recording: str) -> str:
    """What the keys of all cells of a recording begin with."""
    return _SEPARATOR.join((device, target, recording))


def window_of(key: str) -> str:
    """What the keys of all cells of a cell's window begin with."""
    return key.rsplit(_SEPARATOR, 3)[0]


def recording_of(key: str) -> str:
    """The `recording_key` of a cell."""
    return key.rsplit(_SEPARATOR, 4)[0]


def cells_of_window(
    plan: ComparePlan, arms: Sequence[Arm], device: str, target: str, recording: str, window: int
) -> list[Cell]:
    """A window's cells: A B A B, each repeat begun by another arm, and each window by the next one.

    What drifts while a comparison runs, as the heat of a phone, so meets every arm alike. Arms that draft
    nothing are run with the first drafter only.
    """
    first = plan.drafters[0]
    all_of_them = [_Drafted(drafter, arm) for arm in arms for drafter in plan.drafters]
    contestants = [one for one in all_of_them if one.arm.drafts or one.drafter == first]
    shift = (window + zlib.crc32(os.fsencode(recording))) % len(contestants)
    return [
        Cell(device, target, recording, window, one.drafter, repeat, one.arm)
        for repeat, order in rounds(contestants, plan.rounds)
        for one in (*order[shift:], *order[:shift])
    ]


def cells_a_window(plan: ComparePlan) -> int:
    """How many cells each window has, on one device and by one target."""
    return len(cells_of_window(plan, plan.arms(), "", "", "", 0))


def count_cells(plan: ComparePlan, windows: int) -> int:
    """How many cells a plan has."""
    return len(plan.machines) * len(plan.targets) * windows * cells_a_window(plan)
