"""The folders in which AS²D keeps what it knows: tells when a program changes them, this one included."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from as2d.backend.models.names import NAMES
from as2d.backend.paths import data_dir, models_dir, profiles_dir, runs_dir

_DEVICES = "devices.json"
_PAUSE_MS = 250
"""One deed changes a folder several times: the index of the runs has a journal, files come by a rename."""


class KeptFolders(QObject):
    """Watches the folders of the runs, of what was measured of devices, and of the models' names, and the
    file of what is remembered of phones. What is not there yet is watched, and told, as soon as it comes.
    """

    runs_changed = Signal()
    measured_changed = Signal()
    models_changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._changed)
        self._soon: dict[Path, QTimer] = {}
        self._stamp: int | None = None

    def begin(self) -> None:
        """Watch from now on."""
        self._soon = {
            runs_dir(): self._timer(self.runs_changed.emit),
            profiles_dir(): self._timer(self.measured_changed.emit),
            models_dir() / NAMES: self._timer(self.models_changed.emit),
            data_dir() / _DEVICES: self._timer(self.measured_changed.emit),
        }
        self._stamp = _time_of(data_dir() / _DEVICES)
        self._watch()

    def _timer(self, tell: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(_PAUSE_MS)
        timer.timeout.connect(tell)
        return timer

    def _watch(self) -> list[Path]:
        """Watch what is there and is not watched yet: which that is."""
        around = {folder.parent for folder in self._soon}
        if not data_dir().is_dir():
            around.add(data_dir().parent)
        watched = set(self._watcher.directories())
        new = [folder for folder in sorted(around | set(self._soon)) if folder.is_dir()]
        new = [folder for folder in new if str(folder) not in watched]
        if new:
            self._watcher.addPaths([str(folder) for folder in new])
        return new

    def _changed(self, name: str) -> None:
        told = [Path(name), *self._watch()]
        stamp = _time_of(data_dir() / _DEVICES)
        if stamp != self._stamp:
            self._stamp = stamp
            told.append(data_dir() / _DEVICES)
        for folder in told:
            if folder in self._soon and not self._soon[folder].isActive():
                self._soon[folder].start()


def _time_of(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None
