"""Progress and cancelling of long steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Progress(Protocol):
    """Receives how far a stage is: `done` of `total` bytes or steps; `total` 0 when it is not known."""

    def __call__(self, stage: str, done: int, total: int) -> None:
        """One report; called from the thread that does the work."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Show nothing."""


Cancel = Callable[[], bool]
"""Asked between small steps; True ends the work cleanly."""


class Cancelled(Exception):
    """The work was cancelled; nothing half-written is left."""


class Reporter:
    """A progress receiver and a cancel question, both optional, in one object."""

    def __init__(self, progress: Progress | None = None, cancel: Cancel | None = None) -> None:
        self._progress = progress
        self._cancel = cancel

    def report(self, stage: str, done: int, total: int) -> None:
        """Passes a report on.

        Raises:
            Cancelled: the work was cancelled.
        """
        self.check()
        if self._progress is not None:
            self._progress(stage, done, total)

    def asked_to_end(self) -> bool:
        """Whether the work was cancelled."""
        return self._cancel is not None and self._cancel()

    def check(self) -> None:
        """Raises `Cancelled` if the work was cancelled."""
        if self.asked_to_end():
            raise Cancelled
