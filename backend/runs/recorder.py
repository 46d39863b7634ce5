"""Writes the stream of a run on a thread of its own."""

from __future__ import annotations

import contextlib
import fcntl
import queue
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from as2d.backend.errors import InputRefused, UserError
from as2d.backend.protocol.host_events import HostEvent
from as2d.backend.protocol.lines import to_line
from as2d.backend.runs.files import storage_error
from as2d.backend.runs.manifest import STREAM_NAME
from as2d.backend.runs.stream import StreamWriter

FLUSH_SECONDS = 1.0


class Recorder:
    """Takes events from any thread without blocking and writes them to a stream file.

    The file is flushed about once a second. When it cannot be written, recording stops, what was flushed
    stays readable, and `failure` holds the error; decoding is not disturbed. While it records it holds a
    lock on the file, which tells a running run from an interrupted one.
    """

    def __init__(self, path: Path, *, flush_seconds: float = FLUSH_SECONDS) -> None:
        """Create the stream file.

        Raises:
            OSError: the file cannot be created.
        """
        self._path = path
        self._writer = StreamWriter(path)
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(self._writer.descriptor, fcntl.LOCK_EX)
        self._flush_seconds = flush_seconds
        self._queue: queue.SimpleQueue[bytes | HostEvent | threading.Event | None] = queue.SimpleQueue()
        self._failure: UserError | None = None
        self._thread = threading.Thread(target=self._work, name="recorder", daemon=True)
        self._thread.start()

    @property
    def failure(self) -> UserError | None:
        """Why recording stopped before `close`, if it did."""
        return self._failure

    def put(self, item: bytes | HostEvent) -> None:
        """Record a line of the helper as it came, or an event of the host."""
        self._queue.put(item)

    def settle(self) -> None:
        """Wait until what was put before can be read, also after this program is killed.

        Raises:
            UserError: it could not be written.
        """
        settled = threading.Event()
        self._queue.put(settled)
        settled.wait()
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """Write what is left, the end of the file, and close it. Errors are in `failure`."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        try:
            self._record()
        except Exception as error:  # noqa: BLE001  (whoever waits for this thread must be let go)
            self._give_up(error)
            self._drain()
            return
        try:
            self._writer.finish()
        except Exception as error:  # noqa: BLE001  (as above)
            self._give_up(error)  # nothing comes any more: `close` has put in what ends the queue

    def _record(self) -> None:
        """Write what is put in, until `close`."""
        next_flush = time.monotonic() + self._flush_seconds
        dirty = False
        while True:
            try:
                item = self._queue.get(timeout=max(next_flush - time.monotonic(), 0.01) if dirty else None)
            except queue.Empty:
                item = b""
            if item is None:
                return
            if isinstance(item, threading.Event):
                self._settle(item)
                dirty = False
            elif item:
                self._writer.write(item if isinstance(item, bytes) else to_line(item))
                dirty = True
            if dirty and time.monotonic() >= next_flush:
                self._writer.flush()
                dirty = False
                next_flush = time.monotonic() + self._flush_seconds

    def _give_up(self, error: Exception) -> None:
        if isinstance(error, OSError):
            self._failure = storage_error(error, self._path.parent, "the recorded run")
        else:
            self._failure = InputRefused(
                f"The run could not be recorded any further in {self._path.parent} ({error}); what it has so "
                "far is kept."
            )
        try:
            self._writer.abandon()
        except OSError:
            # The descriptor is closed either way; the failure that matters is already kept.
            return

    def _settle(self, waited_for: threading.Event) -> None:
        try:
            self._writer.flush()
        except Exception:
            self._queue.put(waited_for)  # whoever waits is told when the failure is kept
            raise
        waited_for.set()

    def _drain(self) -> None:
        while (item := self._queue.get()) is not None:
            if isinstance(item, threading.Event):
                item.set()


def is_being_recorded(path: Path) -> bool:
    """Whether a program still records into this stream file."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def last_ended(root: Path, runs: Sequence[str]) -> list[str]:
    """The last of the runs in `root` that no program records; the last one where all are recorded; of none
    none.
    """
    for run in reversed(runs):
        if not is_being_recorded(root / run / STREAM_NAME):
            return [run]
    return list(runs[-1:])
