"""Results to standard output, messages to standard error."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from as2d.backend.runs.files import storage_error

EXIT_INTERRUPTED = 130
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

ERRORS = Console(stderr=True, highlight=False, soft_wrap=True)
"""Where progress is drawn."""


def prepare_streams() -> None:
    """Make standard output and standard error take every text.

    A stream that was closed when the program started gets the empty device in its place: else the next file
    that is opened would take its number, and Python has no stream object. Characters that the locale's
    encoding lacks are escaped.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number: this one
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class OutputClosed(Exception):
    """Whoever read the results closed the pipe."""


def harmless(text: str) -> str:
    """A text without the control characters that a terminal takes for commands: names and texts may come from
    files of others.
    """
    return _CONTROL.sub("\ufffd", text)


def emit(text: str) -> None:
    """Write a result and let it out at once; what is no UTF-8 or not in the terminal's encoding is escaped,
    and a terminal gets no control characters.

    Raises:
        OutputClosed: nobody reads any more.
        UserError: it cannot be written, as when the disk that it goes to is full.
    """
    if sys.stdout.isatty():
        text = harmless(text)
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError as error:
        raise OutputClosed from error
    except OSError as error:
        raise storage_error(error, Path("standard output"), "the results") from error


def say(message: str) -> None:
    """Write a message for the user to standard error; nobody reading it is no error."""
    try:
        ERRORS.print(harmless(message), markup=False)
    except OSError:
        return


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = ()) -> str:
    """A table with aligned columns, ending in a line feed; the columns in `right` are set flush right."""
    lines = [list(head), *[list(row) for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    shown = []
    for line in lines:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        shown.append("  ".join(cells).rstrip())
    shown.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(shown) + "\n"


def number(value: float | None, digits: int, unit: str = "") -> str:
    """A number for a table; a dash where there is none."""
    if value is None:
        return "–"
    return f"{value:.{digits}f}{' ' + unit if unit else ''}"
