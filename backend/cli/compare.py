"""`as2d compare`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.tables import TableFormat, render_rows
from as2d.backend.cli.compare_plan import PlanOptions, compare_by_plan, conclude, means_plan, named_runs
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.options import AdbServerOption, FormatOption, LimitOption, SplitOption
from as2d.backend.compare.recorded import RecordedComparison, Side, compare_runs
from as2d.backend.devices.this_computer import MOST_THREADS
from as2d.backend.errors import WrongUse
from as2d.backend.paths import runs_dir
from as2d.backend.runs.store import RunStore


def compare(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="RUN… | FILE… | PLAN.toml",
            help="Recorded runs, also those from bundles; the first is the reference of the others. With "
            "--methods: recordings, folders and corpora. Or a plan.",
        ),
    ] = None,
    output_dir: Annotated[
        Path | None,
        typer.Option(
            help="Folder of a comparison by methods or a plan: its plan, journal and reports. The same "
            "command goes on with what is not done there."
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
    targets: Annotated[
        str | None, typer.Option(help="Targets, comma-separated: models' names or folders.")
    ] = None,
    drafters: Annotated[
        str | None, typer.Option(help="Drafters, comma-separated: models' names or folders.")
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
        str | None, typer.Option(help="Only a corpus' recordings in this language; the language of files.")
    ] = None,
    limit: LimitOption = None,
    start_temperature: Annotated[
        float | None,
        typer.Option(
            min=0, max=80, metavar="°C", help="A phone begins no decode before it has cooled down so far."
        ),
    ] = None,
    battery: Annotated[
        int | None,
        typer.Option(min=0, max=100, metavar="%", help="A phone begins no decode with less battery."),
    ] = None,
    cool_down: Annotated[
        float | None,
        typer.Option(min=0, metavar="SECONDS", help="How long a phone is waited for then; default: 600."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="What the comparison is called.")] = None,
    replay: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="TRACES",
            help="Decode nothing: replay the windows in these files of `as2d trace` (of FILES only, where "
            "they are named) on a virtual clock. May be given again.",
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

    `as2d compare RUN RUN…` holds recorded runs side by side: what they were made with, then their windows in
    pairs.

    `as2d compare --methods target-only,sd,as2d --output-dir DIR FILES…` and `as2d compare PLAN.toml
    --output-dir DIR` decode every window by every method in turn. Ended by whatever, the same command goes
    on.
    """
    options = PlanOptions(
        methods=methods,
        budgets=budgets,
        admissions=admissions,
        start_conditions=start_conditions,
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
        runs = named_runs(given, RunStore(runs_dir()))
        _print(compare_runs(runs), form)
        return
    if output_dir is None:
        raise WrongUse(
            "A comparison by methods or a plan is kept in a folder; name a new one with --output-dir."
        )
    report = compare_by_plan(given, options, output_dir, adb_server)
    if report.runs:
        _print(compare_runs(report.runs), form)
    conclude(report)


def _print(compared: RecordedComparison, form: TableFormat) -> None:
    for difference in compared.differences:
        values = ", ".join(value if value is not None else "none" for value in difference.values)
        say(f"Not the same: {difference.what} ({values})")
    row = _page_row if form == "md" else _row
    emit(render_rows([row(side) for side in compared.sides], form))
    _say_outputs(compared)


def _row(side: Side) -> dict[str, object]:
    return side.model_dump(exclude={"difference"})


def _page_row(side: Side) -> dict[str, object]:
    """The figures that fit a page; the others are in csv and jsonl."""
    interval = ""
    if side.speed_up_low is not None and side.speed_up_high is not None:
        interval = f" ({side.speed_up_low:.2f}–{side.speed_up_high:.2f})"
    return {
        "run": side.name,
        "method": side.arm,
        "speed-up": "reference" if side.speed_up is None else f"{side.speed_up:.2f}{interval}",
        "slower": None if side.slower_share is None else f"{100 * side.slower_share:.0f} %",
        "tokens/s": side.tps,
        "response ms": side.response_ms,
        "J/token": side.joules_per_token,
        "accept.": side.acceptance,
        "calls": side.calls,
        "extra": side.extra,
        "windows": f"{side.windows} ({side.common})",
    }


def _say_outputs(compared: RecordedComparison) -> None:
    """Whether the outputs are identical, and both texts where they are not."""
    for side in compared.sides[1:]:
        what = f"{side.name}, {side.arm}"
        difference = side.difference
        if side.identical is None:
            say(f"{what}: no window that the first one has too.")
        elif difference is None:
            say(f"{what}: identical output.")
        else:
            say(
                f"{what}: other output from token {difference.position} of {difference.recording} at "
                f"{difference.start_s:.1f} s on:\n  {difference.text.strip()}\n"
                f"  {difference.reference.strip()}"
            )
