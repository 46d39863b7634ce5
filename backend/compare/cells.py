"""The cells of a plan, in the order in which they are run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from as2d.backend.bench.arms import Arm, rounds
from as2d.backend.compare.plan import ComparePlan


@dataclass(frozen=True)
class Cell:
    """One decode of one window by one arm; `window` counts over all recordings of the plan."""

    device: str
    target: str
    drafter: str
    window: int
    repeat: int
    arm: Arm

    @property
    def key(self) -> str:
        """A name that is the same in every session of a plan."""
        parts = (self.device, self.target, self.drafter, self.window, self.repeat, self.arm.label)
        return " | ".join(map(str, parts))


def cells_of_window(
    plan: ComparePlan, arms: Sequence[Arm], device: str, target: str, drafter: str, window: int
) -> Iterator[Cell]:
    """A window's cells: A B A B, each repeat begun by another arm, and each window by the next one.

    What drifts while a comparison runs, as the heat of a phone, so meets every arm alike.
    """
    shift = window % max(len(arms), 1)
    turned = [*arms[shift:], *arms[:shift]]
    for repeat, order in rounds(turned, plan.repeats):
        for arm in order:
            yield Cell(device, target, drafter, window, repeat, arm)


def cells_of_device(plan: ComparePlan, device: str, windows: int) -> Iterator[Cell]:
    """All cells of a device, window by window, so that a window's audio is prepared once for all its arms.

    Arms that draft nothing are run with the first drafter only.
    """
    arms = plan.arms()
    for target in plan.targets:
        for window in range(windows):
            for drafter in plan.drafters:
                mine = arms if drafter == plan.drafters[0] else [arm for arm in arms if arm.drafts]
                yield from cells_of_window(plan, mine, device, target, drafter, window)


def count_cells(plan: ComparePlan, windows: int) -> int:
    """How many cells a plan has."""
    return sum(1 for device in plan.devices for _ in cells_of_device(plan, device, windows))
