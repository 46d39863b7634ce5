"""Trace files: JSON Lines, one window a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import Field, ValidationError

from as2d.backend.bench.corpus import Split
from as2d.backend.errors import InputRefused
from as2d.backend.problems import first_problem
from as2d.backend.protocol.trace_events import TraceContent

Sha256 = str

STANDARD_INPUT = "-"


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


@dataclass(frozen=True)
class TracePlace:
    """A line of a trace file, counted from 1."""

    path: Path
    line: int


def shown_source(path: Path) -> str:
    """A trace file's name in sentences."""
    return "standard input" if str(path) == STANDARD_INPUT else str(path)


def read_traces(paths: Sequence[Path]) -> Iterator[TraceLine]:
    """The windows of trace files, in their order; as `read_placed`."""
    return (line for _, line in read_placed(paths))


def read_placed(paths: Sequence[Path]) -> Iterator[tuple[TracePlace, TraceLine]]:
    """The windows of trace files with their places, in order; the path `-` is standard input.

    Each file is read once, from its beginning to its end, so that pipes serve too.

    Raises:
        InputRefused: a file cannot be read, or a line of it is no trace that this version knows.
    """
    for path in paths:
        try:
            with _open(path) as file:
                for number, line in enumerate(file, start=1):
                    if line.strip():
                        place = TracePlace(path, number)
                        yield place, _parse(place, line)
        except OSError as error:
            raise InputRefused(
                f"The trace file {shown_source(path)} cannot be read ({error.strerror}); "
                "`as2d trace` makes one."
            ) from error


def refused_trace(place: TracePlace, reason: str) -> InputRefused:
    """The error of a line that is no trace that can be replayed."""
    return InputRefused(
        f"Line {place.line} of {shown_source(place.path)} is no trace that this version knows ({reason}); "
        "record it again with `as2d trace`."
    )


def _open(path: Path) -> BinaryIO:
    return open(0, "rb", closefd=False) if str(path) == STANDARD_INPUT else path.open("rb")


def _parse(place: TracePlace, line: bytes) -> TraceLine:
    try:
        return TraceLine.model_validate_json(line)
    except ValidationError as error:
        raise refused_trace(place, first_problem(error)) from error
