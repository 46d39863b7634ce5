"""The list of recordings as Qt's views know lists."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from as2d.app.plain import plain_tip
from as2d.app.recordings.words import details_of, status_words
from as2d.app.sentences import in_window
from as2d.app.viewmodels.recordings import RecordingItem, RecordingList

ITEM_ROLE = Qt.ItemDataRole.UserRole + 1
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ROWS = "application/x-as2d-recordings"


class RecordingsModel(QAbstractListModel):
    """Follows a `RecordingList`. `moved` is emitted with recordings that were dragged, and the row that the
    first of them is to stand before.
    """

    moved = Signal(list, int)

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
            return plain_tip("\n".join([str(item.path), details_of(item), *map(in_window, item.warnings)]))
        return item if role == ITEM_ROLE else None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Those that wait can be dragged to another place."""
        item = self.item(index)
        flags = super().flags(index)
        if item is None:
            return flags | Qt.ItemFlag.ItemIsDropEnabled
        return flags | Qt.ItemFlag.ItemIsDragEnabled if item.status == "waiting" else flags

    def supportedDropActions(self) -> Qt.DropAction:
        """Rows are moved."""
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        """Rows of this list only; files are taken by the panel."""
        return [_ROWS]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        """The keys of the dragged recordings, in their order."""
        rows = sorted({index.row() for index in indexes})
        data = QMimeData()
        data.setData(_ROWS, " ".join(str(self._rows[row].key) for row in rows).encode("ascii"))
        return data

    def dropMimeData(
        self,
        data: QMimeData,
        action: Qt.DropAction,
        row: int,
        column: int,  # noqa: ARG002
        parent: _Index,
    ) -> bool:
        """Tell where recordings are to go; the list moves them."""
        if action != Qt.DropAction.MoveAction or not data.hasFormat(_ROWS):
            return False
        keys = {int(key) for key in bytes(data.data(_ROWS).data()).split()}
        items = [item for item in self._rows if item.key in keys]
        self.moved.emit(items, row if row >= 0 else parent.row() if parent.isValid() else len(self._rows))
        return False  # True would have the view take the dragged rows out

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
