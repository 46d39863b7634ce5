"""All shortcuts in one place, to look up and to change."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from as2d.app.commands.names import plain_name
from as2d.app.commands.registry import CommandRegistry
from as2d.app.translation import tr

_NAME = Qt.ItemDataRole.UserRole


class ShortcutsDialog(QDialog):
    """Lists the commands with their shortcuts; the selected one's can be changed at once."""

    def __init__(self, registry: CommandRegistry, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.resize(600, 560)
        self._registry = registry
        self.list = QTreeWidget()
        self.list.setColumnCount(2)
        self.list.setHeaderLabels([tr("Command"), tr("Shortcut")])
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.list.setRootIsDecorated(False)
        self.list.setAccessibleName(tr("Commands and their shortcuts"))
        self.keys = QKeySequenceEdit()
        self.keys.setMaximumSequenceLength(1)
        self.keys.setAccessibleName(tr("New shortcut"))
        for field in self.keys.findChildren(QLineEdit):
            field.setAccessibleName(tr("New shortcut"))
        self.set_button = QPushButton(tr("Set"))
        self.reset_button = QPushButton(tr("As at first"))
        self.problem = QLabel()
        self.problem.setObjectName("secondary")
        self.problem.setWordWrap(True)
        row = QHBoxLayout()
        row.addWidget(QLabel(tr("New shortcut:")))
        row.addWidget(self.keys, 1)
        row.addWidget(self.set_button)
        row.addWidget(self.reset_button)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 14)
        layout.setSpacing(10)
        layout.addWidget(self.list, 1)
        layout.addLayout(row)
        layout.addWidget(self.problem)
        layout.addWidget(buttons)
        self.set_button.clicked.connect(self._set)
        self.reset_button.clicked.connect(self._reset)
        self._fill(None)

    def _fill(self, chosen: str | None) -> None:
        self.list.clear()
        for command in self._registry:
            keys = ", ".join(
                QKeySequence(own).toString(QKeySequence.SequenceFormat.NativeText)
                for own in self._registry.shortcuts(command.id)
            )
            plain = plain_name(self._registry.action(command.id).text())
            item = QTreeWidgetItem([f"{command.group}: {plain}", keys])
            item.setData(0, _NAME, command.id)
            self.list.addTopLevelItem(item)
            if command.id == chosen:
                self.list.setCurrentItem(item)
        first = self.list.topLevelItem(0)
        if chosen is None and first is not None:
            self.list.setCurrentItem(first)

    def _current(self) -> str | None:
        item = self.list.currentItem()
        return str(item.data(0, _NAME)) if item is not None else None

    def _set(self) -> None:
        name = self._current()
        keys = self.keys.keySequence().toString(QKeySequence.SequenceFormat.PortableText)
        if name is None or not keys:
            self.problem.setText(tr("Press the new shortcut in the field first."))
            return
        holder = self._registry.holder_of(keys, name)
        if holder is not None:
            other = plain_name(self._registry.action(holder.id).text())
            self.problem.setText(
                tr(
                    "{keys} belongs to '{command}'; choose another, or change that one first.",
                    keys=keys,
                    command=other,
                )
            )
            return
        self.problem.clear()
        self._registry.change_shortcuts(name, [keys])
        self.keys.clear()
        self._fill(name)

    def _reset(self) -> None:
        name = self._current()
        if name is not None:
            self.problem.clear()
            self._registry.change_shortcuts(name, None)
            self._fill(name)
