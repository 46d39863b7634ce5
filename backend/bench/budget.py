"""Choosing the budget of a device: the fastest as2d arm of a benchmark, kept with the others that it beat."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from as2d.backend.bench.arms import ArmOptions, ArmThreads, make_arms
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.service import BenchChoices, BenchReport
from as2d.backend.bench.summary import best_budget
from as2d.backend.devices.device import Device
from as2d.backend.errors import WrongUse
from as2d.backend.paths import profiles_dir
from as2d.backend.protocol.ops import StartCondition
from as2d.backend.runs.store import utc_text
from as2d.backend.transcribe.methods import DEFAULT_METHOD, TARGET_ONLY, parse_methods
from as2d.backend.transcribe.profile import BudgetEntry, BudgetKey, BudgetRate, DeviceProfile

BUDGETS = (1, 2, 3, 4, 5, 6, 8)
"""The budgets that are held against each other when none were named."""


def budget_choices(
    device: Device,
    recordings: Sequence[BenchRecording],
    target: str,
    drafter: str,
    *,
    start_condition: StartCondition = "pre-drafted",
    repeats: int = 3,
) -> BenchChoices:
    """A benchmark that finds the best budget on a device, which is ready; target-only is held against it."""
    threads = device.default_threads()
    options = ArmOptions(
        budgets=BUDGETS,
        admissions=("text",),
        start_conditions=(start_condition,),
        threads=[ArmThreads(threads, device.default_shared_threads(threads), threads, 1)],
    )
    arms = make_arms(parse_methods(f"{TARGET_ONLY},{DEFAULT_METHOD}"), options)
    return BenchChoices(arms, recordings, repeats, target, drafter, command="bench", device=device)


def keep_best_budget(report: BenchReport, device: Device) -> BudgetEntry:
    """Keep the fastest as2d budget of a benchmark in the device's profile, with all that were measured.

    Raises:
        WrongUse: no as2d arm was measured.
        UserError: it cannot be written.
    """
    best = best_budget(report.summaries)
    if best is None or best.tps is None or report.target is None or report.drafter is None:
        raise WrongUse("--save-budget needs as2d among the methods.")
    rates = [
        BudgetRate(budget=summary.budget, tps=summary.tps)
        for summary in report.summaries
        if summary.method == best.method
        and summary.start_condition == best.start_condition
        and summary.admission == best.admission
        and summary.threads == best.threads
        and summary.budget is not None
        and summary.tps is not None
    ]
    alone = next((summary for summary in report.summaries if summary.method == TARGET_ONLY), None)
    entry = BudgetEntry(
        key=BudgetKey(
            target=report.target.digest,
            drafter=report.drafter.digest,
            threads=best.threads,
            cpu=device.describe().cpu,
        ),
        budget=best.budget or 0,
        tps=best.tps,
        windows=best.windows,
        measured=utc_text(datetime.now(UTC)),
        repeats=best.repeats,
        run=Path(report.run_folder).name if report.run_folder is not None else None,
        start_condition=best.start_condition,
        target_only_tps=alone.tps if alone is not None else None,
        rates=tuple(rates),
    )
    problem = DeviceProfile(profiles_dir()).store(entry)
    if problem is not None:
        raise problem
    return entry
