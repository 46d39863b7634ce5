"""The recorded runs as a table."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from as2d.app.translation import tr
from as2d.app.viewmodels.arm_names import methods_words
from as2d.app.viewmodels.clock import clock_text
from as2d.app.viewmodels.run_kinds import kind_words
from as2d.app.viewmodels.sizes import size_text

if TYPE_CHECKING:
    from as2d.backend.runs.index import RunRow

SORT_ROLE = Qt.ItemDataRole.UserRole + 1
_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_NONE = "–"
NAME, LENGTH, METHOD, TOKENS, ACCEPTANCE, SPEED, SIZE, TAGS, FOUND, KIND = 1, 2, 3, 5, 6, 7, 8, 9, 10, 11
"""Columns; `FOUND` is what a search found."""


class HistoryModel(QAbstractTableModel):
    """One row a run, the newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[RunRow] = []
        self._titles = [
            tr("Made"),
            tr("Recordings"),
            tr("Length"),
            tr("Method"),
            tr("State"),
            tr("Tokens"),
            tr("Acceptance"),
            tr("Tokens/s"),
            tr("Size"),
            tr("Tags"),
            tr("Found"),
            tr("Kind"),
        ]
        self._found: dict[str, str] = {}

    def shows(self, rows: Sequence[RunRow]) -> bool:
        """Whether these very runs are shown."""
        return list(rows) == self._rows

    def show(self, rows: Sequence[RunRow]) -> None:
        """Show these runs."""
        self.beginResetModel()
        self._rows = list(rows)
        self.endResetModel()

    def show_found(self, found: Mapping[str, str]) -> None:
        """Show where the words that are searched for were said, by run."""
        self._found = dict(found)
        if self._rows:
            self.dataChanged.emit(self.index(0, FOUND), self.index(len(self._rows) - 1, FOUND))

    def has_tags(self) -> bool:
        """Whether a run has tags."""
        return any(row.tags for row in self._rows)

    def has_found(self) -> bool:
        """Whether a search found words that were said."""
        return any(self._found.values())

    def bytes(self) -> int:
        """What all runs take of the disk."""
        return sum(row.bytes for row in self._rows)

    def is_found(self, row: int) -> bool:
        """Whether the words that are searched for were said in the run of a row."""
        return self._rows[row].run in self._found

    def says(self, run: str) -> bool:
        """Whether the words that are searched for were said in a run."""
        return bool(self._found.get(run))

    def words(self, row: int) -> str:
        """All that is written in a row, small, without what was found; methods by their short names too."""
        columns = (column for column in range(len(self._titles)) if column != FOUND)
        shown = (_cell(self._rows[row], column)[0] for column in columns)
        return " ".join((*shown, self._rows[row].method)).casefold()

    def row(self, index: _Index) -> RunRow | None:
        """The run of a row."""
        return self._rows[index.row()] if index.isValid() else None

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Number of runs."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Titles of the columns."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Texts, values to sort by, alignment."""
        row = self.row(index)
        if row is None:
            return None
        if index.column() == FOUND:
            text = self._found.get(row.run, "")
            value: str | float = text
        else:
            text, value = _cell(row, index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.ToolTipRole:
            drafter = row.drafter or tr("none")
            models = tr("target {target}, drafter {drafter}", target=row.target, drafter=drafter)
            lines = [row.name, row.title, methods_words(row.method), row.device, models, row.run]
            if row.origin is not None:
                lines.append(tr("from the bundle {name}", name=row.origin))
            # Names may come from a bundle: they are no HTML.
            return "<br>".join(html.escape(line) for line in lines if line)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        return value if role == SORT_ROLE else None


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in (2, 5, 6, 7, 8) else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _cell(row: RunRow, column: int) -> tuple[str, str | float]:
    acceptance = row.accepted / row.proposed if row.proposed else None
    match column:
        case 0:
            made = datetime.fromisoformat(row.created.replace("Z", "+00:00")).astimezone()
            return f"{made:%Y-%m-%d %H:%M}", row.created
        case 1:
            shown = row.name or row.title
            return shown, shown.casefold()
        case 2:
            return clock_text(row.audio_s), row.audio_s
        case 3:
            return methods_words(row.method), row.method
        case 4:
            return _status_words(row.status), row.status
        case 5:
            return f"{row.tokens}", row.tokens
        case 6:
            return (f"{100 * acceptance:.0f} %", acceptance) if acceptance is not None else (_NONE, -1.0)
        case 7:
            return (f"{row.tps:.1f}", row.tps) if row.tps is not None else (_NONE, -1.0)
        case 8:
            return size_text(row.bytes), float(row.bytes)
        case 11:
            return kind_words(row.command), kind_words(row.command).casefold()
    return row.tags.replace(" ", ", "), row.tags.casefold()


def _status_words(status: str) -> str:
    return {
        "running": tr("running"),
        "done": tr("done"),
        "partial": tr("partial"),
        "failed": tr("failed"),
        "cancelled": tr("cancelled"),
        "interrupted": tr("interrupted"),
    }.get(status, status)
