"""Taking recordings off the list, and putting them back."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QUndoCommand

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.recordings import RecordingItem, RecordingList


class Removal(QUndoCommand):
    """Removes recordings from the list only; files are never touched."""

    def __init__(self, recordings: RecordingList, items: Sequence[RecordingItem]) -> None:
        count = len(items)
        if count == 1:
            super().__init__(tr("removing {name}", name=items[0].name))
        else:
            super().__init__(tr_count(count, "removing {n} recording", "removing {n} recordings"))
        self._list = recordings
        self._items = list(items)
        self._taken: list[tuple[int, RecordingItem]] = []

    def redo(self) -> None:
        """Remove."""
        self._taken = self._list.remove(self._items)

    def undo(self) -> None:
        """Put back where they were."""
        self._list.restore(self._taken)
