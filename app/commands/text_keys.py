"""Keys that edit text belong to the text while one is edited, whatever command has them elsewhere."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

_NAMES = (
    "Delete",
    "Cut",
    "Copy",
    "Paste",
    "Undo",
    "Redo",
    "SelectAll",
    "Backspace",
    "MoveTo",
    "Select",
    "Insert",
)
TEXT_KEYS = tuple(
    key
    for key in QKeySequence.StandardKey
    if key.name.startswith(_NAMES) and key.name not in ("DeleteTab", "SelectTab")
)
"""What a text can be told by keys; which ones they are is the desktop's."""
_ALT_GR = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


class TextKeys(QObject):
    """Keeps the window's shortcuts from taking a key that the text with the focus understands.

    Qt's own controls leave some of them, as that for the word before, to shortcuts.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._follow)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Claim the key before a shortcut does."""
        if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
            return False
        if not is_edited(watched) or not edits_text(event):
            return False
        event.accept()
        return True

    def _follow(self, before: QWidget | None, now: QWidget | None) -> None:
        if before is not None:
            before.removeEventFilter(self)
        if isinstance(now, QLineEdit | QTextEdit | QPlainTextEdit | QAbstractSpinBox | QComboBox):
            now.installEventFilter(self)


def is_edited(control: QObject) -> bool:
    """Whether text can be typed into it."""
    if isinstance(control, QComboBox):
        return control.isEditable()
    if isinstance(control, QLineEdit | QTextEdit | QPlainTextEdit | QAbstractSpinBox):
        return not control.isReadOnly()
    return False


def edits_text(event: QKeyEvent) -> bool:
    """Whether the key does something to a text, or types a letter by AltGr, which is Ctrl and Alt to some."""
    typed = event.modifiers() & _ALT_GR == _ALT_GR and event.text().isprintable() and bool(event.text())
    return typed or any(event.matches(key) for key in TEXT_KEYS)
