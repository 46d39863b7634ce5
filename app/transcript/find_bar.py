"""Find in the transcript."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QTextEdit, QToolButton, QWidget

from as2d.app.theme.theme import Theme
from as2d.app.transcript.marks import show_marks
from as2d.app.translation import tr, tr_count

_MOST_MARKED = 2000


class FindBar(QWidget):
    """Marks all places of a text and steps through them; Enter is the next, Shift+Enter the one before."""

    def __init__(self, view: QTextEdit, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._view = view
        self._theme = theme
        self._found: list[QTextCursor] = []
        self._current = -1
        self.text = QLineEdit()
        self.text.setPlaceholderText(tr("Find in the transcript"))
        self.text.setAccessibleName(tr("Find in the transcript"))
        self.text.setClearButtonEnabled(True)
        self.count = QLabel()
        self.count.setObjectName("secondary")
        self.count.setMinimumWidth(90)
        self._before = self._button("up", tr("Previous match"))
        self._next = self._button("down", tr("Next match"))
        close = self._button("close", tr("Close"))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 8, 6)
        for widget, stretch in (
            (self.text, 1),
            (self.count, 0),
            (self._before, 0),
            (self._next, 0),
            (close, 0),
        ):
            layout.addWidget(widget, stretch)
        self.text.textChanged.connect(self.search)
        self.text.installEventFilter(self)
        self._before.clicked.connect(lambda: self.step(-1))
        self._next.clicked.connect(lambda: self.step(1))
        close.clicked.connect(self.close_bar)
        view.document().contentsChanged.connect(self._search_again)
        self.hide()

    def use(self, view: QTextEdit) -> None:
        """Find in another text from now on."""
        if view is not self._view:
            show_marks(self._view, "found", [])
            self._view.document().contentsChanged.disconnect(self._search_again)
            self._view = view
            view.document().contentsChanged.connect(self._search_again)
            self._search_again()

    def open_bar(self, text: str | None = None) -> None:
        """Show the bar, with what is selected as the text to find, or with `text`."""
        selected = text if text is not None else self._view.textCursor().selectedText()
        self.show()
        if selected and "\u2029" not in selected:
            self.text.setText(selected.strip())
        self.text.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.text.selectAll()
        self.search()

    def close_bar(self) -> None:
        """Hide the bar and its marks; the current match is selected."""
        if 0 <= self._current < len(self._found):
            self._view.setTextCursor(self._found[self._current])
        self.hide()
        self._found = []
        show_marks(self._view, "found", [])
        self._view.setFocus()

    def search(self) -> None:
        """Find all places and go to the first."""
        self._collect()
        self._current = -1
        if self._found:
            self.step(1)
        else:
            self._mark()

    def step(self, by: int) -> None:
        """Go to the next place, or the one before, round and round."""
        if self._found:
            self._current = (self._current + by) % len(self._found)
            place = QTextCursor(self._found[self._current])
            place.setPosition(place.selectionStart())  # a selection would be painted over the mark
            self._view.setTextCursor(place)
            self._view.ensureCursorVisible()
        self._mark()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter, Shift+Enter and Escape in the text."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
        return super().eventFilter(watched, event)

    def _search_again(self) -> None:
        if not self.isHidden():  # also while another tab is in front
            current = self._found[self._current] if 0 <= self._current < len(self._found) else None
            self._collect()
            # A match that was typed over is none any more; one that only moved is still the current.
            same = (place for place, own in enumerate(self._found) if own == current)
            self._current = next(same, -1) if current is not None else -1
            self._mark()

    def _collect(self) -> None:
        wanted = self.text.text()
        self._found = []
        cursor = QTextCursor(self._view.document())
        while wanted and len(self._found) < _MOST_MARKED:
            cursor = self._view.document().find(wanted, cursor)
            if cursor.isNull():
                break
            self._found.append(QTextCursor(cursor))

    def _mark(self) -> None:
        ground = QTextCharFormat()
        ground.setBackground(QColor(self._theme.colours.selected))
        current = QTextCharFormat()
        current.setBackground(QColor(self._theme.colours.accent))
        current.setForeground(QColor(self._theme.colours.accent_text))
        marks = []
        for place, cursor in enumerate(self._found):
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format = current if place == self._current else ground
            marks.append(mark)
        show_marks(self._view, "found", marks)
        for button in (self._before, self._next):
            button.setEnabled(bool(self._found))
        if not self.text.text():
            self.count.clear()
        elif not self._found:
            self.count.setText(tr("Not found"))
        elif self._current >= 0:
            self.count.setText(tr("{place} of {n}", place=self._current + 1, n=len(self._found)))
        else:
            self.count.setText(tr_count(len(self._found), "{n} match", "{n} matches"))

    def _button(self, icon: str, name: str) -> QToolButton:
        button = QToolButton()
        button.setIcon(self._theme.icon(icon))
        button.setToolTip(name)
        button.setAccessibleName(name)
        self._theme.changed.connect(lambda: button.setIcon(self._theme.icon(icon)))
        return button
