"""The list of recorded runs: searched, named, opened where the words are said."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio, show_run

from as2d.app.history.model import NAME
from as2d.app.viewmodels.call import call_view
from as2d.app.window.main_window import StudioWindow

CONTROL = Qt.KeyboardModifier.ControlModifier


def answer(window: StudioWindow, qtbot: QtBot, text: str) -> None:
    """Fill in the question and accept."""
    (dialog,) = [dialog for dialog in window.findChildren(QInputDialog) if dialog.isVisible()]
    dialog.setTextValue(text)
    dialog.accept()
    qtbot.waitUntil(lambda: not window.studio.operations.running(), timeout=PATIENCE_MS)


def test_runs_are_named_tagged_searched_and_that_is_undone(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path
) -> None:
    window = open_studio()
    history, registry = window.history, window.registry
    qtbot.waitUntil(lambda: history.model.rowCount() == 1, timeout=PATIENCE_MS)
    assert re.fullmatch(r"1 run, \d+ kB", history.count.text())
    history.table.selectRow(0)
    registry.run("history.rename")
    answer(window, qtbot, "Speech")
    registry.run("history.tag")
    answer(window, qtbot, "demo, jfk")

    def cell(column: int) -> str:
        return str(history.model.data(history.model.index(0, column)))

    qtbot.waitUntil(lambda: (cell(1), cell(9)) == ("Speech", "demo, jfk"), timeout=PATIENCE_MS)
    for words, rows in (("fellow amer", 1), ("nobody said this", 0), ("DEMO", 1), ("", 1)):
        history.search.setText(words)
        qtbot.waitUntil(lambda rows=rows: history.table.model().rowCount() == rows, timeout=PATIENCE_MS)  # type: ignore[misc]
        if words.startswith("fellow"):
            assert "fellow Americans" in cell(10)
            assert not history.table.isColumnHidden(10)
    assert history.table.isColumnHidden(10)
    registry.run("edit.undo")
    qtbot.waitUntil(lambda: cell(9) == "", timeout=PATIENCE_MS)
    registry.run("edit.undo")
    qtbot.waitUntil(lambda: cell(1).startswith("jfk.flac"), timeout=PATIENCE_MS)
    registry.run("edit.redo")
    qtbot.waitUntil(lambda: cell(1) == "Speech", timeout=PATIENCE_MS)


def test_a_run_that_was_searched_opens_where_the_words_are_said_and_is_listed_once(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path
) -> None:
    window = open_studio()
    history = window.history
    show_run(window, qtbot, run_folder)
    shown = window.studio.shown
    assert shown is not None
    listed = [item for item in window.studio.recordings.items if item.run == shown.number]
    assert len(listed) == 3
    first, other = listed[:2]

    def chosen() -> str | None:
        return window.follower.item.recording if window.follower.item is not None else None

    def paths() -> list[Path]:
        return [item.path for item in window.studio.recordings.items]

    before = paths()
    assert window.follower.item is first
    texts = [shown.transcript.recordings[item.recording or ""].text() for item in (first, other)]
    word = next(
        word for word in texts[1].split() if word.isalpha() and len(word) > 3 and word not in texts[0]
    )
    history.search.setText(word)
    qtbot.waitUntil(lambda: history.model.has_found(), timeout=PATIENCE_MS)
    history.table.selectRow(0)
    history.open_current()
    qtbot.waitUntil(lambda: chosen() == other.recording, timeout=PATIENCE_MS)
    assert paths() == before
    assert window.transcript.find_bar.count.text().startswith("1 of ")
    marked = window.transcript.view.extraSelections()
    assert {mark.cursor.selectedText().casefold() for mark in marked} == {word.casefold()}
    window.docks.show("history")
    window.recordings.select(window.studio.recordings.items[-3])  # the bar looks in what is shown
    window.docks.show("transcript")
    assert window.transcript.find_bar.count.text() == "Not found"
    assert not window.transcript.view.extraSelections()
    history.search.setText("nobody said this")
    history.search.clear()
    qtbot.waitUntil(lambda: not history.model.has_found(), timeout=PATIENCE_MS)
    history.table.selectRow(0)
    history.open_current()
    opened = window.studio.shown
    qtbot.waitUntil(lambda: window.studio.shown is not opened, timeout=PATIENCE_MS)
    assert chosen() == first.recording
    assert paths() == before
    window.studio.remove(window.studio.recordings.items[-2:])
    history.open_current()  # what was taken off the list comes back
    qtbot.waitUntil(lambda: paths() == before, timeout=PATIENCE_MS)


def test_a_call_of_another_recording_shows_its_words_in_that_transcript(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path
) -> None:
    window = open_studio()
    show_run(window, qtbot, run_folder)
    shown = window.studio.shown
    assert shown is not None
    first, other = [item for item in window.studio.recordings.items if item.run == shown.number][:2]
    assert window.follower.item is first
    piece = next(
        piece
        for piece in shown.transcript.recordings[other.recording or ""].pieces()
        if piece.call is not None and piece.text.strip()
    )
    assert piece.call is not None
    window.calls.view.show_call(piece.request, piece.call)
    assert window.follower.item is other
    call = window.calls.inspector.shown
    assert call is not None
    assert (call.request, call.index) == (piece.request, piece.call)
    selected = window.transcript.view.textCursor().selectedText()
    assert piece.text.strip() in selected
    views = (call_view(shown.timeline, row) for row in range(len(shown.timeline.calls)))
    silent = next(view for view in views if not view.text)  # it found the end
    window.calls.view.show_call(silent.request, silent.index)
    assert not window.transcript.view.textCursor().hasSelection()


def test_runs_are_told_apart_whatever_methods_they_compare(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path
) -> None:
    window = open_studio()
    window.resize(1280, 800)
    history = window.history
    qtbot.waitUntil(lambda: history.model.rowCount() == 1, timeout=PATIENCE_MS)
    window.docks.show("history")
    (row,) = [history.model.row(history.model.index(0, 0))]
    assert row is not None
    history.show_runs([replace(row, method="target-only,sd,specasr,as2d,without-td,lookahead")])
    assert history.table.columnWidth(NAME) >= 150


def test_the_keys_that_find_look_where_the_keyboard_is(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path
) -> None:
    window = open_studio()
    show_run(window, qtbot, run_folder)
    window.docks.show("history")
    window.history.table.setFocus()
    qtbot.keyClick(window.history.table, Qt.Key.Key_F, CONTROL)
    assert window.history.search.hasFocus()
    assert not window.transcript.find_bar.isVisible()
    window.docks.show("transcript")
    window.transcript.view.setFocus()
    qtbot.keyClick(window.transcript.view, Qt.Key.Key_F, CONTROL)
    assert window.transcript.find_bar.text.hasFocus()
