"""The contestants of a benchmark or a replay."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from as2d.backend.protocol.ops import Admission, Preparing, StartCondition
from as2d.backend.transcribe.methods import (
    ALIGNING_METHODS,
    CONFIDENCE_METHOD,
    DEFAULT_BUDGET,
    PATIENCE_METHOD,
    SD_WIDTHS,
    STANDARD_SD,
    TARGET_ONLY,
    MethodChoice,
    check_budget,
    check_settings,
)
from as2d.backend.words import counted

if TYPE_CHECKING:
    from as2d.backend.calibration.cost_profile import CostProfile


PREPARED_AHEAD = "prepared ahead"
"""What the labels of arms say whose following windows are prepared meanwhile."""


@dataclass(frozen=True)
class ArmThreads:
    """Threads of the target alone and beside the drafter, of the drafter while the target waits and beside
    it.
    """

    target: int
    target_shared: int
    drafter: int = 1
    drafter_shared: int = 1

    @classmethod
    def of_profile(cls, costs: CostProfile) -> ArmThreads:
        """Those that a cost profile measured."""
        return cls(costs.threads, costs.shared_threads, costs.drafter_threads, costs.drafter_shared_threads)


@dataclass(frozen=True)
class Arm:
    """One way to decode.

    `confidence` is that of `specasr`, `patience` that of `as2d-resync`; null: the helper's own. Arms of one
    `group` are summarised as their mean too. `again`: target-only a second time, which shows the noise.
    `preparing`: whether the following window is prepared while one is decoded.
    """

    method: str
    budget: int
    admission: Admission
    start_condition: StartCondition
    threads: ArmThreads
    confidence: float | None = None
    patience: int | None = None
    group: str | None = None
    again: bool = False
    preparing: Preparing = "isolated"

    @property
    def drafts(self) -> bool:
        """Whether the arm uses the drafter."""
        return self.method != TARGET_ONLY

    @property
    def label(self) -> str:
        """A short name that tells the arms of a benchmark apart."""
        threads = self.threads
        ahead = f" {PREPARED_AHEAD}" if self.preparing == "ahead" else ""
        if not self.drafts:
            again = " again" if self.again else ""
            return f"{self.method}{ahead}{again} ({counted(threads.target, 'thread')})"
        admission = f" {self.admission}" if self.method in ALIGNING_METHODS else ""
        confidence = f" confidence {self.confidence}" if self.confidence is not None else ""
        patience = f" patience {self.patience}" if self.patience is not None else ""
        drafter = f", drafter {threads.drafter}" if threads.drafter != 1 else ""
        return (
            f"{self.method} budget {self.budget}{admission}{confidence}{patience} {self.start_condition}"
            f"{ahead} ({counted(threads.target, 'thread')}{drafter})"
        )

    @property
    def preparation(self) -> str:
        """Arms with the same one can share the preparation of a window."""
        threads = self.threads
        ahead = "-ahead" if self.preparing == "ahead" else ""
        if not self.drafts:
            return f"{threads.target}-{threads.target_shared}-alone{ahead}"
        return "-".join(
            map(str, (threads.target, threads.target_shared, threads.drafter, threads.drafter_shared))
        ) + (f"-{self.start_condition}{ahead}")


@dataclass(frozen=True)
class ArmOptions:
    """What multiplies the methods of a list into arms.

    `a_a`: target-only is measured a second time. `confidence` and `patience` null: the helper's own.
    """

    budgets: Sequence[int]
    admissions: Sequence[Admission]
    start_conditions: Sequence[StartCondition]
    threads: Sequence[ArmThreads]
    confidence: float | None = None
    patience: int | None = None
    a_a: bool = False
    preparings: Sequence[Preparing] = ("isolated",)


def make_arms(methods: Sequence[MethodChoice], options: ArmOptions) -> list[Arm]:
    """Every combination that makes a difference, in a fixed order.

    A method that drafts nothing has one arm for each thread setting; a method with its own K ignores
    `budgets`; `sd` without one has K = 5, 6, 7 and 8, whose mean stands for it.

    Raises:
        WrongUse: a budget is no budget, or no method takes the confidence or the patience.
    """
    check_settings(methods, options.confidence, options.patience)
    arms: dict[Arm, None] = {}
    for threads, preparing in itertools.product(options.threads, options.preparings):
        for method in methods:
            if not method.drafts:
                alone = Arm(method.name, 0, "text", "request-start", threads, preparing=preparing)
                arms[alone] = None
                if options.a_a:
                    arms[replace(alone, again=True)] = None
                continue
            for condition, admission, budget in itertools.product(
                options.start_conditions, _admissions(method, options), _budgets(method, options)
            ):
                arm = Arm(
                    method.name,
                    check_budget(budget),
                    admission,
                    condition,
                    threads,
                    confidence=options.confidence if method.name == CONFIDENCE_METHOD else None,
                    patience=options.patience if method.name == PATIENCE_METHOD else None,
                    group=STANDARD_SD if _is_standard_sd(method) else None,
                    preparing=preparing,
                )
                arms[arm] = None
    return list(arms)


def grouped(arms: Iterable[Arm]) -> list[list[Arm]]:
    """The arms whose mean is wanted: those that differ in nothing but the budget of their group."""
    groups: dict[Arm, list[Arm]] = {}
    for arm in arms:
        if arm.group is not None:
            groups.setdefault(replace(arm, budget=0), []).append(arm)
    return list(groups.values())


class Averaged(Protocol):
    """What a mean is of: an arm, or what a run's manifest says of one."""

    @property
    def method(self) -> str:
        """The method's name."""

    @property
    def budget(self) -> int:
        """The budget."""

    @property
    def start_condition(self) -> str:
        """When it begins to draft."""

    @property
    def preparing(self) -> str:
        """When the following window is prepared."""


def mean_label(members: Sequence[Averaged]) -> str:
    """A short name of the mean of a group."""
    widths = ", ".join(str(arm.budget + 1) for arm in members)
    ahead = f" {PREPARED_AHEAD}" if members[0].preparing == "ahead" else ""
    return f"{members[0].method} mean of K = {widths} {members[0].start_condition}{ahead}"


class _Contestant(Protocol):
    @property
    def again(self) -> bool: ...


C = TypeVar("C", bound=_Contestant)


def rounds(arms: Sequence[C], repeats: int) -> Iterator[tuple[int, list[C]]]:
    """Each repeat with the order in which it runs the arms.

    The orders are rotations that spread over the arms, so that each comes early and late. Target-only's
    second arm stands among the others and not beside the first: A/A then shows the noise between arms.
    """
    once = [arm for arm in arms if not arm.again]
    middle = (len(once) + 1) // 2
    order = [*once[:middle], *(arm for arm in arms if arm.again), *once[middle:]]
    step = max(len(order) // max(repeats, 1), 1)
    for repeat in range(repeats):
        shift = repeat * step % len(order)
        yield repeat, [*order[shift:], *order[:shift]]


def _is_standard_sd(method: MethodChoice) -> bool:
    return method.name == STANDARD_SD and method.budget is None


def _admissions(method: MethodChoice, options: ArmOptions) -> Sequence[Admission]:
    return options.admissions if method.name in ALIGNING_METHODS else ("text",)


def _budgets(method: MethodChoice, options: ArmOptions) -> Sequence[int]:
    return own_budgets(method) or options.budgets or [DEFAULT_BUDGET]


def own_budgets(method: MethodChoice) -> list[int]:
    """The budgets that a method brings along in a list; empty: it takes those that are given for all."""
    if method.budget is not None:
        return [method.budget]
    return [width - 1 for width in SD_WIDTHS] if _is_standard_sd(method) else []
