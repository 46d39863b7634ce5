"""`as2d sweep`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.arms import Arm, ArmOptions, ArmThreads, make_arms
from as2d.backend.calibration.cost_profile import CostProfile
from as2d.backend.cli.choices import admissions_of, budgets_of, conditions_of, numbers_of, shares_of
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.costs import newest_profile, require_any_profile, say_costs
from as2d.backend.cli.options import AdmissionsOption, FormatOption
from as2d.backend.cli.progress import EventProgress
from as2d.backend.cli.workers_option import SchedulerOption, WorkersOption, workers_wanted
from as2d.backend.errors import WrongUse
from as2d.backend.sweep.service import SweepSet, run_sweep
from as2d.backend.sweep.tables import render_sweep
from as2d.backend.sweep.trace_sets import NamedProfile, TraceSet, gather_profiles, load_sets, target_of
from as2d.backend.transcribe.methods import METHODS, MethodChoice, parse_methods, with_target_only
from as2d.backend.words import counted

_BUDGETS = range(1, 9)
_MOST_PATIENCE = 999


def sweep(
    traces: Annotated[
        list[Path],
        typer.Argument(
            metavar="TRACE",
            help="Trace files of `as2d trace`, each a set of its own; '-' is standard input.",
        ),
    ],
    profile: Annotated[
        list[Path] | None,
        typer.Option(
            help="Cost profile, or a folder of them; may be given several times. Default: the newest of the "
            "traced models on this computer."
        ),
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            help="Methods, comma-separated; as2d:8 means as2d with K = 8; default: all.", show_default=False
        ),
    ] = ",".join(METHODS),
    budgets: Annotated[
        str | None,
        typer.Option(
            help="Budgets (candidates) of the methods without a K of their own, comma-separated; "
            "default: 1 to 8."
        ),
    ] = None,
    admissions: AdmissionsOption = "text",
    start_conditions: Annotated[
        str, typer.Option(help="request-start, pre-drafted, or both with a comma.", show_default="both")
    ] = "request-start,pre-drafted",
    confidences: Annotated[
        str | None,
        typer.Option(help="Probabilities below which specasr ends a draft, comma-separated; default: 0.6."),
    ] = None,
    patiences: Annotated[
        str | None,
        typer.Option(
            help="After how many calls without an accepted candidate as2d-resync restarts, comma-separated; "
            "default: 5."
        ),
    ] = None,
    pooled: Annotated[bool, typer.Option("--pooled", help="Take all trace files as one set.")] = False,
    target: Annotated[
        list[str] | None,
        typer.Option(help="Target of the traces, if it is not installed: a model's folder."),
    ] = None,
    workers: WorkersOption = None,
    scheduler: SchedulerOption = None,
    form: FormatOption = "md",
) -> None:
    """Replay every method with every setting on every set of traces against every cost profile.

    One table of all, with the best setting of each method; the same for any number of workers.
    """
    wanted = workers_wanted(workers, scheduler)
    choices = with_target_only(parse_methods(methods))
    settings = [
        ArmOptions(
            budgets=budgets_of(budgets, choices) if budgets is not None else _BUDGETS,
            admissions=admissions_of(admissions),
            start_conditions=conditions_of(start_conditions),
            threads=[],
            confidence=confidence,
            patience=patience,
        )
        for confidence, patience in itertools.product(
            shares_of(confidences, "--confidences") if confidences is not None else [None],
            numbers_of(patiences, "--patiences", 0, _MOST_PATIENCE) if patiences is not None else [None],
        )
    ]
    if not profile:
        require_any_profile()
    profiles = gather_profiles(profile or [])
    sets = [
        _set(one, profiles, target or [], lambda costs: _arms(choices, settings, costs))
        for one in load_sets(traces, pooled=pooled)
    ]
    windows = sum(one.windows for one in sets)
    _say_what_is_used(sets, profiles)
    from as2d.backend.sweep.places import open_workers  # takes its time, and may not be installed

    with EventProgress() as progress, open_workers(wanted, say) as hands:
        replays = sum(one.replays for one in sets)
        say(f"{hands.describe()}: {counted(replays, 'replay')} of {counted(windows, 'window')}.")
        rows = run_sweep(sets, hands, lambda done, total: progress.step("sweep", done, total))
    emit(render_sweep(rows, form))


def _set(
    traces: TraceSet,
    profiles: Sequence[NamedProfile],
    targets: Sequence[str],
    arms_for: Callable[[CostProfile], tuple[Arm, ...]],
) -> SweepSet:
    """A set of traces with the profiles of its models.

    Raises:
        WrongUse: there is no such profile, or the target is not there.
    """
    if not profiles:
        fitting = [NamedProfile("this computer", newest_profile(*traces.models)[1])]
    else:
        fitting = [one for one in profiles if (one.costs.target, one.costs.drafter) == traces.models]
    if not fitting:
        raise WrongUse(
            f"No cost profile is of the models of the traces {traces.name}; "
            "measure theirs with `as2d calibrate`."
        )
    return SweepSet(
        traces, target_of(traces, targets), fitting, [arms_for(profile.costs) for profile in fitting]
    )


def _arms(
    choices: Sequence[MethodChoice], settings: Sequence[ArmOptions], costs: CostProfile
) -> tuple[Arm, ...]:
    """Every arm once, in the order of the methods."""
    threads = [ArmThreads.of_profile(costs)]
    found = dict.fromkeys(
        arm for options in settings for arm in make_arms(choices, replace(options, threads=threads))
    )
    order = list(dict.fromkeys(choice.name for choice in choices))
    return tuple(sorted(found, key=lambda arm: order.index(arm.method)))


def _say_what_is_used(sets: Sequence[SweepSet], profiles: Sequence[NamedProfile]) -> None:
    """What the figures rest on, each profile once, and the profiles that no traces are of."""
    for one in sets:
        if repeated := one.traces.traces.repeated:
            say(f"{one.traces.name}: {counted(repeated, 'window')} came more than once; each counts once.")
    used: dict[str, tuple[NamedProfile, tuple[Arm, ...]]] = {}
    for one in sets:
        for profile, arms in zip(one.profiles, one.arms, strict=True):
            used.setdefault(profile.name, (profile, arms))
    for profile, arms in used.values():
        say_costs(profile.costs, arms)
    if unused := [profile.name for profile in profiles if profile.name not in used]:
        say(f"Left out, being of other models than the traces: {', '.join(unused)}.")
