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
    emit(render_rows([_row(side) for side in compared.sides], form))
    _say_outputs(compared)


def _row(side: Side) -> dict[str, object]:
    return side.model_dump(exclude={"difference"})


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
