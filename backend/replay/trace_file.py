"""Trace files: JSON Lines, one window a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from as2d.backend.bench.corpus import Split
from as2d.backend.errors import InputRefused
from as2d.backend.problems import first_problem
from as2d.backend.protocol.trace_events import TraceContent

Sha256 = str


class TraceLine(TraceContent):
    """One recorded window and where it comes from.

    `recording` is the path as it was given, `start_s` and `end_s` are seconds of the recording; `target` and
    `drafter` are the SHA-256 of their model.json; `helper` is the build that recorded it on `device`, with
    `threads` of the target alone and `shared_threads` beside the drafter.
    """

    trace: Literal[1] = 1
    recording: str
    split: Split | None
    start_s: float = Field(ge=0)
    end_s: float = Field(ge=0)
    target: Sha256
    drafter: Sha256
    helper: str
    device: str
    threads: int = Field(ge=1)
    shared_threads: int = Field(ge=1)


def trace_line(content: TraceContent, **origin: object) -> TraceLine:
    """What a helper recorded, with where it comes from: the fields of `TraceLine`."""
    recorded = {name: getattr(content, name) for name in TraceContent.model_fields}
    return TraceLine.model_validate(recorded | origin)


def read_traces(paths: Sequence[Path]) -> Iterator[TraceLine]:
    """The windows of trace files, in their order.

    Raises:
        InputRefused: a file cannot be read, or a line of it is no trace that this version knows.
    """
    for path in paths:
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        yield _parse(path, number, line)
        except OSError as error:
            raise InputRefused(
                f"The trace file {path} cannot be read ({error.strerror}); `as2d trace` makes one."
            ) from error


def _parse(path: Path, number: int, line: bytes) -> TraceLine:
    try:
        return TraceLine.model_validate_json(line)
    except ValidationError as error:
        raise InputRefused(
            f"Line {number} of {path} is no trace that this version knows ({first_problem(error)}); "
            "record it again with `as2d trace`."
        ) from error
