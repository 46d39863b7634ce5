"""The contestants of a benchmark."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.protocol.ops import Admission, StartCondition
from as2d.backend.transcribe.methods import DEFAULT_BUDGET, TARGET_ONLY, MethodChoice, check_budget


@dataclass(frozen=True)
class Arm:
    """One way to decode. `threads` of the target, `shared_threads` while the drafter runs."""

    method: str
    budget: int
    admission: Admission
    start_condition: StartCondition
    threads: int
    shared_threads: int

    @property
    def drafts(self) -> bool:
        """Whether the arm uses the drafter."""
        return self.method != TARGET_ONLY

    @property
    def label(self) -> str:
        """A short name that tells the arms of a benchmark apart."""
        if not self.drafts:
            return f"{self.method} ({self.threads} threads)"
        return (
            f"{self.method} budget {self.budget} {self.admission} {self.start_condition} "
            f"({self.threads} threads)"
        )

    @property
    def preparation(self) -> str:
        """Arms with the same one can share the preparation of a window."""
        return f"{self.threads}-{self.start_condition}" if self.drafts else f"{self.threads}-alone"


def make_arms(
    methods: Sequence[MethodChoice],
    budgets: Sequence[int],
    admissions: Sequence[Admission],
    start_conditions: Sequence[StartCondition],
    threads: Sequence[tuple[int, int]],
) -> list[Arm]:
    """Every combination that makes a difference, in a fixed order.

    A method that drafts nothing has one arm for each thread setting; a method with its own K ignores
    `budgets`. `threads` are pairs (alone, while the drafter runs).

    Raises:
        WrongUse: a budget is no budget.
    """
    arms: dict[Arm, None] = {}
    for alone, shared in threads:
        for method in methods:
            if not method.drafts:
                arms[Arm(method.name, 0, "text", "request-start", alone, shared)] = None
                continue
            own = [method.budget] if method.budget is not None else budgets or [DEFAULT_BUDGET]
            for condition, admission, budget in itertools.product(start_conditions, admissions, own):
                arms[Arm(method.name, check_budget(budget), admission, condition, alone, shared)] = None
    return list(arms)
