"""The positions of a call as a table: candidate, the target's choice, margin, outcome."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor

from as2d.app.timeline.colours import Colours
from as2d.app.translation import tr
from as2d.app.viewmodels.call import CallView, Position
from as2d.app.viewmodels.timeline import END_TEXT

_Index = QModelIndex | QPersistentModelIndex
_SIGNS = {"accepted": "✓", "correction": "✗", "extra": "+", "unused": "·"}
_COLOURS = {"accepted": "accepted", "correction": "correction", "extra": "target-only", "unused": "muted"}


def shown_token(text: str, token: int) -> str:
    """A token so that its blanks are seen; its number where its text is not known."""
    if text.startswith("#"):
        return text
    if text == END_TEXT:
        return tr("end of text")
    return text.replace(" ", "␣").replace("\n", "⏎") or f"#{token}"


class PositionsModel(QAbstractTableModel):
    """One row a position of the call."""

    def __init__(self, colours: Colours) -> None:
        super().__init__()
        self._colours = colours
        self._rows: tuple[Position, ...] = ()

    def show(self, view: CallView | None, colours: Colours) -> None:
        """Show the positions of a call; None: of none."""
        self.beginResetModel()
        self._colours = colours
        self._rows = () if view is None else view.positions
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index | None = None) -> int:  # noqa: ARG002
        return 4

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:  # noqa: ANN401
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section == 2 else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        return (tr("Candidate"), tr("Target"), tr("Margin"), tr("Outcome"))[section]

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401
        row = self._rows[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column == 2:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.DecorationRole and column == 3:
            return QColor(self._colours[_COLOURS[row.state]])
        if role == Qt.ItemDataRole.ForegroundRole and row.state == "unused":
            return self._colours["muted"]
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(row, column)
        return None

    def _text(self, row: Position, column: int) -> str:
        if column == 0:
            return "" if row.candidate is None else shown_token(row.candidate_text, row.candidate)
        if column == 1:
            return shown_token(row.choice_text, row.choice)
        if column == 2:
            return f"{row.margin:.3f}"
        return f"{_SIGNS[row.state]} {_outcome(row)}"

    def _tip(self, row: Position, column: int) -> str:
        if column == 0:
            return "" if row.candidate is None else tr("token {id}", id=row.candidate)
        if column == 1:
            return tr("token {id}", id=row.choice)
        if column == 2:
            return tr("Difference of the two best logits; small ones are near-ties.")
        return _about(row)


def _outcome(row: Position) -> str:
    return {
        "accepted": tr("accepted"),
        "correction": tr("correction"),
        "extra": tr("new root"),
        "unused": tr("not used"),
    }[row.state]


def _about(row: Position) -> str:
    return {
        "accepted": tr("The target chose the same token as the draft."),
        "correction": tr("The target's own token, in place of the candidate; the next call begins with it."),
        "extra": tr("The target's own token behind the last candidate; the next call begins with it."),
        "unused": tr("It lies behind the correction, so that the target chose for a text that there is not."),
    }[row.state]
