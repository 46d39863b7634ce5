"""Recorded streams whose end is missing."""

from __future__ import annotations

from as2d.backend.cli.console import say
from as2d.backend.runs.store import StoredRun
from as2d.backend.runs.stream import StreamReader


def warn_of_missing_end(stored: StoredRun, stream: StreamReader) -> None:
    """Warn where a stream that was read is not complete: another program may still record it."""
    if stream.complete:
        return
    run = stored.manifest.run
    if stored.manifest.status == "running":
        say(f"Warning: the run {run} is still being recorded; what it does from now on is missing.")
    else:
        say(f"Warning: the stream of run {run} is not complete: {stream.problem}.")
