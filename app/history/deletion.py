"""Deleting runs, and bringing them back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QUndoCommand

from as2d.app.history.writing import HistoryWriter
from as2d.app.translation import tr_count


class RunDeletion(QUndoCommand):
    """Sets runs aside; the disk is freed when the window is started the next time."""

    def __init__(self, writer: HistoryWriter, runs: Sequence[str]) -> None:
        super().__init__(tr_count(len(runs), "deleting {n} run", "deleting {n} runs"))
        self._writer = writer
        self._runs = list(runs)
        self._aside: set[str] = set()

    def redo(self) -> None:
        """Set the runs aside."""
        self._writer.do([partial(self._set_aside, run) for run in self._runs])

    def undo(self) -> None:
        """Put back those that could be set aside."""
        self._writer.do([partial(self._put_back, run) for run in self._runs])

    def _set_aside(self, run: str) -> None:
        from as2d.backend.paths import runs_dir
        from as2d.backend.runs.store import RunStore

        RunStore(runs_dir()).set_aside(run)
        self._aside.add(run)

    def _put_back(self, run: str) -> None:
        from as2d.backend.paths import runs_dir
        from as2d.backend.runs.store import RunStore

        if run in self._aside:
            RunStore(runs_dir()).put_back(run)
            self._aside.discard(run)
