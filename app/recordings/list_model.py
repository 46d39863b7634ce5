"""The list of recordings as Qt's views know lists."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from as2d.app.recordings.words import details_of, status_words
from as2d.app.viewmodels.recordings import RecordingItem, RecordingList

ITEM_ROLE = Qt.ItemDataRole.UserRole + 1
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


class RecordingsModel(QAbstractListModel):
    """Follows a `RecordingList`."""

    def __init__(self, recordings: RecordingList, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._list = recordings
        self._rows = list(recordings.items)
        recordings.listen(self._follow)

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Number of recordings."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Name, sentence for screen readers and tool tip, or the item itself."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        item = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return item.name
        if role in (Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.AccessibleDescriptionRole):
            return f"{item.name}, {status_words(item)}, {details_of(item)}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join([str(item.path), details_of(item), *item.warnings])
        return item if role == ITEM_ROLE else None

    def item(self, index: _Index) -> RecordingItem | None:
        """The recording of a row."""
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def row_of(self, item: RecordingItem) -> int | None:
        """The row of a recording."""
        return next((row for row, own in enumerate(self._rows) if own.key == item.key), None)

    def _follow(self, item: RecordingItem | None) -> None:
        if item is None:
            self._take_out()
            self._rearrange()
            self._put_in()
            if self._rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0))
        elif (row := self.row_of(item)) is not None:
            index = self.index(row, 0)
            self.dataChanged.emit(index, index)

    def _take_out(self) -> None:
        kept = {item.key for item in self._list.items}
        for row in reversed(range(len(self._rows))):
            if self._rows[row].key not in kept:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._rows[row]
                self.endRemoveRows()

    def _rearrange(self) -> None:
        shown = {item.key for item in self._rows}
        wanted = [item for item in self._list.items if item.key in shown]
        if [item.key for item in wanted] == [item.key for item in self._rows]:
            self._rows = wanted
            return
        self.layoutAboutToBeChanged.emit()
        before = {index: self._rows[index.row()].key for index in self.persistentIndexList()}
        self._rows = wanted
        rows = {item.key: row for row, item in enumerate(wanted)}
        for index, key in before.items():
            self.changePersistentIndex(index, self.index(rows[key], 0))
        self.layoutChanged.emit()

    def _put_in(self) -> None:
        shown = {item.key for item in self._rows}
        for row, item in enumerate(self._list.items):
            if item.key not in shown:
                self.beginInsertRows(QModelIndex(), row, row)
                self._rows.insert(row, item)
                self.endInsertRows()
