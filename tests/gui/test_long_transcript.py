"""A transcript of hours is shown in paragraphs, word for word, and only what is new is added."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QTextEdit
from pytestqt.qtbot import QtBot

from as2d.app.theme.theme import Theme
from as2d.app.transcript.editor import CorrectionEditor
from as2d.app.transcript.text_view import TranscriptView
from as2d.app.viewmodels.transcript import Piece, RecordingText, WindowText

WORDS = [
    "The",
    "meeting",
    "began",
    "at",
    "nine",
    "and",
    "nobody",
    "had",
    "read",
    "the",
    "paper",
    "that",
    "it",
    "was",
    "about",
    ".",
]


def window(number: int) -> WindowText:
    pieces = [
        Piece(f" {word}" if word != "." else word, "accepted", f"w{number}", "r", place, place // 4, 5, 4)
        for place, word in enumerate(WORDS)
    ]
    return WindowText(f"w{number}", 30.0 * number, 30.0 * number + 30, pieces)


def test_paragraphs_end_with_sentences_and_every_token_is_found(qtbot: QtBot, qapp: QApplication) -> None:
    text = RecordingText("a1", "talk.wav")
    view = TranscriptView(Theme(qapp, "light"), 16)
    qtbot.addWidget(view)
    view.show_text(text)
    for number in range(60):
        text.windows.append(window(number))
        view.follow()

    paragraphs = view.toPlainText().split("\n")
    assert len(paragraphs) > 4
    assert all(paragraph.endswith("about.") for paragraph in paragraphs)
    assert " ".join(paragraphs) == text.text()
    assert view.counts["accepted"] == 60 * len(WORDS)
    place = view.toPlainText().index("paper", 3000)
    piece = view.piece_of(place)
    assert piece is not None
    assert piece.text == " paper"


def test_a_text_is_read_from_its_beginning_and_followed_while_it_grows(
    qtbot: QtBot, qapp: QApplication
) -> None:
    text = RecordingText("a1", "talk.wav", [window(number) for number in range(40)])
    view = TranscriptView(Theme(qapp, "light"), 16)
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    bar = view.verticalScrollBar()
    view.show_text(text)
    assert bar.maximum() > 0
    assert (bar.value(), view.textCursor().hasSelection()) == (0, False)
    view.show_text(text, growing=True)
    assert bar.value() == bar.maximum()
    text.windows.append(window(40))
    view.follow()
    assert bar.value() == bar.maximum()
    assert not view.textCursor().hasSelection()

    middle = bar.maximum() // 2
    bar.setValue(middle)
    view.selectAll()
    chosen = view.textCursor().selectedText()
    text.windows.append(window(41))
    view.follow()
    assert (bar.value(), view.textCursor().selectedText()) == (middle, chosen)
    text.revision += 1
    view.follow()
    assert bar.value() == middle

    before = " ".join(WORDS[:-1]) + ". " + " ".join(WORDS[:3])
    view.go_behind(before)
    assert view.textCursor().position() == len(before)
    assert view.viewport().rect().contains(view.cursorRect())


@pytest.mark.parametrize("kind", [TranscriptView, CorrectionEditor])
def test_lines_of_a_wide_view_stay_short_enough_to_be_read(
    qtbot: QtBot, qapp: QApplication, kind: type[TranscriptView | CorrectionEditor]
) -> None:
    view = kind(Theme(qapp, "light"), 16)
    qtbot.addWidget(view)
    view.resize(2200, 600)
    view.show()
    text = RecordingText("a1", "talk.wav", [window(number) for number in range(4)])
    if isinstance(view, TranscriptView):
        view.show_text(text)
    else:
        view.begin(text.text())
    assert 80 <= max(_lengths(view)) <= 100
    view.set_text_size(24)
    assert 80 <= max(_lengths(view)) <= 100
    view.resize(500, 600)
    assert max(_lengths(view)) < 50
    assert view.horizontalScrollBar().maximum() == 0
    view.resize(2200, 600)
    assert 80 <= max(_lengths(view)) <= 100

    if isinstance(view, TranscriptView):
        cursor = QTextCursor(view.document())
        cursor.setPosition(view.toPlainText().index("paper", 150) + 2)
        word = view.cursorRect(cursor).center()
        piece = view.piece_at(word)
        assert piece is not None
        assert piece.text == " paper"
        assert view.piece_at(QPoint(2000, word.y())) is None  # beside the lines there is no word


def _lengths(view: QTextEdit) -> list[int]:
    """How many characters each line that is shown has."""
    found = []
    block = view.document().begin()
    while block.isValid():
        layout = block.layout()
        found += [layout.lineAt(row).textLength() for row in range(layout.lineCount())]
        block = block.next()
    return found
