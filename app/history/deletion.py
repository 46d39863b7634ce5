"""Deleting runs, and bringing them back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QUndoCommand

from as2d.app.translation import tr_count
from as2d.backend.errors import UserError

if TYPE_CHECKING:
    from as2d.backend.runs.store import RunStore


class RunDeletion(QUndoCommand):
    """Sets runs aside; the disk is freed when the window is started the next time."""

    def __init__(
        self, store: RunStore, runs: Sequence[str], changed: Callable[[], None], failed: Callable[[str], None]
    ) -> None:
        super().__init__(tr_count(len(runs), "deleting {n} run", "deleting {n} runs"))
        self._store = store
        self._runs = list(runs)
        self._aside: list[str] = []
        self._changed = changed
        self._failed = failed

    def redo(self) -> None:
        """Set the runs aside."""
        self._aside = self._each(self._runs, self._store.set_aside)

    def undo(self) -> None:
        """Put them back."""
        self._each(self._aside, self._store.put_back)

    def _each(self, runs: Sequence[str], do: Callable[[str], None]) -> list[str]:
        done = []
        for run in runs:
            try:
                do(run)
            except UserError as error:
                self._failed(error.message)
            else:
                done.append(run)
        self._changed()
        return done
