"""A run in the background: recordings in, events out, more recordings at any time."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from as2d.app.operations.operation import Operation
from as2d.app.settings.store import DecodeSettings
from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.backend.protocol.lines import RecordedEvent
    from as2d.backend.transcribe.ready import ReadyModels
    from as2d.backend.transcribe.service import Transcriber

COMMAND = "studio"


@dataclass(frozen=True)
class RunEnd:
    """What is left of a run: its folder, null where it could not be recorded, and why not."""

    folder: Path | None
    problem: UserError | None


class Decoding:
    """Decodes recordings by the backend's `Transcriber`; its members may be called on any thread."""

    def __init__(
        self, settings: DecodeSettings, paths: Sequence[Path], ready: ReadyModels | None = None
    ) -> None:
        """`paths` are decoded in this order. `ready`: as that of a `Transcriber`."""
        self._settings = settings
        self._ready = ready
        self._early = list(paths)
        self._events: queue.SimpleQueue[RecordedEvent] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._transcriber: Transcriber | None = None
        self._closed = False
        self._leaving = False

    def work(self, operation: Operation) -> RunEnd:
        """Run on the operation's thread until no recording waits any more."""
        # Loaded here: the window is there before them.
        from as2d.backend.devices.available import open_device
        from as2d.backend.transcribe.service import Transcriber

        device = open_device(self._settings.device, operation.cancel)
        transcriber = Transcriber(
            self._settings.for_run(),
            command=COMMAND,
            observers=[self._events.put],
            cancel=operation.cancel,
            device=device,
            ready=self._ready,
        )
        with self._lock:
            for path in self._early:
                transcriber.queue.add(path)
            self._transcriber = transcriber
            leaving = self._leaving
        if leaving:
            transcriber.interrupt()
        try:
            with transcriber:
                while self._decode_next(transcriber):
                    pass
        finally:
            with self._lock:
                self._closed = True
        return RunEnd(transcriber.session.run_folder, transcriber.session.storage_problem)

    @property
    def folder(self) -> Path | None:
        """Where the run is being recorded; None: nowhere, or not yet."""
        with self._lock:
            transcriber = self._transcriber
        return transcriber.session.run_folder if transcriber is not None else None

    def add(self, path: Path) -> bool:
        """Decode one more recording; False: the run is ending and takes none."""
        with self._lock:
            if self._closed:
                return False
            if self._transcriber is None:
                self._early.append(path)
            else:
                self._transcriber.queue.add(path)
            return True

    def leave(self) -> None:
        """End because the window closes; the run is kept as an interrupted one."""
        with self._lock:
            self._leaving = True
            transcriber = self._transcriber
        if transcriber is not None:
            transcriber.interrupt()

    def cancel(self, recording: str) -> None:
        """End one recording, waiting or being decoded."""
        with self._lock:  # events of its recordings arrive before all of them are handed over
            transcriber = self._transcriber
        if transcriber is not None:
            transcriber.queue.cancel(recording)

    def move(self, recording: str, place: int) -> None:
        """Give a waiting recording another place among those that wait."""
        with self._lock:
            transcriber = self._transcriber
        if transcriber is not None:
            transcriber.queue.move(recording, place)

    def new_events(self, seconds: float) -> Iterator[RecordedEvent]:
        """The events that have arrived, for at most so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                yield self._events.get_nowait()
            except queue.Empty:
                return

    def has_events(self) -> bool:
        """Whether events wait to be taken."""
        return not self._events.empty()

    def _decode_next(self, transcriber: Transcriber) -> bool:
        with self._lock:
            item = transcriber.queue.take()
            self._closed = item is None
        if item is not None:
            transcriber.transcribe(item)
        return item is not None
