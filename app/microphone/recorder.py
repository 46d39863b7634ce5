"""Recording from the microphone into the user's data folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

if TYPE_CHECKING:
    from as2d.backend.sound.taking import Taking, TakingState

_TICK_MS = 50


class Recorder(QObject):
    """Records one recording at a time. `finished` gives the path of a recording that holds sound."""

    changed = Signal()
    finished = Signal(object)
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._taking: Taking | None = None
        self.state: TakingState | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._tick)

    @property
    def recording(self) -> bool:
        """Whether it records."""
        return self._taking is not None

    def toggle(self) -> None:
        """Begin, or end."""
        if self._taking is None:
            self.start()
        else:
            self.stop()

    def start(self) -> None:
        """Begin to record."""
        if self._taking is not None:
            return
        from as2d.backend.sound.taking import Taking

        self._taking = Taking()
        self.state = self._taking.state()
        self._timer.start()
        self.changed.emit()

    def stop(self) -> None:
        """End; `finished` follows."""
        if self._taking is not None:
            self._taking.stop()

    def close(self, seconds: float) -> Path | None:
        """End, and wait for at most so long until the file is whole; a recording that `finished` has not told
        of.
        """
        self._timer.stop()
        if self._taking is None:
            return None
        self._taking.stop()
        self._taking.wait(seconds)
        path = self._taking.state().path
        self._taking = None
        return path

    def _tick(self) -> None:
        if self._taking is None:
            return
        self.state = state = self._taking.state()
        if not state.ended:
            self.changed.emit()
            return
        self._timer.stop()
        self._taking = self.state = None
        self.changed.emit()
        if state.path is not None:
            self.finished.emit(state.path)
        if state.problem is not None:
            self.failed.emit(state.problem.message)


def interrupted_recordings() -> list[Path]:
    """What was being recorded when the program was killed; on any thread.

    Raises:
        InputRefused: it cannot be given its name.
    """
    from as2d.backend.paths import takings_dir
    from as2d.backend.sound.wav_file import take_interrupted

    return take_interrupted(takings_dir())
