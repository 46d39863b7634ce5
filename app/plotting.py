"""The library that draws plots takes longer to load than the window to appear: it is loaded beside it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal, Slot


class _Library(QObject):
    """`loaded` is emitted once, on the window's thread."""

    loaded = Signal()
    _arrived = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.ready = False
        self._thread: threading.Thread | None = None
        self._arrived.connect(self._take)

    def want(self) -> None:
        """Begin to load it, unless that was begun already."""
        if self._thread is None:
            # Parts of Qt that it takes too: types of Qt are made known by the window's thread only.
            import PySide6.QtOpenGLWidgets
            import PySide6.QtTest  # noqa: F401

            self._thread = threading.Thread(target=self._load, name="loading plots", daemon=True)
            self._thread.start()

    def _load(self) -> None:
        # A library that cannot be loaded says so where it is used.
        with contextlib.suppress(ImportError):
            import pyqtgraph  # noqa: F401
        with contextlib.suppress(RuntimeError):  # the window is gone already
            self._arrived.emit()

    @Slot()
    def _take(self) -> None:
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
