"""The page of a comparison's results: the verdict on the outputs, the numbers, what the runs do not share."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QScrollArea,
    QStackedLayout,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from as2d.app.device.cards import clear
from as2d.app.plain import plain_tip
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.comparison import UNKNOWN, ComparisonView

if TYPE_CHECKING:
    from as2d.app.viewmodels.comparison_tables import ShownTable

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROW = 32
_SHOWN_BEFORE, _SHOWN_AFTER = 160, 240


class ResultsPage(QWidget):
    """Shows what came of a comparison, or of recorded runs."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._view: ComparisonView | None = None
        hint = QLabel(
            tr(
                "Here the methods of a comparison stand side by side: their speed window by window, and "
                "whether they wrote the same. Runs of the history are compared too: select two or more, or "
                "one benchmark, and choose 'Compare the selected runs'."
            )
        )
        hint.setObjectName("secondary")
        hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        hint.setWordWrap(True)
        hint.setMargin(40)
        self.verdict = QLabel()
        self.verdict.setObjectName("heading")
        self.verdict.setWordWrap(True)
        self.verdict.setTextFormat(Qt.TextFormat.PlainText)  # names in it may be those of others
        self.verdict.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.cautions = QLabel()
        self.cautions.setObjectName("problem")
        self.cautions.setWordWrap(True)
        self.cautions.setTextFormat(Qt.TextFormat.PlainText)
        self.cautions.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.texts = QLabel()
        self.texts.setWordWrap(True)
        self.texts.setTextFormat(Qt.TextFormat.RichText)
        self.texts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.sides = _table(tr("Runs that are compared"))
        self.shared = QLabel()
        self.shared.setObjectName("secondary")
        self.shared.setWordWrap(True)
        self.shared.setTextFormat(Qt.TextFormat.PlainText)
        self.differences = _table(tr("What the runs do not share"))
        inside = QWidget()
        inside.setObjectName("panel")
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(16, 14, 16, 14)
        layout.setSpacing(10)
        self.notes = QLabel()
        self.notes.setObjectName("secondary")
        self.notes.setWordWrap(True)
        self.notes.setTextFormat(Qt.TextFormat.PlainText)
        self._further = QVBoxLayout()
        self._further.setSpacing(6)
        layout.addWidget(self.cautions)
        for widget in (self.verdict, self.sides, self.texts, self.notes, self.shared, self.differences):
            layout.addWidget(widget)
        layout.addLayout(self._further)
        layout.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setAccessibleName(tr("Table"))
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidget(inside)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(hint)
        self._stack.addWidget(area)
        theme.changed.connect(self._colour)

    def show_hint(self) -> None:
        """There is nothing to show yet."""
        self._view = None
        self._stack.setCurrentIndex(0)

    def show_comparison(self, view: ComparisonView) -> None:
        """Show a comparison."""
        self._view = view
        self.cautions.hide()
        sign = {True: "✓ ", False: "≠ ", None: ""}[view.same]
        self.verdict.setText(sign + view.verdict)
        self._colour()
        self.texts.setVisible(bool(view.texts))
        self.texts.setText("".join(_quoted(*text) for text in view.texts))
        self.shared.setText(
            tr("The runs were not made alike; what they do not share may explain their numbers:")
            if view.differences
            else tr("The runs share versions, models, device and settings.")
        )
        self.shared.setVisible(len(view.runs) > 1)
        self.differences.setVisible(bool(view.differences))
        names = [tr("Setting"), *(view.runs if _a_column_each(view) else ())]
        names += [""] * (max((len(row) for row in view.differences), default=1) - len(names))
        _fill(self.differences, names, view.differences, [""] * len(names), right_from=len(names))
        _fill(self.sides, list(view.heads), view.rows, list(view.about), right_from=2)
        for column in range(len(view.heads)):
            unknown = all(row[column] == UNKNOWN for row in view.rows)
            self.sides.setColumnHidden(column, unknown or (column == 0 and len(view.runs) == 1))
        self._stack.setCurrentIndex(1)

    def show_cautions(self, cautions: Sequence[str]) -> None:
        """Show above everything why the numbers may be no results."""
        self.cautions.setText("\n".join(f"⚠ {caution}" for caution in cautions))
        self.cautions.setVisible(bool(cautions))

    def show_further(self, tables: Sequence[ShownTable], notes: Sequence[str]) -> None:
        """Show further tables below, and what is to be said of the runs."""
        self.notes.setText("\n".join(notes))
        self.notes.setVisible(bool(notes))
        clear(self._further)
        for shown in tables:
            title = QLabel(shown.title)
            title.setObjectName("subtitle")
            title.setWordWrap(True)
            title.setTextFormat(Qt.TextFormat.PlainText)
            table = _table(shown.title)
            _fill(table, list(shown.heads), shown.rows, [""] * len(shown.heads), right_from=1)
            self._further.addWidget(title)
            self._further.addWidget(table)

    def _colour(self) -> None:
        """The verdict in the colour of its meaning, besides its sign."""
        if self._view is None:
            return
        names = {True: "accepted", False: "correction"}
        same = self._view.same
        colour = "" if same is None else f"color: {self._theme.data[names[same]]};"
        self.verdict.setStyleSheet(colour)


def _a_column_each(view: ComparisonView) -> bool:
    return all(len(row) == len(view.runs) + 1 for row in view.differences)


def _table(name: str) -> QTableWidget:
    table = QTableWidget()
    table.setAccessibleName(name)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(_ROW)
    table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    table.horizontalHeader().setHighlightSections(False)
    table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return table


def _fill(
    table: QTableWidget,
    heads: list[str],
    rows: tuple[tuple[str, ...], ...],
    about: list[str],
    *,
    right_from: int,
) -> None:
    """Fill a table and give it the height of its rows."""
    table.clear()
    table.setColumnCount(len(heads))
    table.setRowCount(len(rows))
    for column, head in enumerate(heads):
        item = QTableWidgetItem(head)
        item.setToolTip(plain_tip(about[column]))
        item.setTextAlignment(_RIGHT if column >= right_from else _LEFT)
        table.setHorizontalHeaderItem(column, item)
    for place, row in enumerate(rows):
        for column, text in enumerate(row):
            cell = QTableWidgetItem(text)
            cell.setTextAlignment(_RIGHT if column >= right_from else _LEFT)
            table.setItem(place, column, cell)
    head_height = table.horizontalHeader().sizeHint().height()
    bar = table.horizontalScrollBar().sizeHint().height()
    table.setFixedHeight(head_height + _ROW * len(rows) + bar + 4)


def _quoted(whose: str, same: str, rest: str) -> str:
    """A text with the first word that differs in bold; of what is the same only the end."""
    before = same if len(same) <= _SHOWN_BEFORE else "…" + same[-_SHOWN_BEFORE:]
    word, _, behind = rest.partition(" ")
    after = behind if len(behind) <= _SHOWN_AFTER else behind[:_SHOWN_AFTER] + "…"
    quoted = f"{html.escape(before)}<b>{html.escape(word)}</b> {html.escape(after)}"
    return f"<p>{html.escape(whose)}<br>“{quoted}”</p>"
