"""`as2d replay`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.arms import ArmOptions, ArmThreads, make_arms
from as2d.backend.bench.rows import page_rows
from as2d.backend.bench.summary import ArmSummary
from as2d.backend.bench.tables import TableFormat, render_rows
from as2d.backend.calibration.cost_profile import CostProfile, read_profile
from as2d.backend.cli.choices import admissions_of, budgets_of, conditions_of
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.costs import newest_profile, require_any_profile, say_costs
from as2d.backend.cli.options import (
    AdmissionsOption,
    BudgetsOption,
    ConditionsOption,
    ConfidenceOption,
    FormatOption,
    MethodsOption,
    PatienceOption,
    TargetOption,
)
from as2d.backend.cli.progress import EventProgress
from as2d.backend.errors import WrongUse
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import helper_path, runs_dir
from as2d.backend.protocol.host_events import StepProgress
from as2d.backend.protocol.message import now_ns
from as2d.backend.replay.comparison import (
    ReplayError,
    compare_replay,
    error_row,
    joined,
    left_out_sentence,
)
from as2d.backend.replay.service import TracedWindow, load_traces, replay
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.methods import parse_methods, with_target_only
from as2d.backend.transcribe.resolve import resolve_model
from as2d.backend.transcribe.settings import DEFAULT_TARGET
from as2d.backend.words import counted

_SHOWN_STEPS = 200


def replay_command(
    traces: Annotated[
        list[Path],
        typer.Argument(metavar="TRACE", help="Trace files of `as2d trace`; '-' is standard input."),
    ],
    profile: Annotated[
        Path | None, typer.Option(help="Cost profile; default: the newest of these models on this computer.")
    ] = None,
    methods: MethodsOption = "target-only,as2d",
    budgets: BudgetsOption = None,
    admissions: AdmissionsOption = "text",
    start_conditions: ConditionsOption = "request-start,pre-drafted",
    confidence: ConfidenceOption = None,
    patience: PatienceOption = None,
    target: TargetOption = DEFAULT_TARGET,
    compare: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Hold it against a recorded `as2d bench` of the same windows."),
    ] = None,
    form: FormatOption = "md",
) -> None:
    """Say how fast any method would have decoded traced windows, from what calls cost on a device."""
    choices = with_target_only(parse_methods(methods))
    budget_list = budgets_of(budgets, choices)
    admission_list, condition_list = admissions_of(admissions), conditions_of(start_conditions)
    stored = RunStore(runs_dir()).find(compare) if compare is not None else None
    if profile is None:
        require_any_profile()
    windows = load_traces(traces)
    model = _traced_target(target, windows.windows)
    costs = (
        read_profile(profile)
        if profile is not None
        else newest_profile(windows.windows[0].target, windows.windows[0].drafter)[1]
    )
    _require_models(costs, windows.windows)
    options = ArmOptions(
        budgets=budget_list,
        admissions=admission_list,
        start_conditions=condition_list,
        threads=[ArmThreads.of_profile(costs)],
        confidence=confidence,
        patience=patience,
    )
    arms = make_arms(choices, options)
    if windows.repeated:
        say(f"{counted(windows.repeated, 'window')} came more than once; each counts once.")
    say_costs(costs, arms)
    with EventProgress() as progress:
        done = replay(helper_path(), windows, model, costs, arms, _Steps(progress), CancelToken())
    # Before anything is printed: a run that does not suit is refused.
    comparison = compare_replay(done, stored.manifest.run, stored.fold()) if stored is not None else None
    _print(done.summaries(), comparison.errors if comparison is not None else None, form)
    if stored is not None and comparison is not None:
        if comparison.other_text:
            say(f"Left out: {left_out_sentence(comparison.other_text)}.")
        compared = {error.arm for error in comparison.errors}
        if missing := [arm.label for arm in arms if arm.label not in compared]:
            say(f"The run {stored.manifest.run} did not measure {'; '.join(missing)}.")
    speed = done.done.replays / done.done.seconds if done.done.seconds else 0.0
    say(f"Replayed {counted(done.done.replays, 'window')}, {speed:.0f} a second.")


def _print(summaries: Sequence[ArmSummary], errors: Sequence[ReplayError] | None, form: TableFormat) -> None:
    """Markdown has a table for readers and one of errors; the others one row an arm with all columns."""
    if form == "md":
        emit(render_rows(page_rows(summaries), form))
        if errors is not None:
            emit("\n" + render_rows([error_row(error) for error in errors], form))
        return
    rows = [summary.model_dump(mode="json") for summary in summaries]
    emit(render_rows(rows if errors is None else [joined(row, errors) for row in rows], form))


class _Steps:
    """Shows the progress of a replay, now and then."""

    def __init__(self, progress: EventProgress) -> None:
        self._progress = progress

    def __call__(self, done: int, total: int) -> None:
        if done == total or done % max(total // _SHOWN_STEPS, 1) == 0:
            self._progress(StepProgress(t=now_ns(), step="replay", done=done, total=total))


def _traced_target(name: str, windows: Sequence[TracedWindow]) -> InstalledModel:
    model = resolve_model(name, "target", None, CancelToken())
    if model.digest != windows[0].target:
        raise WrongUse(f"The traces are not of the target {name}; name theirs with --target.")
    return model


def _require_models(costs: CostProfile, windows: Sequence[TracedWindow]) -> None:
    if (costs.target, costs.drafter) != (windows[0].target, windows[0].drafter):
        raise WrongUse(
            "The cost profile is of other models than the traces; measure theirs with `as2d calibrate`."
        )
