"""`as2d bench push`."""

from __future__ import annotations

from statistics import median
from typing import Annotated

import typer

from as2d.backend.bench.tables import render_rows
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.options import AdbServerOption, FormatOption
from as2d.backend.cli.phones import PhoneOption, chosen_phone
from as2d.backend.cli.push import shown_progress
from as2d.backend.devices.adb.push_timing import PushTiming, time_pushes


def bench_push(
    megabytes: Annotated[
        int, typer.Option(min=1, max=4000, help="Size of the file of random bytes, in 10⁶ bytes.")
    ] = 300,
    repeats: Annotated[int, typer.Option(min=1, max=100, help="How often each of both pushes it.")] = 3,
    form: FormatOption = "md",
    device: PhoneOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Time pushes to a phone: `adb push` and ours over the same link, in turn.

    Medians. Ours is checked on the phone afterwards, which `adb push` does not do; `again` is what finding
    everything unchanged takes.
    """
    chosen = chosen_phone(device, adb_server)
    with shown_progress("pushes") as report:
        timings = time_pushes(chosen.server, chosen.target, megabytes * 1_000_000, repeats, report)
    rows = _rows(timings, megabytes)
    emit(render_rows(rows, form))
    ratio = median([timing.adb_push / timing.transfer for timing in timings])
    say(f"The rate of as2d push is {ratio:.2f} times that of adb push (median of {repeats}, {megabytes} MB).")


def _rows(timings: list[PushTiming], megabytes: int) -> list[dict[str, object]]:
    measured = {
        "adb push": [timing.adb_push for timing in timings],
        "as2d push: transfer": [timing.transfer for timing in timings],
        "as2d push: check on the phone": [timing.check for timing in timings],
        "as2d push: again": [timing.again for timing in timings],
    }
    rows: list[dict[str, object]] = []
    for what, seconds in measured.items():
        middle = median(seconds)
        row: dict[str, object] = {"what": what, "seconds": round(middle, 3)}
        if "again" not in what:
            row["MB/s"] = round(megabytes / middle, 1)
        rows.append({**row, "repeats": len(seconds)})
    return rows
