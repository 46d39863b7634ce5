"""The recorded event stream: gzip-compressed JSON lines that can be read after any crash."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from as2d.backend.errors import InputRefused
from as2d.backend.protocol.lines import RecordedEvent, parse_recorded

_GZIP = 31
_MAGIC = b"\x1f\x8b"
_LEVEL = 5
_READ_BYTES = 1 << 16
_MOST_LINE_BYTES = 1 << 24
_DAMAGED = "its tail is damaged"


class StreamWriter:
    """Appends lines to a new gzip file; what was flushed is readable whatever happens afterwards."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        self._compressor = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._flushed_bytes = 0

    @property
    def descriptor(self) -> int:
        """The open file, for locks."""
        return self._descriptor

    def write(self, line: bytes) -> None:
        """Add one line; its line feed is added when missing.

        Raises:
            OSError: the disk is full or gone.
        """
        self._put(self._compressor.compress(line if line.endswith(b"\n") else line + b"\n"))

    def flush(self) -> None:
        """Make everything written so far readable; as `write`."""
        self._put(self._compressor.flush(zlib.Z_SYNC_FLUSH))
        self._flushed_bytes = os.lseek(self._descriptor, 0, os.SEEK_CUR)

    def finish(self) -> None:
        """Write the end of the file and close it; as `write`. After an error `abandon` closes it."""
        self._put(self._compressor.flush(zlib.Z_FINISH))
        os.fsync(self._descriptor)
        os.close(self._descriptor)

    def abandon(self) -> None:
        """Close the file with what was flushed last, after a failed write."""
        try:
            os.ftruncate(self._descriptor, self._flushed_bytes)
        finally:
            os.close(self._descriptor)

    def _put(self, block: bytes) -> None:
        view = memoryview(block)
        while view:
            view = view[os.write(self._descriptor, view) :]


class StreamReader:
    """Reads a recorded stream. After iterating, `complete` says whether its end was there and `problem` why
    not.
    """

    def __init__(self, path: Path, opened: Callable[[], IO[bytes]] | None = None) -> None:
        """`opened` opens the stream where it is no file of its own; `path` then names it in errors."""
        self._path = path
        self._opened = opened
        self.complete = False
        self.problem: str | None = None

    def __iter__(self) -> Iterator[RecordedEvent]:
        """The events in order; a cut or damaged tail ends the iteration and is told in `problem`.

        Raises:
            InputRefused: the file is missing, is no stream, or was written by another version.
        """
        for line in self.lines():
            try:
                event = parse_recorded(line)
            except InputRefused:
                if _is_json(line):
                    raise
                self.problem = _DAMAGED
                return
            yield event

    def lines(self) -> Iterator[bytes]:
        """The raw lines without line feeds; as iterating."""
        rest = b""
        for block in self._blocks():
            *lines, rest = (rest + block).split(b"\n")
            yield from (line for line in lines if line)
            if len(rest) > _MOST_LINE_BYTES:
                raise InputRefused(f"{self._path} is no recorded stream: a line in it has no end.")
        if rest:
            self.complete = False
            self.problem = self.problem or "its last line is cut"

    def _blocks(self) -> Iterator[bytes]:
        try:
            file = self._path.open("rb") if self._opened is None else self._opened()
        except OSError as error:
            raise InputRefused(
                f"The recorded stream {self._path} cannot be read ({error.strerror}); choose another run."
            ) from error
        with file:
            decompressor = zlib.decompressobj(_GZIP)
            begun = False
            while block := file.read(_READ_BYTES):
                if not begun and block[:2] != _MAGIC:
                    raise InputRefused(f"{self._path} is no recorded stream (not gzip); choose another run.")
                begun = True
                while block:
                    if decompressor.eof:  # another gzip member follows
                        decompressor = zlib.decompressobj(_GZIP)
                    before = decompressor.copy()
                    try:
                        yield decompressor.decompress(block)
                    except zlib.error:
                        self.problem = _DAMAGED
                        yield _as_far_as_it_goes(before, block)
                        return
                    block = decompressor.unused_data
            self.complete = decompressor.eof
            if not self.complete:
                self.problem = "its end is missing: the program that wrote it was interrupted"


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def _as_far_as_it_goes(decompressor: zlib._Decompress, block: bytes) -> bytes:
    """What can be read of a block in front of its damage."""
    found = bytearray()
    for place in range(len(block)):
        try:
            found += decompressor.decompress(block[place : place + 1])
        except zlib.error:
            break
    return bytes(found)
