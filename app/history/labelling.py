"""Naming and tagging runs, and taking it back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.backend.runs.labels import Labels


class RunLabelling(QUndoCommand):
    """Changes the labels of runs."""

    def __init__(
        self,
        runs: Sequence[str],
        change: Callable[[Labels], Labels],
        what: str,
        changed: Callable[[], None],
        failed: Callable[[str], None],
    ) -> None:
        """`what` names it in the undo command, as 'naming a run'."""
        super().__init__(what)
        self._runs = list(runs)
        self._change = change
        self._before: dict[str, Labels] = {}
        self._changed = changed
        self._failed = failed

    def redo(self) -> None:
        """Change them."""
        for run in self._runs:
            self._each(run, self._change)

    def undo(self) -> None:
        """Give them their labels from before."""
        before, self._before = self._before, {}
        for run, labels in before.items():
            self._each(run, lambda _now, labels=labels: labels)  # type: ignore[misc]

    def _each(self, run: str, change: Callable[[Labels], Labels]) -> None:
        from as2d.backend.paths import runs_dir
        from as2d.backend.runs.store import RunStore

        try:
            self._before[run] = RunStore(runs_dir()).label(run, change)
        except UserError as error:
            self._failed(error.message)
        self._changed()
