"""`as2d trace`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.audio.folders import FoundRecording
from as2d.backend.bench.corpus import files_read, gather
from as2d.backend.cli.console import EXIT_INTERRUPTED, say
from as2d.backend.cli.costs import say_what_replay_needs
from as2d.backend.cli.inputs import refuse_missing
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import (
    CorpusLanguageOption,
    DrafterOption,
    LimitOption,
    OverwriteOption,
    SplitOption,
    TargetOption,
)
from as2d.backend.cli.outputs import checked_output
from as2d.backend.cli.progress import EventProgress
from as2d.backend.cli.workers_option import SchedulerOption, workers_wanted
from as2d.backend.devices.local import LocalDevice
from as2d.backend.devices.this_computer import MOST_THREADS
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.sweep.trace_recording import TraceChoices, TraceReport, record_traces
from as2d.backend.sweep.wanted import MOST_WORKERS, WorkersWanted
from as2d.backend.sweep.work import Workers
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET
from as2d.backend.transcribe.threads import TargetThreads
from as2d.backend.words import counted


def trace(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Recordings, or JSONL manifests of recordings.")
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The trace file to write; '-' is standard output.")
    ],
    target: TargetOption = DEFAULT_TARGET,
    drafter: DrafterOption = DEFAULT_DRAFTER,
    split: SplitOption = None,
    language: CorpusLanguageOption = None,
    limit: LimitOption = None,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_THREADS,
            help="Threads of the target; default: the cores, at most 4, and one on each of several workers.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_WORKERS,
            help="Processes on this computer that share the windows, each with a helper of its own; "
            "default: one helper, by itself.",
        ),
    ] = None,
    scheduler: SchedulerOption = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Record what replay needs of each window: the target's tokens and all that the drafter says to them."""
    wanted = workers_wanted(workers, scheduler)
    recordings = gather(files, split, language, limit)
    output = checked_output(output, files_read(files), overwrite=overwrite)
    missing = refuse_missing(FoundRecording(recording.path) for recording in recordings)
    recordings = [recording for recording in recordings if recording.path not in missing]
    if not recordings:
        raise typer.Exit(InputRefused.exit_code)
    announce_installation([target, drafter])
    say_what_replay_needs(target, drafter)
    shared = wanted != WorkersWanted()
    # The last bits of margins depend on the threads: their number must not depend on that of the workers.
    chosen = TargetThreads.chosen(LocalDevice(), threads or (1 if shared else None))
    choices = TraceChoices(recordings, target, drafter, chosen)
    try:
        with EventProgress() as progress, _workers(wanted) as hands:
            report = record_traces(choices, output, [progress], workers=hands)
    except (KeyboardInterrupt, Cancelled):
        say("No trace was written.")
        raise
    raise typer.Exit(max(_conclude(report, output), InputRefused.exit_code if missing else 0))


@contextmanager
def _workers(wanted: WorkersWanted) -> Iterator[Workers | None]:
    """The workers that were asked for; none where nobody asked."""
    if wanted == WorkersWanted():
        yield None
        return
    from as2d.backend.sweep.places import open_workers  # takes its time, and may not be installed

    with open_workers(wanted, say) as workers:
        say(f"{workers.describe()} record.")
        yield workers


def _conclude(report: TraceReport, output: Path) -> int:
    """Say how it went; the exit status that says so."""
    problems = [*report.refused, *filter(None, [report.storage_problem])]
    for error in problems:
        say(f"Error: {error.message}")
    codes = [error.exit_code for error in problems]
    if not report.windows:
        say("No window with speech was found; no trace was written.")
        return max(codes, default=InputRefused.exit_code)
    written = f"{counted(report.windows, 'window')} with {counted(report.tokens, 'token')}"
    are = "is" if report.windows == 1 else "are"
    if report.ended_by is None:
        say(f"{written} {are} in {output}.")
        return max(codes, default=0)
    if isinstance(report.ended_by, UserError):
        say(f"Error: {report.ended_by.message}")
        codes.append(report.ended_by.exit_code)
    else:
        codes.append(EXIT_INTERRUPTED)  # with which `main` says so
    say(f"{written} {are} in {output}, a part of what was asked for.")
    return max(codes)
