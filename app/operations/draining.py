"""Events that arrive on other threads, shown on the window's thread a few at a time."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from as2d.app.translation import tr

_SECONDS = 0.008
"""How long the window's thread is held at once."""

T = TypeVar("T")


class Drain(Generic[T]):
    """A queue that `put` may fill on any thread. What cannot be shown is told once, by `stumbled`; what is
    behind it is shown.
    """

    def __init__(self, show: Callable[[T], None], stumbled: Callable[[str], None]) -> None:
        self._show = show
        self._stumbled = stumbled
        self._told = False
        self._queue: queue.SimpleQueue[T] = queue.SimpleQueue()
        self.put = self._queue.put

    def some(self) -> bool:
        """Show what has arrived, for a moment; whether there was any."""
        end = time.monotonic() + _SECONDS
        shown = False
        while time.monotonic() < end:
            try:
                event = self._queue.get_nowait()
            except queue.Empty:
                break
            shown = True
            try:
                self._show(event)
            except Exception as surprise:  # noqa: BLE001  (told; the events behind it are shown)
                self._stumble(surprise)
        return shown

    def all(self) -> None:
        """Show everything that has arrived."""
        while not self._queue.empty():
            self.some()

    def _stumble(self, surprise: Exception) -> None:
        from as2d.backend.transcribe.outcome import unexpected

        error = unexpected(tr("Showing the run"), surprise)
        if not self._told:
            self._told = True
            self._stumbled(error.message)
