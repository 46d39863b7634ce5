"""Outlines recordings beside the window."""

from __future__ import annotations

import contextlib
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from as2d.app.operations.operation import Operation, Operations
from as2d.app.translation import tr

if TYPE_CHECKING:
    from as2d.backend.audio.peaks import Peaks

_TICK_MS = 100
_SOON_MS = 120  # who goes quickly through a list has nothing read
_MOST_KEPT = 24
_NICE = 15


class WaveformReader(QObject):
    """Has the outline of one recording read at a time; `changed` comes while it grows."""

    changed = Signal()

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self._path: Path | None = None
        self._operation: Operation | None = None
        self._known: dict[Path, Peaks] = {}
        self.peaks: Peaks | None = None
        self.problem: str | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.changed)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SOON_MS)
        self._soon.timeout.connect(self._read)

    def show(self, path: Path | None) -> None:
        """Outline a recording from now on."""
        if path == self._path:
            return
        self._path = path
        self.problem = None
        self.peaks = self._known.get(path) if path is not None else None
        if self._operation is not None:
            self._operation.cancel.cancel()
            self._operation = None
        self._timer.stop()
        if path is not None and self.peaks is None:
            self._soon.start()
        self.changed.emit()

    def problem_of(self, path: Path) -> str | None:
        """Why a recording cannot be read, as far as that is known."""
        return self.problem if path == self._path else None

    def tell(self, problem: str) -> None:
        """Say in place of an outline why there is none."""
        self.show(None)
        self.problem = problem
        self.changed.emit()

    def _read(self) -> None:
        path = self._path
        if path is None or self.peaks is not None or self._operation is not None:
            return

        def work(operation: Operation) -> Peaks:
            _be_gentle()
            # Here, because the first picture of the window does without what this loads.
            from as2d.backend.audio.peaks import Peaks, read_peaks

            peaks = Peaks()
            if operation is self._operation:  # else another recording is shown by now
                self.peaks = peaks
            read_peaks(path, peaks, cancelled=operation.cancel)
            return peaks

        operation = self._operation = Operation(tr("Drawing the waveform"), work)
        operation.succeeded.connect(lambda found: self._done(operation, path, found))
        operation.failed.connect(lambda error: self._failed(operation, error.message))
        self._operations.start(operation)
        self._timer.start()

    def _done(self, operation: Operation, path: Path, peaks: Peaks) -> None:
        if peaks.complete:
            self._known[path] = peaks
            while len(self._known) > _MOST_KEPT:
                del self._known[next(iter(self._known))]
        self._settle(operation)

    def _failed(self, operation: Operation, message: str) -> None:
        if operation is self._operation:
            self.peaks, self.problem = None, message
        self._settle(operation)

    def _settle(self, operation: Operation) -> None:
        if operation is self._operation:  # the same recording may be read a second time already
            self._operation = None
            self._timer.stop()
            self.changed.emit()


def _be_gentle() -> None:
    """Leave the processor to what is being decoded; Linux gives every thread a priority of its own."""
    with contextlib.suppress(AttributeError, OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
