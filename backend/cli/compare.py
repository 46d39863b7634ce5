"""`as2d compare`."""

from __future__ import annotations

from typing import Annotated

import typer

from as2d.backend.bench.tables import render_rows
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.options import FormatOption
from as2d.backend.compare.recorded import RecordedComparison, Side, compare_runs
from as2d.backend.paths import runs_dir
from as2d.backend.runs.store import RunStore


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            help="Recorded runs, also those from bundles; the first is the reference of the others."
        ),
    ],
    form: FormatOption = "md",
) -> None:
    """Hold recorded runs side by side: what they were made with, then their windows in pairs."""
    store = RunStore(runs_dir())
    compared = compare_runs([store.find(run) for run in runs])
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
