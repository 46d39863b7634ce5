"""Brings the list of phones from the thread that watches them to the window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from as2d.backend.devices.available import DeviceWatch, Listed
from as2d.backend.devices.phone import Phone
from as2d.backend.errors import UserError


class Phones(QObject):
    """The phones now; `changed` is emitted on the window's thread."""

    changed = Signal()
    _arrived = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now: tuple[Phone, ...] = ()
        self.problem: str | None = None
        self._watch: DeviceWatch | None = None
        self._arrived.connect(self._take)

    def watch(self, wanted: bool) -> None:
        """Begin to watch, or end it."""
        if wanted and self._watch is None:
            try:
                self._watch = DeviceWatch(self._arrived.emit)
            except UserError as error:
                self._take(Listed((), error.message))
        elif not wanted and self._watch is not None:
            self.close()
            self._take(Listed(()))

    def close(self) -> None:
        """End watching."""
        if self._watch is not None:
            self._watch.close()
            self._watch = None

    @Slot(object)
    def _take(self, listed: object) -> None:
        if isinstance(listed, Listed):
            self.now, self.problem = listed.phones, listed.problem
            self.changed.emit()
