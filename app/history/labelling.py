"""Naming and tagging runs, and taking it back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from as2d.app.history.writing import HistoryWriter

if TYPE_CHECKING:
    from as2d.backend.runs.labels import Labels


class RunLabelling(QUndoCommand):
    """Changes the labels of runs."""

    def __init__(
        self, writer: HistoryWriter, runs: Sequence[str], change: Callable[[Labels], Labels], what: str
    ) -> None:
        """`what` names it in the undo command, as 'naming a run'."""
        super().__init__(what)
        self._writer = writer
        self._runs = list(runs)
        self._change = change
        self._before: dict[str, Labels] = {}

    def redo(self) -> None:
        """Change them."""
        self._writer.do([partial(self._label, run) for run in self._runs])

    def undo(self) -> None:
        """Give them their labels from before."""
        self._writer.do([partial(self._restore, run) for run in self._runs])

    def _label(self, run: str) -> None:
        from as2d.backend.paths import runs_dir
        from as2d.backend.runs.store import RunStore

        self._before[run] = RunStore(runs_dir()).label(run, self._change)

    def _restore(self, run: str) -> None:
        from as2d.backend.paths import runs_dir
        from as2d.backend.runs.store import RunStore

        before = self._before.pop(run, None)
        if before is not None:
            RunStore(runs_dir()).label(run, lambda _now: before)
