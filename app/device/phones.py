"""Brings the list of phones from the thread that watches them to the window."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.backend.devices.available import DeviceWatch
    from as2d.backend.devices.phone import Phone


class Phones(QObject):
    """The phones now; `changed` is emitted on the window's thread."""

    changed = Signal()
    _arrived = Signal(int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now: tuple[Phone, ...] = ()
        self.problem: str | None = None
        self._wanted = False
        self._number = 0
        self._lock = threading.Lock()
        self._watch: tuple[int, DeviceWatch] | None = None
        self._arrived.connect(self._take)

    def watch(self, wanted: bool) -> None:
        """Begin to watch, or end it."""
        if wanted and not self._wanted:
            self._wanted = True
            self._number += 1
            threading.Thread(
                target=self._begin, args=(self._number,), name="looking for phones", daemon=True
            ).start()
        elif not wanted and self._wanted:
            self._end()
            self.now, self.problem = (), None
            self.changed.emit()

    def close(self, seconds: float) -> None:
        """End watching, waiting for at most so long."""
        thread = self._end()
        thread.join(seconds)

    def _end(self) -> threading.Thread:
        """End watching beside the window's thread: a phone may be asked something just now."""
        self._wanted = False
        number = self._number

        def end() -> None:
            with self._lock:
                if self._watch is not None and self._watch[0] <= number:
                    self._watch[1].close()
                    self._watch = None

        thread = threading.Thread(target=end, name="phones are not looked for", daemon=True)
        thread.start()
        return thread

    def _begin(self, number: int) -> None:
        # Beside the window's thread: what speaks to phones takes longer to load than the window to appear.
        from as2d.backend.devices.available import DeviceWatch, Listed

        with self._lock:
            if self._wanted and number == self._number:
                if self._watch is not None:
                    self._watch[1].close()
                    self._watch = None
                try:
                    self._watch = (number, DeviceWatch(lambda listed: self._pass_on(number, listed)))
                except UserError as error:
                    self._pass_on(number, Listed((), error.message))

    def _pass_on(self, number: int, listed: object) -> None:
        with contextlib.suppress(RuntimeError):  # the window is gone already
            self._arrived.emit(number, listed)

    @Slot(int, object)
    def _take(self, number: int, listed: object) -> None:
        from as2d.backend.devices.available import Listed

        if self._wanted and number == self._number and isinstance(listed, Listed):
            self.now, self.problem = listed.phones, listed.problem
            self.changed.emit()
