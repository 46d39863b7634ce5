"""`as2d compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.tables import TableFormat
from as2d.backend.cli.compare_plan import PlanOptions, compare_by_plan, conclude, means_plan, named_runs
from as2d.backend.cli.console import say
from as2d.backend.cli.judged import print_judgement
from as2d.backend.cli.options import AdbServerOption, FormatOption, LimitOption, SplitOption
from as2d.backend.compare.judging.judge import judge
from as2d.backend.compare.reports.files import write_reports
from as2d.backend.devices.this_computer import MOST_THREADS
from as2d.backend.errors import WrongUse
from as2d.backend.paths import runs_dir
from as2d.backend.runs.store import RunStore, StoredRun
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET


def compare(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN|FILE|PLAN.toml",
            help="Recorded runs, also those from bundles; the first is the reference of the others. With "
            "--methods: recordings, folders and corpora. Or a plan.",
        ),
    ] = None,
    output_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a comparison: report, tables, trace, bundle; by methods or a plan also its plan "
            "and journal, and the same command goes on with what is not done there."
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(help="Methods to compare, comma-separated, as in `as2d bench`: sd:5, as2d, …"),
    ] = None,
    budgets: Annotated[
        str | None, typer.Option(help="Budgets (candidates) of methods without a K of their own; default: 4.")
    ] = None,
    admissions: Annotated[str | None, typer.Option(help="root, text, or both; default: text.")] = None,
    start_conditions: Annotated[
        str | None, typer.Option(help="request-start, pre-drafted, or both; default: both.")
    ] = None,
    preparing: Annotated[
        str | None,
        typer.Option(
            help="isolated, ahead (a recording's next window is prepared while one is decoded), or both; "
            "default: isolated."
        ),
    ] = None,
    targets: Annotated[
        str | None,
        typer.Option(help=f"Targets, comma-separated: models' names or folders; default: {DEFAULT_TARGET}."),
    ] = None,
    drafters: Annotated[
        str | None,
        typer.Option(
            help=f"Drafters, comma-separated: models' names or folders; default: {DEFAULT_DRAFTER}."
        ),
    ] = None,
    devices: Annotated[
        str | None,
        typer.Option(
            help="Devices, comma-separated, which work at the same time: this-computer, and phones by "
            "nickname, serial number, address or model; default: this-computer."
        ),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, max=1000, help="How often each arm decodes a window; default: 3.")
    ] = None,
    warm_up: Annotated[
        int | None,
        typer.Option(
            min=0, max=10, help="Decodes by each arm at the beginning that do not count; default: 1."
        ),
    ] = None,
    a_a: Annotated[
        bool | None,
        typer.Option("--a-a/--no-a-a", help="Measure target-only a second time, which shows the noise."),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Threads of the target; default: what suits each device."),
    ] = None,
    split: SplitOption = None,
    language: Annotated[
        str | None,
        typer.Option(
            help="Only a corpus' recordings in this language, the language of files; default: all, each in "
            "its own."
        ),
    ] = None,
    limit: LimitOption = None,
    start_temperature: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=80,
            metavar="°C",
            help="A phone begins no decode before it has cooled down so far; default: as warm as it is.",
        ),
    ] = None,
    battery: Annotated[
        int | None,
        typer.Option(
            min=0, max=100, metavar="%", help="A phone begins no decode with less battery; default: with any."
        ),
    ] = None,
    cool_down: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="How long a phone is waited for then; default: 600."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What the comparison is called; default: comparison.")
    ] = None,
    replay: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="TRACES",
            help="Decode nothing: replay the windows in these files of `as2d trace` (of each FILE only, "
            "where they are named) on a virtual clock. May be given again.",
        ),
    ] = None,
    profile: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="COST",
            help="Cost profile of a replay; given again, one for each device. Default: the newest of this "
            "computer.",
        ),
    ] = None,
    form: FormatOption = "md",
    adb_server: AdbServerOption = None,
) -> None:
    """Compare recorded runs, or run methods over recordings and compare them.

    `as2d compare RUN RUN` holds recorded runs side by side: what they were made with, then their windows in
    pairs.

    `as2d compare --methods target-only,sd,as2d --output-dir DIR FILE` and `as2d compare PLAN.toml
    --output-dir DIR` decode every window by every method in turn. Ended by whatever, the same command goes
    on.
    """
    options = PlanOptions(
        methods=methods,
        budgets=budgets,
        admissions=admissions,
        start_conditions=start_conditions,
        preparing=preparing,
        targets=targets,
        drafters=drafters,
        devices=devices,
        repeats=repeats,
        warm_up=warm_up,
        a_a=a_a,
        threads=threads,
        split=split,
        language=language,
        limit=limit,
        start_temperature=start_temperature,
        battery=battery,
        cool_down=cool_down,
        name=name,
        replay=replay or None,
        profile=profile or None,
    )
    given = inputs or []
    if not means_plan(given, options, output_dir):
        _told(named_runs(given, RunStore(runs_dir())), form, output_dir)
        return
    if output_dir is None:
        raise WrongUse(
            "A comparison by methods or a plan is kept in a folder; name a new one with --output-dir."
        )
    report = compare_by_plan(given, options, output_dir, adb_server)
    if report.runs:
        try:
            _told(report.runs, form, output_dir)
        except WrongUse as error:  # it was ended before two arms had decoded anything
            say(error.message)
    conclude(report)


def _told(runs: Sequence[StoredRun], form: TableFormat, output_dir: Path | None) -> None:
    """Judge runs, print what that says, and write the reports where a folder is named for them."""
    judgement = judge(runs)
    print_judgement(judgement, form)
    if output_dir is not None:
        for path in write_reports(output_dir, judgement, runs):
            say(f"Written: {path}")
