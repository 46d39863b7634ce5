"""Brings the list of phones from the thread that watches them to the window."""

from __future__ import annotations

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
    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now: tuple[Phone, ...] = ()
        self.problem: str | None = None
        self._wanted = False
        self._lock = threading.Lock()
        self._watch: DeviceWatch | None = None
        self._arrived.connect(self._take)

    def watch(self, wanted: bool) -> None:
        """Begin to watch, or end it."""
        if wanted and not self._wanted:
            self._wanted = True
            threading.Thread(target=self._begin, name="looking for phones", daemon=True).start()
        elif not wanted and self._wanted:
            self.close()
            self.now, self.problem = (), None
            self.changed.emit()

    def close(self) -> None:
        """End watching."""
        self._wanted = False
        with self._lock:
            watch, self._watch = self._watch, None
        if watch is not None:
            watch.close()

    def _begin(self) -> None:
        # Beside the window's thread: what speaks to phones takes longer to load than the window to appear.
        from as2d.backend.devices.available import DeviceWatch, Listed

        with self._lock:
            if self._wanted and self._watch is None:
                try:
                    self._watch = DeviceWatch(self._arrived.emit)
                except UserError as error:
                    self._arrived.emit(Listed((), error.message))

    @Slot(object)
    def _take(self, listed: object) -> None:
        from as2d.backend.devices.available import Listed

        if self._wanted and isinstance(listed, Listed):
            self.now, self.problem = listed.phones, listed.problem
            self.changed.emit()
