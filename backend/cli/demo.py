"""`as2d demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.arms import ArmOptions, ArmThreads, make_arms
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.service import BenchChoices, run_bench
from as2d.backend.bench.summary import ArmSummary
from as2d.backend.cli.console import emit, number, say, table
from as2d.backend.cli.hints import show_command
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.progress import EventProgress
from as2d.backend.devices.this_computer import default_shared_threads, default_threads
from as2d.backend.export.scripts import join_texts
from as2d.backend.transcribe.methods import DEFAULT_METHOD, TARGET_ONLY, parse_method
from as2d.backend.transcribe.sample import SAMPLE_LANGUAGE, sample_recording
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET
from as2d.backend.words import counted


def demo(
    repeats: Annotated[int, typer.Option(min=1, max=100, help="How often each method decodes.")] = 3,
) -> None:
    """Transcribe the sample recording by target-only and by AS²D, and compare them."""
    threads = default_threads()
    arms = make_arms(
        [parse_method(TARGET_ONLY), parse_method(DEFAULT_METHOD)],
        ArmOptions(
            budgets=[],
            admissions=["text"],
            start_conditions=["pre-drafted"],
            threads=[ArmThreads(threads, default_shared_threads(threads))],
        ),
    )
    sample = BenchRecording(sample_recording(), SAMPLE_LANGUAGE, None, None)
    choices = BenchChoices(
        arms, [sample], repeats, DEFAULT_TARGET, DEFAULT_DRAFTER, drop_repeats=1, command="demo"
    )
    announce_installation([DEFAULT_TARGET, DEFAULT_DRAFTER])
    with EventProgress() as progress:
        report = run_bench(choices, [progress])
    emit(f"{sample.path.name}: {join_texts(output.text for output in report.outputs)}\n\n")
    head = (
        "method", "tokens", "calls", "acceptance", "tokens/s", "response ms", "drop to text s", "identical",
    )  # fmt: skip
    emit(table(head, [_row(summary) for summary in report.summaries], right=(1, 2, 3, 4, 5, 6)))
    as2d = report.summaries[-1]
    faster = number(as2d.speed_up, 2)
    emit(
        f"\nAS²D decodes {faster}× as fast as target-only "
        f"({counted(repeats, 'interleaved repeat')}, {counted(threads, 'thread')}, "
        "drafting during audio preparation).\n"
    )
    if report.run_folder is not None:
        emit(f"The run is kept; this shows it:\n{show_command(Path(report.run_folder))}\n")
    if report.storage_problem is not None:
        say(f"Error: {report.storage_problem.message}")
        raise typer.Exit(report.storage_problem.exit_code)


def _row(summary: ArmSummary) -> list[str]:
    """A method's figures; tokens and calls of one decode."""
    times = max(summary.repeats, 1)
    return [
        summary.method,
        str(summary.tokens // times),
        str(summary.calls // times),
        number(summary.acceptance, 2),
        number(summary.tps, 1),
        number(summary.response_ms, 0),
        number(summary.drop_to_transcript_s, 2),
        "yes" if summary.differing == 0 else f"no, differing in {counted(summary.differing or 0, 'token')}",
    ]
