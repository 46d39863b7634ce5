"""One piece of long work beside the window; whoever began it hears of it on the window's thread."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from as2d.backend.errors import UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken

PATIENCE_S = 5.0
"""How long closing waits, for everything together. Whatever goes on longer ends with the process: a helper
when its input ends.
"""

Work = Callable[["Operation"], object]
"""Runs on the operation's thread; looks at its `cancel` and calls its `report`."""


class Operation(QObject):
    """Work with exactly one end: `succeeded` with its result, `failed` with a UserError, or `cancelled`;
    `ended` follows each. All signals arrive on the thread that made the operation.

    `can_be_cancelled`: the window offers it in its status line; other work has a button of its own.
    """

    progressed = Signal(str, int, int)
    succeeded = Signal(object)
    failed = Signal(object)
    cancelled = Signal()
    ended = Signal()
    _finished = Signal(object, object)

    def __init__(
        self, title: str, work: Work, parent: QObject | None = None, *, can_be_cancelled: bool = False
    ) -> None:
        """`title` names the work in sentences, as 'Opening the run'."""
        super().__init__(parent)
        self.title = title
        self.can_be_cancelled = can_be_cancelled
        self.cancel = CancelToken()
        self._work = work
        self._thread = threading.Thread(target=self._run, name=title, daemon=True)
        self._finished.connect(self._tell)

    @property
    def ending(self) -> bool:
        """Whether it was asked to end, which takes a moment."""
        return self.cancel()

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def report(self, stage: str, done: int, total: int) -> None:
        """Say how far the work is; from any thread."""
        with contextlib.suppress(RuntimeError):  # the window is gone already
            self.progressed.emit(stage, done, total)

    def wait(self, seconds: float) -> bool:
        """Wait for the end of the work; whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        result: object = None
        error: Exception | None = None
        try:
            result = self._work(self)
        except (UserError, Cancelled) as known:
            error = known
        except Exception as surprise:  # noqa: BLE001  (told to the user; the window stays)
            from as2d.backend.transcribe.outcome import unexpected

            error = unexpected(self.title, surprise)
        with contextlib.suppress(RuntimeError):  # the window is gone already
            self._finished.emit(result, error)

    @Slot(object, object)
    def _tell(self, result: object, error: Exception | None) -> None:
        if error is None:
            self.succeeded.emit(result)
        elif isinstance(error, Cancelled):
            self.cancelled.emit()
        else:
            self.failed.emit(error)
        self.ended.emit()


class Operations(QObject):
    """The operations that run; they end with the window. `closed`: none is begun any more."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._running: list[Operation] = []
        self.closed = False

    def start(self, operation: Operation) -> Operation:
        """Begin an operation and keep it until its end; one that comes after closing is not begun."""
        operation.setParent(self)
        if self.closed:
            return operation
        self._running.append(operation)
        operation.ended.connect(lambda: self._forget(operation))
        operation.start()
        self.changed.emit()
        return operation

    def running(self) -> list[Operation]:
        """Those that have not ended, the oldest first."""
        return list(self._running)

    def cancel(self) -> None:
        """Cancel all, and begin none any more."""
        self.closed = True
        for operation in self._running:
            operation.cancel.cancel()

    def close(self, seconds: float) -> bool:
        """Cancel all and wait for them, together for at most so long; whether all ended."""
        self.cancel()
        end = time.monotonic() + seconds
        return all(operation.wait(max(end - time.monotonic(), 0)) for operation in self._running)

    def _forget(self, operation: Operation) -> None:
        self._running.remove(operation)
        operation.deleteLater()
        self.changed.emit()
