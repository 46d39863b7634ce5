"""`python -m as2d.app.bench.started studio`: `as2d studio` that says when its window took input, and ends.

Prints the clock then, the processor's seconds until then, and the clock when it was closed.
"""

from __future__ import annotations

import time
from typing import NoReturn

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from as2d.app import main as window_main
from as2d.backend.cli.entry import main as run

_LATER_MS = 1500


class _Input(QObject):
    """Waits for a press of the mouse to arrive where it was aimed at."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Note the press, and close the window once everything else has begun."""
        if event.type() == QEvent.Type.MouseButtonPress:
            watched.removeEventFilter(self)
            print(time.monotonic(), time.process_time())
            QTimer.singleShot(_LATER_MS, self._close)
        return False

    def _close(self) -> None:
        print(time.monotonic(), flush=True)
        self._window.close()


def _press(window: QWidget) -> None:
    target = window.findChild(QWidget, "primary") or window
    target.installEventFilter(_Input(window))
    place = QPointF(target.rect().center())
    press = QMouseEvent(
        QEvent.Type.MouseButtonPress,
        place,
        target.mapToGlobal(place),
        Qt.MouseButton.RightButton,
        Qt.MouseButton.RightButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.postEvent(target, press)


def main() -> NoReturn:
    """Open the window as the command does."""
    real = window_main.open_studio
    window_main.open_studio = lambda files: real(files, appeared=_press)  # type: ignore[assignment,misc]
    run()


if __name__ == "__main__":
    main()
