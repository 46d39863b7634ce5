"""The transcript as text that can be corrected."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QTextBlockFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit

from as2d.app.recordings.dropping import can_take
from as2d.app.theme.theme import Theme
from as2d.app.transcript.marks import show_marks, spoken_mark
from as2d.app.transcript.measure import keep_measure
from as2d.app.translation import tr
from as2d.app.viewmodels.spoken import SpokenWord
from as2d.app.viewmodels.transcript import CorrectedText
from as2d.backend.export.scripts import ends_sentence, is_unspaced, may_break_between

_LINE_PERCENT = 155
_MARGIN = 22
_LONG = 700
_SENTENCE_SEEN = 64
_SAVE_MS = 700
# What stood before a paragraph that only keeps the text quick to lay out; it is none of the correction.
_SOFT = QTextFormat.Property.UserProperty.value


class CorrectionEditor(QTextEdit):
    """Edits one text. `edited` comes a moment after the last key; `left` when Escape is pressed."""

    edited = Signal()
    left = Signal()

    def __init__(self, theme: Theme, text_size: int) -> None:
        super().__init__()
        self._theme = theme
        self._places: dict[tuple[str, int], tuple[int, int]] = {}
        self._placed: tuple[CorrectedText, int] | None = None
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setAccessibleName(tr("Correct the transcript"))
        self.document().setDocumentMargin(_MARGIN)
        self.set_text_size(text_size)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(_SAVE_MS)
        self._soon.timeout.connect(self.edited)
        self.document().contentsChanged.connect(self._soon.start)

    def begin(self, text: str, before: str = "") -> None:
        """Edit this text from now on; nothing of it can be undone. The cursor goes where `before` ends, white
        space left aside: as what is read, with other gaps, up to the place that was chosen there.
        """
        self.blockSignals(True)
        self.setUndoRedoEnabled(False)
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.setBlockFormat(_block())
        for row, paragraph in enumerate(text.split("\n")):
            for part, (gap, piece) in enumerate(_pieces(" ".join(paragraph.split()))):
                if row or part:
                    cursor.insertBlock(_block(gap if part else None))
                cursor.insertText(piece)
        self.setUndoRedoEnabled(True)
        self.blockSignals(False)
        cursor.setPosition(end_of(before, self.toPlainText()))
        self.setTextCursor(cursor)
        self._soon.stop()

    def text_before_cursor(self) -> str:
        """The text up to the cursor."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self.textCursor().position(), QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText()

    def corrected(self) -> str:
        """The text as it is now; soft paragraphs are joined by what stood between them."""
        lines: list[str] = []
        block = self.document().begin()
        while block.isValid():
            form = block.blockFormat()
            if form.hasProperty(_SOFT) and lines:
                lines[-1] += f"{form.stringProperty(_SOFT)}{block.text()}"
            else:
                lines.append(block.text())
            block = block.next()
        return "\n".join(" ".join(line.split()) for line in lines).strip()

    def pending(self) -> bool:
        """Whether something was typed that `edited` has not told yet."""
        return self._soon.isActive()

    def set_text_size(self, pixels: int) -> None:
        """Change the size of the text."""
        font = self.font()
        font.setPixelSize(pixels)
        self.setFont(font)
        self.document().setDefaultFont(font)
        keep_measure(self)

    def mark_spoken(self, text: CorrectedText | None, word: SpokenWord | None) -> None:
        """Mark the word that is heard, where `text` is what stands here."""
        if text is None or word is None:
            show_marks(self, "spoken", [])
            return
        if (
            self._placed is None
            or self._placed[0] is not text
            or self._placed[1] != self.document().revision()
        ):
            self._places = _places(text, self.toPlainText())
            self._placed = (text, self.document().revision())
        found = [
            self._places.get((word.window, index)) for index in range(word.first, word.first + word.tokens)
        ]
        known = [place for place in found if place is not None]
        marks = [spoken_mark(self, known[0][0], known[-1][1], self._theme)] if known else []
        show_marks(self, "spoken", marks)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines end at the editor's width, or before."""
        super().resizeEvent(event)
        keep_measure(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter begins a paragraph of the correction; Escape leaves."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.textCursor().insertBlock(_block())
            self.ensureCursorVisible()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Files that are dropped here go to the list, as everywhere on the window."""
        return not can_take(source) and super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pasted lines are paragraphs."""
        cursor = self.textCursor()
        cursor.beginEditBlock()
        for row, line in enumerate(source.text().splitlines()):
            if row:
                cursor.insertBlock(_block())
            cursor.insertText(line)
        cursor.endEditBlock()
        self.setTextCursor(cursor)


def end_of(before: str, plain: str) -> int:
    """Where as many characters as `before` has, white space not counted, end in a text; in UTF-16 units, as
    Qt counts. Behind white space the next word is meant.
    """
    left = sum(not character.isspace() for character in before)
    at = 0
    while left and at < len(plain):
        left -= not plain[at].isspace()
        at += 1
    while (not before or before[-1].isspace()) and at < len(plain) and plain[at].isspace():
        at += 1
    return len(plain[:at].encode("utf-16-le")) // 2


def _block(gap: str | None = None) -> QTextBlockFormat:
    """`gap`: the paragraph is a soft one, and this stood before it."""
    form = QTextBlockFormat()
    form.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    if gap is not None:
        form.setProperty(_SOFT, gap)
    return form


def _pieces(paragraph: str) -> list[tuple[str, str]]:
    """A long paragraph in parts, each with what stood before it: a space, or nothing between two characters
    of a script without spaces. They end with a sentence where there is an end not too far away.
    """
    pieces, gap, begin = [], "", 0
    while len(paragraph) - begin > _LONG:
        end = _cut(paragraph, begin + _LONG)
        if end is None:
            break
        pieces.append((gap, paragraph[begin:end]))
        gap = " " if paragraph[end] == " " else ""
        begin = end + len(gap)
    pieces.append((gap, paragraph[begin:]))
    return pieces


def _cut(paragraph: str, begin: int) -> int | None:
    """The place from `begin` on before which a part ends best; None: there is none before the end."""
    first = None
    for place in range(begin, len(paragraph) - 1):
        left, right = paragraph[place - 1], paragraph[place]
        unspaced = is_unspaced(left) and is_unspaced(right) and may_break_between(left, right)
        if right != " " and not unspaced:
            continue
        if ends_sentence(paragraph[max(place - _SENTENCE_SEEN, 0) : place]):
            return place
        first = place if first is None else first
        if place - begin > _LONG:
            break
    return first


def _places(text: CorrectedText, plain: str) -> dict[tuple[str, int], tuple[int, int]]:
    """Where each piece stands; empty where another text stands here."""
    places: dict[tuple[str, int], tuple[int, int]] = {}
    at = 0
    for piece in text.shown:
        word = piece.text.strip()
        while at < len(plain) and plain[at].isspace():
            at += 1
        if not plain.startswith(word, at):
            return {}
        places[piece.window, piece.index] = (at, at + len(word))
        at += len(word)
    return places
