"""Bytes that one thread receives and another takes."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator

from as2d.backend.models.progress import Cancel, Cancelled

_SLICE_SECONDS = 0.1


class Silence(Exception):
    """Nothing arrived for too long."""


class Incoming:
    """A first-in, first-out queue of blocks of bytes with one reader.

    `limit` bounds the bytes that wait in it (None: no bound): whoever puts more waits until some are taken.
    """

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._blocks: deque[bytes] = deque()
        self._waiting = 0
        self._ended = False
        self._changed = threading.Condition()

    def put(self, block: bytes) -> None:
        """Append a block; what arrives after the end is dropped."""
        with self._changed:
            while self._limit is not None and self._waiting >= self._limit and not self._ended:
                self._changed.wait()
            if self._ended or not block:
                return
            self._blocks.append(block)
            self._waiting += len(block)
            self._changed.notify_all()

    def end(self) -> None:
        """No more will come; again is no error."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def read(self, seconds: float | None = None, cancel: Cancel | None = None) -> bytes:
        """The next block; empty at the end.

        Raises:
            Silence: nothing arrived for `seconds` (None: any wait is fine).
            Cancelled: the cancel question, asked ten times a second, was answered with yes.
        """
        end = None if seconds is None else time.monotonic() + seconds
        with self._changed:
            while not self._blocks and not self._ended:
                if cancel is not None and cancel():
                    raise Cancelled
                left = None if end is None else end - time.monotonic()
                if left is not None and left <= 0:
                    raise Silence
                if cancel is not None:
                    left = _SLICE_SECONDS if left is None else min(left, _SLICE_SECONDS)
                self._changed.wait(left)
            if not self._blocks:
                return b""
            block = self._blocks.popleft()
            self._waiting -= len(block)
            self._changed.notify_all()
            return block

    def read_all(self) -> bytes:
        """Everything until the end."""
        return b"".join(self)

    def __iter__(self) -> Iterator[bytes]:
        """The blocks until the end."""
        while block := self.read():
            yield block

    def lines(self, silence_seconds: float | None = None, cancel: Cancel | None = None) -> Iterator[bytes]:
        r"""The lines until the end, without their ends (`\n`, `\r\n`, `\r\r\n`) and without empty lines.

        Raises:
            Silence: nothing arrived for `silence_seconds` (None: any silence is fine).
            Cancelled: as `read`.
        """
        rest: list[bytes] = []
        while block := self.read(silence_seconds, cancel):
            first, *others = block.split(b"\n")
            rest.append(first)
            for other in others:
                line = b"".join(rest).rstrip(b"\r")
                rest = [other]
                if line.strip():
                    yield line
        line = b"".join(rest).rstrip(b"\r")
        if line.strip():
            yield line
