"""`as2d compare` with methods or a plan: what is asked for, run and told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from pydantic import ValidationError

from as2d.backend.cli.choices import admissions_of, budgets_of, conditions_of, preparings_of
from as2d.backend.cli.console import say
from as2d.backend.cli.costs import newest_profile, require_any_profile
from as2d.backend.cli.device_option import device_of
from as2d.backend.cli.plan_progress import PlanProgressShown
from as2d.backend.compare.plan import ComparePlan, Gate, PlannedReplay, PlannedThreads, read_plan
from as2d.backend.compare.running.service import PLAN_NAME, GoesOn, PlanReport, run_plan
from as2d.backend.compare.running.traced import TraceIndex
from as2d.backend.errors import InputRefused, UserError, WrongUse
from as2d.backend.models.progress import Cancelled
from as2d.backend.paths import runs_dir
from as2d.backend.problems import first_problem
from as2d.backend.runs.manifest import MANIFEST_NAME, shown_path
from as2d.backend.runs.store import RunStore, StoredRun
from as2d.backend.transcribe.languages import language_code
from as2d.backend.transcribe.methods import parse_methods
from as2d.backend.words import counted

_MOST_TOLD = 5


@dataclass(frozen=True)
class PlanOptions:
    """The options that make a plan; null: not given."""

    methods: str | None = None
    budgets: str | None = None
    admissions: str | None = None
    start_conditions: str | None = None
    preparing: str | None = None
    targets: str | None = None
    drafters: str | None = None
    devices: str | None = None
    repeats: int | None = None
    warm_up: int | None = None
    a_a: bool | None = None
    threads: int | None = None
    split: str | None = None
    language: str | None = None
    limit: int | None = None
    start_temperature: float | None = None
    battery: int | None = None
    cool_down: float | None = None
    name: str | None = None
    replay: list[Path] | None = None
    profile: list[Path] | None = None

    def given(self) -> list[str]:
        """The options that were given, as they are written."""
        return [f"--{name.replace('_', '-')}" for name, value in vars(self).items() if value is not None]


def means_plan(inputs: Sequence[str], options: PlanOptions, folder: Path | None) -> bool:
    """Whether methods are to be run, and not recorded runs to be compared."""
    goes_on = not inputs and folder is not None and (folder / PLAN_NAME).is_file()
    return bool(options.given()) or any(map(_is_plan, inputs)) or goes_on


def named_runs(names: Sequence[str], store: RunStore) -> list[StoredRun]:
    """The recorded runs of these names.

    Raises:
        WrongUse: there is no such run, or a recording is among them.
    """
    if not names:
        raise WrongUse("Nothing to compare was named; see `as2d compare --help`.")
    found = []
    for name in names:
        try:
            found.append(store.find(name))
        except WrongUse as error:
            if not Path(name).exists():
                raise
            raise WrongUse(
                f"{shown_path(name)} is no recorded run; to compare methods over recordings name them with "
                "--methods, and a folder with --output-dir."
            ) from error
    return found


def _refuse_runs(names: Sequence[str]) -> None:
    """Refuse recorded runs among recordings."""
    store = RunStore(runs_dir())
    for name in names:
        if Path(name).exists() and not (Path(name) / MANIFEST_NAME).is_file():
            continue
        try:
            run = store.find(name)
        except UserError:  # a recording that is missing is told when it is read
            continue
        raise WrongUse(
            f"{run.manifest.run} is a recorded run and no recording; runs are compared by themselves, "
            "without --methods and other options of a plan."
        )


def _is_plan(name: str) -> bool:
    return name.casefold().endswith(".toml")


def plan_of(inputs: Sequence[str], options: PlanOptions, folder: Path) -> ComparePlan:
    """The plan that files or a plan's file and options mean; without inputs that of the folder.

    Raises:
        WrongUse: they do not go together.
        InputRefused: the plan's file is none.
    """
    files = [name for name in inputs if _is_plan(name)]
    if not inputs and not options.given() and (folder / PLAN_NAME).is_file():
        files = [str(folder / PLAN_NAME)]
    if not files:
        return _made(inputs, options)
    if len(inputs) > 1:
        raise WrongUse(f"A plan such as {files[0]} names its recordings itself; give it alone.")
    if given := options.given():
        raise WrongUse(
            f"{given[0]} cannot be given beside the plan {files[0]}; change it there, or give no plan."
        )
    path = Path(files[0])
    plan, base = read_plan(path), path.parent
    changes: dict[str, object] = {"recordings": _absolute(plan.recordings, base)}
    if plan.replay is not None:
        changes["replay"] = PlannedReplay(
            traces=_absolute(plan.replay.traces, base), profiles=_absolute(plan.replay.profiles, base)
        )
    return plan.model_copy(update=changes)


def _made(inputs: Sequence[str], options: PlanOptions) -> ComparePlan:
    if options.methods is None:
        raise WrongUse(
            "No method was named to compare; --methods takes names such as target-only,as2d, and a plan's "
            "file names them itself."
        )
    if options.profile and not options.replay:
        raise WrongUse("--profile says what a replay costs; name traces with --replay too, or leave it out.")
    if not inputs and not options.replay:
        raise WrongUse("No recording was named; give files, folders or corpora behind the options.")
    _refuse_runs(inputs)
    methods = [part.strip() for part in options.methods.split(",") if part.strip()]
    if not methods:
        raise WrongUse("No method was named; --methods takes names such as target-only,as2d.")
    values: dict[str, object] = {
        "methods": tuple(methods),
        "recordings": _absolute(inputs, Path()),
        "threads": PlannedThreads(target=options.threads),
        "gate": _gate(options),
        "budgets": tuple(budgets_of(options.budgets, parse_methods(options.methods))),
    }
    if options.admissions is not None:
        values["admissions"] = tuple(admissions_of(options.admissions))
    if options.start_conditions is not None:
        values["start_conditions"] = tuple(conditions_of(options.start_conditions))
    if options.preparing is not None:
        values["preparings"] = tuple(preparings_of(options.preparing))
    for name in ("targets", "drafters", "devices"):
        if (text := getattr(options, name)) is not None:
            values[name] = _names(text, f"--{name}")
    for name in ("repeats", "warm_up", "a_a", "split", "limit", "name"):
        if (value := getattr(options, name)) is not None:
            values[name] = value
    if options.replay:
        values["replay"] = _replay(options.replay, options.profile or [])
    if options.language is not None:
        values["language"] = language_code(options.language)
    try:
        return ComparePlan.model_validate(values)
    except ValidationError as error:
        raise WrongUse(f"That is no plan: {first_problem(error)}.") from error


def _gate(options: PlanOptions) -> Gate:
    gate = Gate(hottest_c=options.start_temperature, battery_percent=options.battery)
    return gate if options.cool_down is None else gate.model_copy(update={"wait_s": options.cool_down})


def _replay(traces: Sequence[Path], profiles: Sequence[Path]) -> PlannedReplay:
    """The traces and cost profiles of a replay; without profiles the newest of this computer."""
    named = [str(path) for path in profiles]
    if not named:
        require_any_profile()
        index = TraceIndex(traces)
        named = [str(newest_profile(index.target, index.drafter)[0])]
    return PlannedReplay(
        traces=_absolute([str(path) for path in traces], Path()), profiles=_absolute(named, Path())
    )


def _names(text: str, option: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not names:
        raise WrongUse(f"{option} names nothing; leave it out, or give names with commas between them.")
    return names


def _absolute(recordings: Sequence[str], base: Path) -> tuple[str, ...]:
    found = []
    for recording in recordings:
        path = str((base / recording).absolute())
        if path != shown_path(path):
            raise InputRefused(
                f"{shown_path(recording)} has a name that is no UTF-8, which a plan cannot hold; rename it, "
                "or name its folder."
            )
        found.append(path)
    return tuple(dict.fromkeys(found))


def compare_by_plan(
    inputs: Sequence[str], options: PlanOptions, folder: Path, adb_server: str | None
) -> PlanReport:
    """Run a plan, and tell how it went; as `run_plan`."""
    plan = plan_of(inputs, options, folder)
    progress = PlanProgressShown()
    try:
        with progress:
            report = run_plan(
                plan,
                folder,
                [progress.event],
                progress=progress,
                devices=lambda name, _cancel: device_of(name, adb_server),
                goes_on=lambda begun: _say_it_goes_on(begun, folder),
            )
    except (KeyboardInterrupt, Cancelled):
        if progress.last is not None and progress.last.total:
            done, total = progress.last.done, counted(progress.last.total, "decode")
            say(f"{done} of {total} are done; the same command goes on with the next.")
        raise
    _tell(report, folder)
    return report


def _say_it_goes_on(begun: GoesOn, folder: Path) -> None:
    say(
        f"The comparison in {folder} goes on at window {begun.windows + 1} of {begun.all_windows}: "
        f"{begun.done} of {counted(begun.cells, 'decode')} are done."
    )


def conclude(report: PlanReport) -> None:
    """Exit with the status that says how it went."""
    codes = [error.exit_code for error in (*report.refused, *report.failures.values())]
    if report.given_up:
        codes.append(InputRefused.exit_code)
    raise typer.Exit(max(codes, default=0))


def _tell(report: PlanReport, folder: Path) -> None:
    for error in report.refused:
        say(f"Error: {error.message}")
    for left_out in report.given_up[:_MOST_TOLD]:
        say(f"Error: {left_out.cell} was given up: {left_out.problem}")
    for device, error in report.failures.items():
        say(f"Error: {device}: {error.message}")
    if report.checked:
        same = report.checked - len(report.differing)
        say(f"{same} of {counted(report.checked, 'decode')} gave target-only's tokens.")
    for cell in report.differing[:_MOST_TOLD]:
        say(f"Other tokens than target-only's: {cell}")
    left = report.cells - report.done
    if left:
        say(
            f"{report.done} of {counted(report.cells, 'decode')} are done; the same command goes on with the "
            f"other {left}."
        )
    else:
        runs = counted(len(report.runs), "run")
        say(f"All {counted(report.cells, 'decode')} are done, in {runs}; the comparison is in {folder}.")
