"""The files that a comparison is taken away in."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from as2d.backend.bench.tables import render_rows
from as2d.backend.bundles.writing import write_bundle
from as2d.backend.compare.judging.judgement import Judgement
from as2d.backend.compare.reports.html_page import html_page
from as2d.backend.compare.reports.markdown import markdown_page
from as2d.backend.compare.reports.rows import full_row, window_rows
from as2d.backend.export.perfetto import write_perfetto_of_runs
from as2d.backend.models.progress import Cancel, Progress, Reporter
from as2d.backend.runs.files import atomic_file, storage_error
from as2d.backend.runs.store import StoredRun

TABLE_CSV, TABLE_MD, WINDOWS = "table.csv", "table.md", "windows.jsonl"
TRACE, REPORT, BUNDLE = "trace.pftrace", "report.html", "comparison.as2d"
_TRACED_CALLS = 30_000
"""More would make a trace that no browser opens."""


def write_reports(
    folder: Path,
    judgement: Judgement,
    runs: Sequence[StoredRun],
    progress: Progress | None = None,
    cancel: Cancel | None = None,
) -> list[Path]:
    """Write a comparison's files into a folder, each whole or not at all; files of these names are replaced.
    The same runs give the same bytes.

    Raises:
        InputRefused: a run cannot be read, or the folder cannot be written.
        OutOfSpace: the disk is full.
        Cancelled: the end was asked for; what was written is whole.
    """
    reporter = Reporter(progress, cancel)
    each_once = list({run.manifest.run: run for run in runs}.values())
    writers: dict[str, Callable[[IO[bytes]], None]] = {
        REPORT: lambda file: _text(file, html_page(judgement, runs, reporter.check)),
        TABLE_CSV: lambda file: _text(file, render_rows([full_row(side) for side in judgement.sides], "csv")),
        TABLE_MD: lambda file: _text(file, markdown_page(judgement)),
        WINDOWS: lambda file: _windows(file, judgement),
        TRACE: lambda file: write_perfetto_of_runs(
            each_once, file, most_calls=_TRACED_CALLS, check=reporter.check
        ),
    }
    written = []
    for done, (name, write) in enumerate(writers.items()):
        reporter.report(f"writing {name}", done, len(writers) + 1)
        path = folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with atomic_file(path) as file:
                write(file)
        except OSError as error:
            raise storage_error(error, path, name) from error
        written.append(path)
    reporter.report(f"writing {BUNDLE}", len(writers), len(writers) + 1)
    write_bundle(each_once, folder / BUNDLE, audio=False, check=reporter.check)
    return [*written, folder / BUNDLE]


def _text(file: IO[bytes], text: str) -> None:
    file.write(text.encode("utf-8", "backslashreplace"))


def _windows(file: IO[bytes], judgement: Judgement) -> None:
    for row in window_rows(judgement):
        _text(file, json.dumps(row, ensure_ascii=False) + "\n")
