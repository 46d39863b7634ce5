"""The recordings that wait to be decoded."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.audio.folders import FoundRecording
from as2d.backend.protocol.host_events import RecordingCancelled, RecordingQueued
from as2d.backend.protocol.message import now_ns
from as2d.backend.runs.manifest import RecordingUsed, shown_path
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.run_log import RunLog


@dataclass(frozen=True)
class QueuedRecording:
    """A recording with its name in the stream; `cancel` ends it alone."""

    name: str
    found: FoundRecording
    cancel: CancelToken

    @property
    def path(self) -> Path:
        """Its file."""
        return self.found.path

    @property
    def used(self) -> RecordingUsed:
        """What the manifest of its run says of it."""
        within = self.found.within
        return RecordingUsed(
            recording=self.name,
            audio=shown_path(self.path),
            within=shown_path(within) if within is not None else None,
        )


class RecordingQueue:
    """A queue that any thread may add to, reorder and cancel in while another takes from it."""

    def __init__(self, log: RunLog, cancel: CancelToken) -> None:
        """`cancel` ends every recording of the queue."""
        self._log = log
        self._cancel = cancel
        self._lock = threading.Lock()
        self._waiting: list[QueuedRecording] = []
        self._taken: dict[str, QueuedRecording] = {}
        self._count = 0

    def add(self, path: Path, within: Path | None = None) -> QueuedRecording:
        """Put a recording at the end: the moment of 'drop'. `within`: as of a `FoundRecording`."""
        with self._lock:
            self._count += 1
            item = QueuedRecording(f"a{self._count}", FoundRecording(path, within), CancelToken(self._cancel))
            self._waiting.append(item)
        self._log.host(RecordingQueued(t=now_ns(), recording=item.name, audio=shown_path(path)))
        return item

    def take(self) -> QueuedRecording | None:
        """The next recording, which then no longer waits; None: the queue is empty."""
        with self._lock:
            if not self._waiting:
                return None
            item = self._waiting.pop(0)
            self._taken[item.name] = item
            return item

    def move(self, name: str, position: int) -> None:
        """Let a waiting recording be the `position`-th (from 0) to be taken; one that does not wait stays."""
        with self._lock:
            item = next((item for item in self._waiting if item.name == name), None)
            if item is not None:
                self._waiting.remove(item)
                self._waiting.insert(position, item)

    def cancel(self, name: str) -> None:
        """End a recording: one that waits is taken out, one that is being decoded stops within a call."""
        with self._lock:
            waiting = next((item for item in self._waiting if item.name == name), None)
            if waiting is not None:
                self._waiting.remove(waiting)
            taken = self._taken.get(name)
        if waiting is not None:
            self._log.host(RecordingCancelled(t=now_ns(), recording=name))
        elif taken is not None:
            taken.cancel.cancel()

    def waiting(self) -> list[QueuedRecording]:
        """The recordings that wait, in order."""
        with self._lock:
            return list(self._waiting)
