"""The command palette: every command by a few letters of its name."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from as2d.app.commands.matching import match_score
from as2d.app.commands.names import plain_name
from as2d.app.commands.registry import CommandRegistry
from as2d.app.translation import tr

_WIDTH = 560
_HEIGHT = 380


class CommandPalette(QDialog):
    """A list of the commands that can be used now, narrowed while the user types."""

    def __init__(self, registry: CommandRegistry, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._registry = registry
        self.setWindowTitle(tr("Commands"))
        self.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        self.resize(_WIDTH, _HEIGHT)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Type a few letters of a command"))
        self.search.setAccessibleName(tr("Search for a command"))
        self.search.setClearButtonEnabled(True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Commands"))
        self.list.setUniformItemSizes(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 10)
        layout.addWidget(self.search)
        layout.addWidget(self.list)
        self.search.textChanged.connect(self._show_matches)
        self.search.installEventFilter(self)
        self.search.returnPressed.connect(self._run_current)
        self.list.itemActivated.connect(lambda _item: self._run_current())
        self.list.itemClicked.connect(lambda _item: self._run_current())
        self._show_matches("")
        self._place(parent)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and down in the text move through the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
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
            item = QListWidgetItem(f"{plain}    {keys}" if keys else plain)
            item.setData(Qt.ItemDataRole.UserRole, name)
            self.list.addItem(item)
        if self.list.count():
            self.list.setCurrentRow(0)
        else:
            nothing = QListWidgetItem(tr("No command has these letters in this order."))
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            self.list.addItem(nothing)

    def _run_current(self) -> None:
        name = self.list.currentIndex().data(Qt.ItemDataRole.UserRole)
        if isinstance(name, str):
            self.accept()
            self._registry.run(name)

    def _place(self, parent: QWidget) -> None:
        area = parent.window().geometry()
        self.move(area.center().x() - self.width() // 2, area.top() + area.height() // 6)
