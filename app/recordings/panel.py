"""The panel of recordings: a place to drop them, their list, and what it says while it is empty."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QItemSelectionModel, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QLabel,
    QListView,
    QMenu,
    QPushButton,
    QStackedLayout,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from as2d.app.commands.names import plain_name
from as2d.app.commands.registry import CommandRegistry
from as2d.app.recordings.delegate import RecordingDelegate
from as2d.app.recordings.dropping import can_take, paths_of
from as2d.app.recordings.list_model import RecordingsModel
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr
from as2d.app.viewmodels.recordings import RecordingItem, RecordingList

_ROW_COMMANDS = (
    "recordings.up",
    "recordings.down",
    "recordings.again",
    "recordings.cancel",
    "recordings.remove",
)


class RecordingsPanel(QWidget):
    """Shows a `RecordingList`; tells what was dropped and which recording is current."""

    dropped = Signal(list)
    refused_addresses = Signal(list)
    current_changed = Signal(object)
    selection_changed = Signal()

    def __init__(self, recordings: RecordingList, theme: Theme, registry: CommandRegistry) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAcceptDrops(True)
        self._drop_mark = QWidget(self)
        self._drop_mark.setObjectName("drop")
        self._drop_mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._drop_mark.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._drop_mark.hide()
        self.setMinimumWidth(210)
        self._registry = registry
        self._list = recordings
        self.model = RecordingsModel(recordings, self)
        self.view = QListView()
        self.view.setModel(self.model)
        self.view.setItemDelegate(RecordingDelegate(theme, self.view))
        self.view.setAccessibleName(tr("Recordings"))
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setUniformItemSizes(True)
        self.view.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.view.setDragDropOverwriteMode(False)
        self.view.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.view.setMouseTracking(True)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.selectionModel().currentChanged.connect(
            lambda current, _before: self.current_changed.emit(self.model.item(current))
        )
        self.view.selectionModel().selectionChanged.connect(lambda *_: self.selection_changed.emit())
        registry.keep_to("recordings.remove", self.view)
        self._stack = QStackedLayout()
        self._stack.addWidget(self._empty_page())
        self._stack.addWidget(self.view)
        layout = self._layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._stack, 1)
        layout.addWidget(self._footer())
        theme.changed.connect(self.view.viewport().update)
        recordings.listen(self._follow)
        self._follow(None)

    def put_above_footer(self, widget: QWidget) -> None:
        """Give a widget its place between the list and the buttons."""
        self._layout.insertWidget(1, widget)

    def selected(self) -> list[RecordingItem]:
        """The selected recordings in the order of the list."""
        rows = sorted(self.view.selectionModel().selectedIndexes(), key=lambda index: index.row())
        return [item for item in map(self.model.item, rows) if item is not None]

    def select(self, item: RecordingItem) -> None:
        """Make a recording the current one."""
        row = self.model.row_of(item)
        if row is not None:
            self._make_current(row)

    def mark_drop(self, over: bool) -> None:
        """Show where files that are dragged over the window would go."""
        if over:
            self._drop_mark.setGeometry(self.rect())
            self._drop_mark.raise_()
        self._drop_mark.setVisible(over)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files are welcome."""
        if can_take(event.mimeData()):
            event.acceptProposedAction()
            self.mark_drop(True)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Anywhere on the panel."""
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Not here after all."""
        self.mark_drop(False)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Take the files."""
        self.mark_drop(False)
        local, elsewhere = paths_of(event.mimeData())
        event.acceptProposedAction()
        if local:
            self.dropped.emit([Path(path) for path in local])
        if elsewhere:
            self.refused_addresses.emit(elsewhere)

    def _empty_page(self) -> QWidget:
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.setContentsMargins(18, 18, 18, 18)
        layout.setSpacing(10)
        heading = QLabel(tr("Drop recordings here"))
        heading.setObjectName("heading")
        text = QLabel(tr("Files or whole folders, in any format: WAV, FLAC, MP3, M4A, MP4, OGG, WebM …"))
        text.setObjectName("secondary")
        for label in (heading, text):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(2)
        layout.addWidget(heading)
        layout.addWidget(text)
        layout.addSpacing(6)
        for name in ("recordings.add", "recordings.sample"):
            button = QPushButton(plain_name(self._registry.action(name).text()))
            button.clicked.connect(lambda _checked=False, command=name: self._registry.run(command))
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        return page

    def _footer(self) -> QWidget:
        footer = QWidget()
        footer.setObjectName("footer")
        footer.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        layout = QHBoxLayout(footer)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.setSpacing(2)
        for name in (
            "recordings.add",
            "recordings.folder",
            "recordings.record",
            "recordings.up",
            "recordings.down",
            "recordings.remove",
        ):
            action = self._registry.action(name)
            button = QToolButton()
            button.setDefaultAction(action)
            button.setIconSize(QSize(18, 18))
            button.setAccessibleName(plain_name(action.text()))
            layout.addWidget(button)
        layout.addStretch(1)
        return footer

    def _show_menu(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.addActions([self._registry.action(name) for name in _ROW_COMMANDS])
        menu.exec(self.view.viewport().mapToGlobal(place))

    def _follow(self, item: RecordingItem | None) -> None:
        if item is None:
            self._stack.setCurrentIndex(1 if self._list.items else 0)
            if self._list.items and not self.view.currentIndex().isValid():
                self._make_current(0)

    def _make_current(self, row: int) -> None:
        # By the selection model: the view itself would toggle rows while Ctrl is held down for a shortcut.
        only = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.view.selectionModel().setCurrentIndex(self.model.index(row, 0), only)
