"""The panel of recorded runs: found by a few letters, opened again, deleted and brought back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPoint,
    QSortFilterProxyModel,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QStackedLayout,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from as2d.app.commands.registry import CommandRegistry
from as2d.app.history.model import (
    ACCEPTANCE,
    FOUND,
    KIND,
    LENGTH,
    METHOD,
    NAME,
    SIZE,
    SORT_ROLE,
    SPEED,
    TAGS,
    TOKENS,
    HistoryModel,
)
from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.sizes import size_text
from as2d.backend.paths import runs_dir

if TYPE_CHECKING:
    from as2d.backend.runs.index import RunRow

_WIDTH_OF_ALL, _WIDTH_OF_FOUND, _WIDTH_OF_TAGS, _WIDTH_OF_NUMBER = 960, 260, 110, 76
_NARROWEST_METHOD, _WIDEST_METHOD = 90, 130
_GIVEN_UP = (TOKENS, SIZE, ACCEPTANCE, LENGTH, SPEED)
"""Columns that are left out where there is no room, the first one first."""
_PAUSE_MS = 250
"""How long after the last letter the texts are searched."""


class _Filter(QSortFilterProxyModel):
    """Keeps the runs that have every word in their row, or in which all are said."""

    def __init__(self) -> None:
        super().__init__()
        self._words: list[str] = []
        self.setSortRole(SORT_ROLE)

    def search(self, text: str) -> None:
        self.beginFilterChange()
        self._words = text.casefold().split()
        self.endFilterChange()

    def filterAcceptsRow(self, row: int, parent: QModelIndex) -> bool:  # type: ignore[override]  # noqa: ARG002
        model = self.sourceModel()
        if not self._words or not isinstance(model, HistoryModel) or model.is_found(row):
            return True
        whole = model.words(row)
        return all(word in whole for word in self._words)


class HistoryPanel(QWidget):
    """Shows the runs; `open_wanted` is emitted with the folder of the one to open, `shown` whenever the panel
    comes into sight.
    """

    open_wanted = Signal(object)
    search_wanted = Signal(str)
    selection_changed = Signal()
    shown = Signal()

    def __init__(self, registry: CommandRegistry) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._registry = registry
        self.model = HistoryModel(self)
        self._filter = _Filter()
        self._filter.setSourceModel(self.model)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search the runs: words that were said, names, tags, dates"))
        self.search.setAccessibleName(tr("Search the runs"))
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._search)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: self.search_wanted.emit(self.search.text()))
        self.count = QLabel()
        self.count.setObjectName("secondary")
        self.table = QTableView()
        self.table.setModel(self._filter)
        self.table.setAccessibleName(tr("Recorded runs"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(32)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.table.horizontalHeader().setSectionResizeMode(METHOD, QHeaderView.ResizeMode.Fixed)
        self.table.horizontalHeader().setHighlightSections(False)
        self.table.horizontalHeader().setSectionResizeMode(FOUND, QHeaderView.ResizeMode.Stretch)
        for place, column in enumerate((KIND, FOUND, TAGS), start=NAME + 1):
            self.table.horizontalHeader().moveSection(
                self.table.horizontalHeader().visualIndex(column), place
            )
        self.table.activated.connect(lambda _index: self.open_current())
        self.table.selectionModel().selectionChanged.connect(lambda *_: self.selection_changed.emit())
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.customContextMenuRequested.connect(self._show_menu)
        registry.keep_to("history.delete", self.table)
        self._hint = QLabel(tr("Every run is kept here and can be opened again. There is none yet."))
        self._hint.setObjectName("secondary")
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setWordWrap(True)
        head = QWidget()
        head.setObjectName("strip")
        head.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(head)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(self.search, 1)
        row.addWidget(self.count)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._hint)
        self._stack.addWidget(self.table)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(head)
        layout.addLayout(self._stack, 1)

    def show_runs(self, rows: Sequence[RunRow]) -> None:
        """Show these runs; the selection, and what is in sight, stay where the runs are still there."""
        if rows and self.model.shows(rows):
            return
        chosen = {row.run for row in self.selected()}
        scrolled = self.table.verticalScrollBar().value()
        self.model.show(rows)
        whole_row = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for place in range(self._filter.rowCount()):
            index = self._filter.index(place, 0)
            run = self.model.row(self._filter.mapToSource(index))
            if run is not None and run.run in chosen:
                self.table.selectionModel().select(index, whole_row)
        self.table.verticalScrollBar().setValue(scrolled)
        self._stack.setCurrentIndex(1 if rows else 0)
        self._fit_columns()
        self.selection_changed.emit()
        self._tell_count()

    def selected(self) -> list[RunRow]:
        """The selected runs."""
        places = self.table.selectionModel().selectedRows()
        found = (self.model.row(self._filter.mapToSource(place)) for place in places)
        return [row for row in found if row is not None]

    def open_current(self) -> None:
        """Open the first of the selected runs."""
        for row in self.selected()[:1]:
            self.open_wanted.emit(Path(runs_dir() / row.run))

    def found_words(self, folder: Path) -> str:
        """The words that are searched for, if they are said in the run of a folder; else nothing."""
        return self.search.text().strip() if self.model.says(folder.name) else ""

    def show_found(self, words: str, found: Mapping[str, str]) -> None:
        """Show in which runs the words are said, unless others are searched for by now."""
        if words != self.search.text():
            return
        self.model.show_found(found)
        self._filter.search(words)
        self._fit_columns()
        self._tell_count()

    def event(self, event: QEvent) -> bool:
        """The keys that find look among the runs while the panel has the keyboard."""
        if isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Find):
            if event.type() == QEvent.Type.KeyPress:
                self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
                self.search.selectAll()
            event.accept()
            return True
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Show the columns that there is something in and room for."""
        searching, width = self.model.has_found(), self.width()
        self.table.setColumnHidden(FOUND, not searching)
        self.table.setColumnHidden(TAGS, not self.model.has_tags())
        # A comparison's methods are many; the runs are told apart by their recordings.
        wanted = max(self.table.sizeHintForColumn(METHOD), _NARROWEST_METHOD)
        self.table.setColumnWidth(METHOD, min(wanted, _WIDEST_METHOD))
        needed = _WIDTH_OF_ALL + (_WIDTH_OF_FOUND if searching else 0)
        needed += _WIDTH_OF_TAGS if self.model.has_tags() else 0
        for column in _GIVEN_UP:
            self.table.setColumnHidden(column, width < needed)
            needed -= _WIDTH_OF_NUMBER

    def _search(self, text: str) -> None:
        self._filter.search(text)
        if text.strip():
            self._pause.start()
        else:
            self._pause.stop()
            self.show_found(text, {})
        self._tell_count()

    def _tell_count(self) -> None:
        shown, all_runs = self._filter.rowCount(), self.model.rowCount()
        if shown == all_runs:
            size = size_text(self.model.bytes())
            self.count.setText(tr_count(all_runs, "{n} run, {size}", "{n} runs, {size}", size=size))
        else:
            self.count.setText(tr("{shown} of {n} runs", shown=shown, n=all_runs))

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        names = ("open", "compare", "rename", "tag", "bundle", "delete")
        menu.addActions([self._registry.action(f"history.{name}") for name in names])
        menu.exec(self.table.viewport().mapToGlobal(place))
