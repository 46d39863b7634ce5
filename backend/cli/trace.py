"""`as2d trace`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.corpus import Split, gather
from as2d.backend.cli.console import say
from as2d.backend.cli.inputs import refuse_missing
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import DrafterOption, TargetOption
from as2d.backend.cli.progress import EventProgress
from as2d.backend.devices.this_computer import MOST_THREADS
from as2d.backend.errors import InputRefused
from as2d.backend.replay.tracing import TraceChoices, record_traces
from as2d.backend.transcribe.session import TargetThreads
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET


def trace(
    files: Annotated[list[Path], typer.Argument(help="Recordings, or JSONL manifests of recordings.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The trace file to write.")],
    target: TargetOption = DEFAULT_TARGET,
    drafter: DrafterOption = DEFAULT_DRAFTER,
    split: Annotated[Split | None, typer.Option(help="Which part of a manifest.")] = None,
    language: Annotated[
        str | None, typer.Option(help="Only a manifest's recordings in this language; the language of files.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many recordings.")] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Threads of the target; default: the cores, at most 4."),
    ] = None,
) -> None:
    """Record what replay needs of each window: the target's tokens and all that the drafter says to them."""
    recordings = gather(files, split, language, limit)
    missing = refuse_missing(recording.path for recording in recordings)
    recordings = [recording for recording in recordings if recording.path not in missing]
    if not recordings:
        raise typer.Exit(InputRefused.exit_code)
    announce_installation([target, drafter])
    choices = TraceChoices(recordings, target, drafter, TargetThreads.chosen(threads))
    with EventProgress() as progress:
        report = record_traces(choices, output, [progress])
    for error in report.refused:
        say(f"Error: {error.message}")
    if report.storage_problem is not None:
        say(f"Error: {report.storage_problem.message}")
    say(f"{report.windows} windows with {report.tokens} tokens are in {output}.")
    codes = [InputRefused.exit_code] if missing or report.refused else []
    if report.storage_problem is not None:
        codes.append(report.storage_problem.exit_code)
    raise typer.Exit(max(codes, default=0))
