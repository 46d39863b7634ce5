"""The transcript as text that can be corrected."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextBlockFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit

from as2d.app.theme.theme import Theme
from as2d.app.transcript.marks import show_marks, spoken_mark
from as2d.app.translation import tr
from as2d.app.viewmodels.spoken import SpokenWord
from as2d.app.viewmodels.transcript import CorrectedText
from as2d.backend.export.scripts import ends_sentence, is_unspaced

_LINE_PERCENT = 155
_MARGIN = 22
_LONG = 700
_SAVE_MS = 700
# A paragraph that only keeps the text quick to lay out; it is no paragraph of the correction.
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

    def begin(self, text: str) -> None:
        """Edit this text from now on; nothing of it can be undone."""
        self.blockSignals(True)
        self.setUndoRedoEnabled(False)
        self.clear()
        cursor = QTextCursor(self.document())
        cursor.setBlockFormat(_block(soft=False))
        for row, paragraph in enumerate(text.split("\n")):
            for part, piece in enumerate(_pieces(paragraph)):
                if row or part:
                    cursor.insertBlock(_block(soft=part > 0))
                cursor.insertText(piece)
        self.setUndoRedoEnabled(True)
        self.blockSignals(False)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._soon.stop()

    def corrected(self) -> str:
        """The text as it is now; soft paragraphs are joined."""
        whole = ""
        block = self.document().begin()
        while block.isValid():
            text = " ".join(block.text().replace("\u2028", " ").split())
            if block.blockFormat().hasProperty(_SOFT) and whole and not whole.endswith("\n"):
                apart = whole and text and not (is_unspaced(whole[-1]) or is_unspaced(text[0]))
                whole += f" {text}" if apart else text
            else:
                whole += f"\n{text}" if whole else text
            block = block.next()
        return whole.strip()

    def pending(self) -> bool:
        """Whether something was typed that `edited` has not told yet."""
        return self._soon.isActive()

    def set_text_size(self, pixels: int) -> None:
        """Change the size of the text."""
        font = self.font()
        font.setPixelSize(pixels)
        self.setFont(font)
        self.document().setDefaultFont(font)

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

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter begins a paragraph of the correction; Escape leaves."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.textCursor().insertBlock(_block(soft=False))
            self.ensureCursorVisible()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Pasted lines are paragraphs."""
        cursor = self.textCursor()
        cursor.beginEditBlock()
        for row, line in enumerate(source.text().splitlines()):
            if row:
                cursor.insertBlock(_block(soft=False))
            cursor.insertText(line)
        cursor.endEditBlock()
        self.setTextCursor(cursor)


def _block(*, soft: bool) -> QTextBlockFormat:
    form = QTextBlockFormat()
    form.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
    if soft:
        form.setProperty(_SOFT, True)
    return form


def _pieces(paragraph: str) -> list[str]:
    """A long paragraph in parts that end with a sentence."""
    pieces, begin = [], 0
    while len(paragraph) - begin > _LONG:
        end = begin + _LONG
        while end < len(paragraph) and not ends_sentence(paragraph[begin:end]):
            end += 1
        pieces.append(paragraph[begin:end].strip())
        begin = end
    pieces.append(paragraph[begin:].strip())
    return [piece for piece in pieces if piece] or [""]


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
