"""The panel of messages."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from as2d.app.log.messages import Level, LogMessage, MessageLog
from as2d.app.theme.theme import Theme
from as2d.app.translation import tr

_MOST_LINES = 2000


class LogPanel(QWidget):
    """Shows a `MessageLog`, the newest at the end; lines are selected and copied as text."""

    def __init__(self, log: MessageLog, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("panel")
        self._log = log
        self._theme = theme
        self.view = QPlainTextEdit()
        self.view.setReadOnly(True)
        self.view.setMaximumBlockCount(_MOST_LINES)
        self.view.setAccessibleName(tr("Messages"))
        self.view.setPlaceholderText(
            tr("What happens is told here: steps of a run, warnings, and errors with what to do about them.")
        )
        self.view.document().setDocumentMargin(10)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        log.listen(self._append)
        theme.changed.connect(self._show_all)
        self._show_all()

    def _show_all(self) -> None:
        self.view.clear()
        for message in self._log.messages:
            self._append(message)

    def _append(self, message: LogMessage) -> None:
        bar = self.view.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        cursor = QTextCursor(self.view.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if not self.view.document().isEmpty():
            cursor.insertBlock()
        colours = self._theme.colours
        cursor.insertText(f"{message.at:%H:%M:%S}  ", _in_colour(colours.secondary))
        colour = {"error": colours.danger, "warning": colours.warning, "note": colours.text}[message.level]
        cursor.insertText(f"{_mark(message.level)}{message.text}", _in_colour(colour))
        if at_end:
            bar.setValue(bar.maximum())


def _mark(level: Level) -> str:
    return {"error": tr("Error: "), "warning": tr("Warning: "), "note": ""}[level]


def _in_colour(colour: str) -> QTextCharFormat:
    form = QTextCharFormat()
    form.setForeground(QColor(colour))
    return form
