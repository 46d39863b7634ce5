"""`as2d bench drop`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.arms import ArmOptions, make_arms
from as2d.backend.bench.drop_parts import PARTS
from as2d.backend.bench.drops import ArmDrops, run_drops
from as2d.backend.bench.service import BenchChoices
from as2d.backend.bench.tables import render_rows
from as2d.backend.cli.bench_inputs import bench_recordings, conclude, ready_device, without_missing
from as2d.backend.cli.choices import (
    admissions_of,
    arm_threads,
    budgets_of,
    conditions_of,
    thread_counts_of,
)
from as2d.backend.cli.console import emit
from as2d.backend.cli.device_option import DeviceOption
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import (
    AdbServerOption,
    AdmissionsOption,
    BudgetsOption,
    ConditionsOption,
    CorpusLanguageOption,
    DrafterOption,
    FormatOption,
    LimitOption,
    MethodsOption,
    SplitOption,
    TargetOption,
)
from as2d.backend.cli.progress import EventProgress
from as2d.backend.errors import WrongUse
from as2d.backend.transcribe.methods import ALIGNING_METHODS, parse_methods
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET


def bench_drop(
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Recordings or JSONL manifests; default: the sample."),
    ] = None,
    methods: MethodsOption = "target-only,as2d",
    budgets: BudgetsOption = None,
    admissions: AdmissionsOption = "text",
    start_conditions: ConditionsOption = "pre-drafted",
    threads: Annotated[
        str | None,
        typer.Option(help="Threads of the target, with commas; default: the cores, at most 4."),
    ] = None,
    target: TargetOption = DEFAULT_TARGET,
    drafter: DrafterOption = DEFAULT_DRAFTER,
    split: SplitOption = None,
    language: CorpusLanguageOption = None,
    limit: LimitOption = None,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="How often each arm is dropped a file.")] = 3,
    form: FormatOption = "md",
    device: DeviceOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Time the way from a dropped file to its text, and where it goes, in seconds.

    Every drop starts a helper and loads the models it needs, as `as2d transcribe` does; they come from the
    system's memory after a warm-up. The parts add up to the whole: of each recording the repeat that took the
    middle time.
    """
    choice = parse_methods(methods)
    if not choice:
        raise WrongUse("No method was named; --methods takes names such as target-only,as2d.")
    budget_list = budgets_of(budgets, choice)
    recordings = bench_recordings(inputs, split, language, limit)
    chosen = ready_device(device, adb_server)
    counts = thread_counts_of(threads) if threads is not None else [chosen.default_threads()]
    options = ArmOptions(
        budgets=budget_list,
        admissions=admissions_of(admissions),
        start_conditions=conditions_of(start_conditions),
        threads=arm_threads(chosen, counts, None, 1),
    )
    arms = make_arms(choice, options)
    recordings, missing = without_missing(recordings)
    announce_installation([target, drafter if any(arm.drafts for arm in arms) else None])
    choices = BenchChoices(arms, recordings, repeats, target, drafter, command="bench drop", device=chosen)
    with EventProgress() as progress:
        report = run_drops(choices, [progress])
    emit(render_rows([_row(drops, form == "md") for drops in report.arms], form))
    run = report.run_folder.name if report.run_folder is not None else None
    conclude(report.refused, run, report.storage_problem, missing=missing)


def _row(drops: ArmDrops, short: bool) -> dict[str, object]:
    arm = drops.arm
    times = drops.parts.model_dump()
    seconds = {"whole": times["whole"], **{part: times[part] for part in PARTS}}
    if short:
        return {"arm": arm.label, **{f"{part.replace('_', ' ')} s": value for part, value in seconds.items()}}
    return {
        "arm": arm.label,
        "method": arm.method,
        "budget": arm.budget,
        "admission": arm.admission if arm.method in ALIGNING_METHODS else None,
        "start_condition": arm.start_condition if arm.drafts else None,
        "threads": arm.threads.target,
        "shared_threads": arm.threads.target_shared,
        "device": drops.device,
        "target": drops.target,
        "drafter": drops.drafter,
        "recordings": drops.recordings,
        "repeats": drops.repeats,
        "tokens": drops.tokens,
        **{f"{part}_s": value for part, value in seconds.items()},
    }
