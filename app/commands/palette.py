"""The command palette: every command by a few letters of its name."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from as2d.app.commands.matching import match_score
from as2d.app.commands.names import plain_name
from as2d.app.commands.registry import CommandRegistry
from as2d.app.translation import tr

_WIDTH = 540
_MOST_ROWS = 11
_KEYS = Qt.ItemDataRole.UserRole + 1
_MARGIN = 10


class _Rows(QStyledItemDelegate):
    """A command's name, and its shortcuts in a column at the right edge."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(option.rect.adjusted(0, 0, -_MARGIN, 0), right, index.data(_KEYS) or "")


class CommandPalette(QDialog):
    """A list of the commands that can be used now, narrowed while the user types; as high as it is long. A
    click beside it closes it.
    """

    def __init__(self, registry: CommandRegistry, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._registry = registry
        self.setWindowTitle(tr("Commands"))
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Type a few letters of a command"))
        self.search.setAccessibleName(tr("Search for a command"))
        self.search.setClearButtonEnabled(True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Commands"))
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_Rows(self.list))
        self.list.setFixedWidth(_WIDTH)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        layout.addWidget(self.search)
        layout.addWidget(self.list)
        self.search.textChanged.connect(self._show_matches)
        self.search.installEventFilter(self)
        self.search.returnPressed.connect(self._run_current)
        self.list.itemActivated.connect(lambda _item: self._run_current())
        self.list.itemClicked.connect(lambda _item: self._run_current())
        self._show_matches("")
        self.adjustSize()
        self._place(parent)
        application = QApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and down in the text move through the list; a press beside it closes it."""
        if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            if not self._holds(watched):
                self.reject()
        elif watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.list.count():
                row = (self.list.currentRow() + step) % self.list.count()
                self.list.setCurrentRow(row)
                return True
        return super().eventFilter(watched, event)

    def _show_matches(self, text: str) -> None:
        found = []
        for command in self._registry:
            action = self._registry.action(command.id)
            plain = f"{command.group}: {plain_name(action.text())}"
            score = match_score(text, plain)
            if action.isEnabled() and score is not None:
                found.append((score, plain, command.id))
        self.list.clear()
        for _, plain, name in sorted(found, key=lambda row: (row[0], row[1])):
            keys = ", ".join(
                QKeySequence(own).toString(QKeySequence.SequenceFormat.NativeText)
                for own in self._registry.shortcuts(name)
            )
            item = QListWidgetItem(plain)
            item.setData(Qt.ItemDataRole.UserRole, name)
            item.setData(_KEYS, keys)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{plain}, {keys}" if keys else plain)
            self.list.addItem(item)
        if self.list.count():
            self.list.setCurrentRow(0)
        else:
            nothing = QListWidgetItem(tr("No command has these letters in this order."))
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(nothing)
        rows = min(self.list.count(), _MOST_ROWS)
        self.list.setFixedHeight(rows * self.list.sizeHintForRow(0) + 2 * self.list.frameWidth())

    def _holds(self, widget: QWidget | None) -> bool:
        """Whether a widget belongs here, or to a menu that was opened here."""
        while widget is not None and widget is not self:
            widget = widget.parentWidget()
        return widget is self

    def _run_current(self) -> None:
        name = self.list.currentIndex().data(Qt.ItemDataRole.UserRole)
        if isinstance(name, str):
            self.accept()
            self._registry.run(name)

    def _place(self, parent: QWidget) -> None:
        area = parent.window().geometry()
        self.move(area.center().x() - self.width() // 2, area.top() + area.height() // 6)
