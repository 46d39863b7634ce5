"""The library that draws plots takes half a second to load: what was opened is painted before that."""

from __future__ import annotations

import contextlib
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

_PAINTED_MS = 50


class _Library(QObject):
    """`loaded` is emitted once, on the window's thread."""

    loaded = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.ready = False
        self._wanted = False

    def want(self) -> None:
        """Load it soon, unless that was asked for already."""
        if not self._wanted:
            self._wanted = True
            QTimer.singleShot(_PAINTED_MS, self._load)

    def _load(self) -> None:
        # By the window's thread: loaded by another, beside it, it has ended the program.
        # A library that cannot be loaded says so where it is used.
        with contextlib.suppress(ImportError):
            import pyqtgraph  # noqa: F401
        self.ready = True
        self.loaded.emit()


_made: list[_Library] = []


def when_plots_are_loaded(do: Callable[[], None]) -> None:
    """Call a method of a QObject on the window's thread as soon as plots can be made: at once where they can
    be already, never if its object is gone by then.
    """
    if not _made:
        _made.append(_Library())
    library = _made[0]
    if library.ready:
        do()
    else:
        library.loaded.connect(do, Qt.ConnectionType.SingleShotConnection)
        library.want()
