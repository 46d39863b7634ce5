"""Lines of the text files that corpora are made of."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path

from as2d.backend.errors import InputRefused

_MOST_LINE_BYTES = 1 << 24


@dataclass(frozen=True)
class Line:
    """A line that is not empty, and its number from 1."""

    path: Path
    number: int
    text: str

    def refused(self, what: str) -> InputRefused:
        """The error of a line that cannot be used."""
        return InputRefused(f"Line {self.number} of {self.path} {what}.")


def lines_of(path: Path) -> Iterator[Line]:
    """The lines of a text file, also of one that is compressed by gzip (`.gz`).

    Raises:
        InputRefused: it cannot be read, or is no text.
    """
    number = 0
    try:
        with _open(path) as file:
            while line := file.readline(_MOST_LINE_BYTES):
                number += 1
                if len(line) == _MOST_LINE_BYTES:
                    raise InputRefused(f"Line {number} of {path} has no end; that is no corpus.")
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
                if text:
                    yield Line(path, number, text)
    except UnicodeDecodeError as error:
        raise InputRefused(f"Line {number} of {path} is no UTF-8 text; save it as UTF-8.") from error
    except (OSError, EOFError, zlib.error) as error:
        said = getattr(error, "strerror", None) or error
        raise InputRefused(f"{path} cannot be read ({said}); check the corpus.") from error


def _open(path: Path) -> gzip.GzipFile | BufferedReader:
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")
