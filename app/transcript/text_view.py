"""The text of a recording; every token shows where it came from."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit, QToolTip

from as2d.app.theme.theme import Theme
from as2d.app.transcript.editor import end_of
from as2d.app.transcript.marks import show_marks, spoken_mark
from as2d.app.transcript.measure import keep_measure
from as2d.app.transcript.origins import Kind, kind_of_piece, looks, story_of
from as2d.app.translation import tr
from as2d.app.viewmodels.spoken import SpokenWord
from as2d.app.viewmodels.transcript import BEGINNING, Piece, RecordingText
from as2d.backend.export.scripts import ends_sentence

_LINE_PERCENT = 155
_MARGIN = 22
_LONG = 700  # characters; a sentence that ends behind them ends the paragraph
_LONGEST = 2500


class TranscriptView(QTextEdit):
    """Follows the text of one recording: grows with it, and is made anew when what it shows changed.

    `piece_chosen` is emitted for the token that was clicked, or Enter was pressed on; `piece_opened` for one
    that was clicked twice.
    """

    piece_chosen = Signal(object)
    piece_opened = Signal(object)

    def __init__(self, theme: Theme, text_size: int) -> None:
        super().__init__()
        self._theme = theme
        self._looks = looks(theme)
        self._origins = True
        self._text: RecordingText | None = None
        self._revision = -1
        self._pieces: list[Piece] = []
        self._starts: list[int] = []
        self._rows: dict[tuple[str, int], int] = {}
        self._spoken: SpokenWord | None = None
        self._place = BEGINNING
        self._sentence_ended = False
        self.counts: Counter[Kind] = Counter()
        self._uncounted: list[Piece] = []
        self._clicked: int | None = None
        self.setReadOnly(True)
        self.setAccessibleName(tr("Transcript"))
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(_MARGIN)
        self.setUndoRedoEnabled(False)
        self.set_text_size(text_size)
        theme.changed.connect(self._restyle)

    def show_text(self, text: RecordingText | None, *, growing: bool = False) -> None:
        """Show the text of a recording from now on: from its beginning, or its end where it is `growing`."""
        self._text = text
        self._revision = -1
        self._clear()
        self.follow()
        if growing:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def show_text_again(self, text: RecordingText, *, growing: bool = False) -> None:
        """Show what has been added to a text, or all of it if another one was shown meanwhile."""
        if text is not self._text:
            self.show_text(text, growing=growing)
        else:
            self.follow()

    def go_behind(self, before: str) -> None:
        """Put the cursor where `before` ends, white space not counted, and bring it into sight."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(end_of(before, self.toPlainText()))
        self.setTextCursor(cursor)
        if not self._in_sight((cursor.position(), cursor.position())):
            self._bring_into_sight(cursor.position())

    def follow(self) -> None:
        """Show what has been added; keeps the end in sight while the user has it in sight, else what is."""
        if self._text is None:
            self._clear()
            return
        bar = self.verticalScrollBar()
        seen, at_end = bar.value(), bool(self._pieces) and bar.value() >= bar.maximum() - 4
        if self._text.revision != self._revision:
            self._clear()
            self._revision = self._text.revision
        added, self._place = self._text.pieces_from(self._place)
        if not added:
            return
        own = self.textCursor()
        chosen = own.anchor(), own.position()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for piece in added:
            self._insert(cursor, piece)
        cursor.endEditBlock()
        self._count(added)
        # The user's own selection stays as it was: text that is added at its end would be taken into it.
        own.setPosition(chosen[0])
        own.setPosition(chosen[1], QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(own)
        bar.setValue(bar.maximum() if at_end else seen)

    def show_origins(self, shown: bool) -> None:
        """Whether tokens show where they came from."""
        if shown != self._origins:
            self._origins = shown
            self._redraw()

    def set_text_size(self, pixels: int) -> None:
        """Change the size of the text."""
        font = self.font()
        font.setPixelSize(pixels)
        self.setFont(font)
        self.document().setDefaultFont(font)
        keep_measure(self)
        self._redraw()

    def piece_at(self, place: QPoint) -> Piece | None:
        """The token at a place of the viewport; none beside the lines."""
        cursor = self.cursorForPosition(place)
        rect = self.cursorRect(cursor)
        away = place - rect.center()
        if not self._pieces or max(abs(away.x()), abs(away.y())) > rect.height():
            return None
        position = cursor.position()
        if rect.center().x() > place.x() and position > 0:
            position -= 1
        return self.piece_of(position)

    def piece_of(self, position: int) -> Piece | None:
        """The token at a position of the text."""
        row = bisect_right(self._starts, position) - 1
        return self._pieces[row] if 0 <= row < len(self._pieces) else None

    def text_before_cursor(self) -> str:
        """The text up to where the user clicked or went; of a selection, up to its begin."""
        cursor = QTextCursor(self.document())
        place = self.textCursor().selectionStart() if self._clicked is None else self._clicked
        cursor.setPosition(place, QTextCursor.MoveMode.KeepAnchor)
        return cursor.selectedText()

    def select_call(self, request: str, index: int) -> None:
        """Select what a call committed and bring it into sight; nothing is selected where that is no text
        here.
        """
        rows = [
            row
            for row, piece in enumerate(self._pieces)
            if piece.request == request and piece.call == index and piece.text
        ]
        cursor = self.textCursor()
        if not rows:
            cursor.clearSelection()
            self.setTextCursor(cursor)
        else:
            cursor.setPosition(self._starts[rows[0]])
            end = self._starts[rows[-1]] + len(self._pieces[rows[-1]].text.lstrip(" \n"))
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)
            self.ensureCursorVisible()
            self._clicked = None

    def mark_spoken(self, word: SpokenWord | None) -> None:
        """Mark the word that is heard, and keep it in sight as long as the word before it was."""
        if word == self._spoken:
            return
        before, self._spoken = self._spoken, word
        place = self._place_of(word)
        if word is None or place is None:
            show_marks(self, "spoken", [])
            return
        seen = before is None or self._in_sight(self._place_of(before))
        show_marks(self, "spoken", [spoken_mark(self, *place, self._theme)])
        if seen and not self._in_sight(place):
            self._bring_into_sight(place[0])

    def spoken_text(self) -> str:
        """The word that is marked."""
        place = self._place_of(self._spoken)
        return self.toPlainText()[place[0] : place[1]] if place is not None else ""

    def event(self, event: QEvent) -> bool:
        """Tool tips tell a token's story."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place = self.viewport().mapFrom(self, event.pos())
            piece = self.piece_at(place)
            if piece is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), story_of(piece), self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lines end at the view's width, or before."""
        super().resizeEvent(event)
        keep_measure(self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click, not the end of a selection, chooses a token."""
        super().mouseReleaseEvent(event)
        self._clicked = None
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            clicked = self.textCursor().position()
            piece = self.piece_at(event.position().toPoint())
            if piece is not None:
                self.piece_chosen.emit(piece)  # which selects all that its call committed
            self._clicked = clicked

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A second click selects the word, and opens its token."""
        super().mouseDoubleClickEvent(event)
        piece = self.piece_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and piece is not None:
            self.piece_opened.emit(piece)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses the token at the cursor."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            piece = self.piece_of(self.textCursor().position())
            if piece is not None:
                self.piece_chosen.emit(piece)
            return
        place = self.textCursor().position()
        super().keyPressEvent(event)
        if self.textCursor().position() != place:
            self._clicked = None

    def _count(self, added: Sequence[Piece]) -> None:
        """Count tokens of text: one without any belongs to a character that others complete, unless it is a
        window's last, which is the end of the text.
        """
        for piece in added:
            if self._uncounted and self._uncounted[0].window != piece.window:
                self._uncounted = []
            self._uncounted.append(piece)
            if piece.text:
                self.counts.update(kind_of_piece(own) for own in self._uncounted)
                self._uncounted = []

    def _insert(self, cursor: QTextCursor, piece: Piece) -> None:
        word = piece.text.lstrip(" \n")
        gap = piece.text[: len(piece.text) - len(word)]
        length = cursor.positionInBlock()
        # Blocks stay short, because a block is laid out anew with every word that is added to it.
        long = length > _LONG and bool(gap) and (self._sentence_ended or length > _LONGEST)
        if "\n" in gap or long:
            cursor.insertBlock()
        else:
            cursor.insertText(gap, QTextCharFormat())
        self._starts.append(cursor.position())
        self._rows[piece.window, piece.index] = len(self._pieces)
        self._pieces.append(piece)
        cursor.insertText(word, self._format(piece))
        if word:
            self._sentence_ended = ends_sentence(word)

    def _clear(self) -> None:
        self._place = BEGINNING
        self._sentence_ended = False
        self.counts.clear()
        self._uncounted = []
        self._clicked = None
        self._pieces = []
        self._starts = []
        self._rows = {}
        self._spoken = None
        show_marks(self, "spoken", [])
        self.clear()
        block = QTextBlockFormat()
        block.setLineHeight(_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(self.document())
        cursor.setBlockFormat(block)
        self.setTextCursor(cursor)

    def _place_of(self, word: SpokenWord | None) -> tuple[int, int] | None:
        """Where a word stands in the text."""
        if word is None:
            return None
        rows = [self._rows.get((word.window, index)) for index in range(word.first, word.first + word.tokens)]
        known = [row for row in rows if row is not None and self._pieces[row].text.strip()]
        if not known:
            return None
        last = self._pieces[known[-1]].text.lstrip(" \n")
        return self._starts[known[0]], self._starts[known[-1]] + len(last)

    def _in_sight(self, place: tuple[int, int] | None) -> bool:
        if place is None:
            return False
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(place[0], self.document().characterCount() - 1))
        rect = self.cursorRect(cursor)
        return rect.top() >= 0 and rect.bottom() <= self.viewport().height()

    def _bring_into_sight(self, position: int) -> None:
        cursor = QTextCursor(self.document())
        cursor.setPosition(position)
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + self.cursorRect(cursor).top() - self.viewport().height() // 4)

    def _format(self, piece: Piece) -> QTextCharFormat:
        return self._looks[kind_of_piece(piece)].form if self._origins else QTextCharFormat()

    def _restyle(self) -> None:
        self._looks = looks(self._theme)
        self._redraw()

    def _redraw(self) -> None:
        spoken = self._spoken
        self._revision = -1
        self.follow()
        self.mark_spoken(spoken)
