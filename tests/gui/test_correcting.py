"""Transcripts are corrected; what was decoded is kept, shown again, and exported on request."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, HoldBehind, OpenStudio, statuses, wait_for_end

from as2d.app.export.dialog import ExportDialog
from as2d.app.theme.theme import Theme
from as2d.app.transcript.editor import CorrectionEditor
from as2d.app.window.main_window import StudioWindow
from as2d.backend.protocol.host_events import RecordingDone, RecordingOpened
from as2d.backend.runs import corrections
from as2d.backend.runs.corrections import read_corrections

CONTROL = Qt.KeyboardModifier.ControlModifier


def decoded(open_studio: OpenStudio, qtbot: QtBot, *files: Path) -> StudioWindow:
    window = open_studio(*files)
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    return window


def folder_of(window: StudioWindow) -> Path:
    assert window.studio.shown is not None
    assert window.studio.shown.folder is not None
    return window.studio.shown.folder


def kept(window: StudioWindow) -> str | None:
    correction = read_corrections(folder_of(window)).recordings.get("a1")
    return correction.text if correction is not None else None


def replace(window: StudioWindow, qtbot: QtBot, old: str, new: str) -> None:
    """Select a word of the editor and type another over it."""
    editor = window.transcript.editor
    cursor = editor.document().find(old, 0)
    assert not cursor.isNull()
    editor.setTextCursor(cursor)
    qtbot.keyClicks(editor, new)


def test_a_correction_saves_itself_and_keeps_origins_times_and_the_decoded_text(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = decoded(open_studio, qtbot)
    view, desk = window.transcript.view, window.desk
    original = view.toPlainText()
    accepted, all_counted = view.counts["accepted"], view.counts.total()
    view.setFocus()
    assert view.textCursor().position() == 0
    word = QTextCursor(view.document())
    word.setPosition(original.index("Americans") + 1)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cursorRect(word).center())
    qtbot.keyClick(view, Qt.Key.Key_F2)
    assert desk.editing
    assert window.transcript.editor.hasFocus()
    assert window.transcript.editor.textCursor().position() == original.index("Americans") + 1
    replace(window, qtbot, "fellow", "dear fellow")
    wanted = original.replace("fellow", "dear fellow")
    qtbot.waitUntil(lambda: kept(window) == wanted, timeout=PATIENCE_MS)  # nobody asked to save
    decoded_words = window.studio.shown.transcript.recordings["a1"].windows[0]  # type: ignore[union-attr]
    country = next(word for word in decoded_words.words if word.text.strip() == "country")
    window.player.seek(decoded_words.start_s + country.start + 0.02)
    editor = window.transcript.editor
    qtbot.waitUntil(
        lambda: [mark.cursor.selectedText() for mark in editor.extraSelections()] == ["country"],
        timeout=PATIENCE_MS,
    )
    qtbot.keyClick(window.transcript.editor, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: view.toPlainText() == wanted, timeout=PATIENCE_MS)
    assert not view.textCursor().hasSelection()
    assert view.textCursor().position() == wanted.index("fellow") + len("fellow")  # where it was corrected
    assert view.counts["edited"] == 1
    assert view.counts["accepted"] == accepted
    assert view.counts.total() == all_counted + 1
    window.player.seek(0.0)
    piece = next(own for own in view._pieces if own.text.strip() == "country")
    window.sounding.go_to_piece(piece)
    assert window.player.position > 4.5

    button = window.transcript._decoded
    assert button.text() == "As decoded"  # the command's longer text would leave no room for the figures
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.isChecked()
    assert view.toPlainText() == original
    window.registry.run("transcript.decoded")
    qtbot.waitUntil(lambda: view.toPlainText() == wanted, timeout=PATIENCE_MS)

    assert window.registry.action("edit.undo").text() == "&Undo correcting jfk.flac"
    window.registry.run("edit.undo")
    assert view.toPlainText() == original
    qtbot.waitUntil(lambda: kept(window) is None, timeout=PATIENCE_MS)
    window.registry.run("edit.redo")
    qtbot.waitUntil(lambda: kept(window) == wanted, timeout=PATIENCE_MS)
    window.registry.run("transcript.restore")
    qtbot.waitUntil(lambda: kept(window) is None, timeout=PATIENCE_MS)
    assert view.toPlainText() == original


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        ("", "One"),
        ("One two.", "\n"),
        ("One  two.\u2029", "Three"),
        ("Onetwo.Thr", "ee"),
        ("One two. Three 🎤 ", "four"),
    ],
)
def test_correcting_begins_where_the_cursor_was(
    qtbot: QtBot, qapp: QApplication, before: str, behind: str
) -> None:
    editor = CorrectionEditor(Theme(qapp, "light"), 14)
    qtbot.addWidget(editor)
    editor.begin("One two.\nThree 🎤 four.", before)
    cursor = editor.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
    assert cursor.selectedText().replace("\u2029", "\n").startswith(behind)


def test_the_word_before_is_deleted_and_the_recording_stays(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = decoded(open_studio, qtbot)
    original = window.transcript.view.toPlainText()
    window.registry.run("transcript.correct")
    editor = window.transcript.editor
    editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(editor, Qt.Key.Key_Backspace, CONTROL)
    qtbot.keyClick(editor, Qt.Key.Key_Backspace, CONTROL)
    assert len(window.studio.recordings.items) == 1
    assert editor.corrected() == original.removesuffix("country.").strip()
    editor.moveCursor(QTextCursor.MoveOperation.Start)
    qtbot.keyClick(editor, Qt.Key.Key_Delete, CONTROL)
    assert not editor.corrected().startswith(original.split()[0])
    assert len(window.studio.recordings.items) == 1


def test_a_correction_is_there_when_the_run_is_opened_again(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = decoded(open_studio, qtbot)
    window.registry.run("transcript.correct")
    editor = window.transcript.editor
    editor.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.keyClicks(editor, "Applause.")
    folder = folder_of(window)
    window.close()  # without ending the correction first
    again = open_studio()
    again.studio.open_run(folder)
    qtbot.waitUntil(
        lambda: again.transcript.view.toPlainText().endswith("for your country.\nApplause."),
        timeout=PATIENCE_MS,
    )
    assert again.transcript.whole_text().endswith("for your country.\nApplause.")


def test_what_is_decoded_is_corrected_while_the_queue_goes_on(
    open_studio: OpenStudio, qtbot: QtBot, hold_behind: HoldBehind, repository: Path
) -> None:
    go_on = hold_behind(lambda event: isinstance(event, RecordingDone))
    window = open_studio()
    window.studio.add([repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"])
    window.registry.run("run.start")
    first, second = window.studio.recordings.items
    qtbot.waitUntil(lambda: first.status == "done", timeout=PATIENCE_MS)
    window.docks.show("transcript")
    qtbot.keyClick(window.transcript.view, Qt.Key.Key_F2)
    assert window.studio.running
    assert window.desk.editing
    replace(window, qtbot, "fellow", "dear fellow")
    live = window.studio.live
    assert live is not None
    folder = live.folder
    assert folder is not None

    def kept_now() -> bool:
        found = read_corrections(folder).recordings.get("a1")
        return found is not None and "my dear fellow Americans" in found.text

    qtbot.waitUntil(kept_now, timeout=PATIENCE_MS)
    assert window.studio.running
    go_on.set()
    qtbot.waitUntil(lambda: second.status != "waiting", timeout=PATIENCE_MS)
    assert window.desk.editing  # the next one does not take the place of what is being typed
    assert window.follower.item is first
    qtbot.keyClicks(window.transcript.editor, " indeed")
    wait_for_end(window, qtbot)
    qtbot.waitUntil(lambda: window.status.what.text() == "2 recordings were decoded.", timeout=PATIENCE_MS)
    assert window.desk.editing
    qtbot.keyClick(window.transcript.editor, Qt.Key.Key_Escape)
    assert "dear fellow indeed Americans" in window.transcript.view.toPlainText()
    assert folder_of(window) == folder
    qtbot.waitUntil(lambda: "dear fellow indeed" in (kept(window) or ""), timeout=PATIENCE_MS)


def test_what_is_not_decoded_yet_says_why_it_cannot_be_corrected(
    open_studio: OpenStudio, qtbot: QtBot, hold_behind: HoldBehind
) -> None:
    hold_behind(lambda event: isinstance(event, RecordingOpened))
    window = open_studio()
    window.registry.run("run.start")
    qtbot.waitUntil(lambda: statuses(window) == [("jfk.flac", "active")], timeout=PATIENCE_MS)
    window.desk.toggle()
    assert not window.desk.editing
    assert window.log.messages[-1].text == "The transcript can be corrected when the recording is decoded."


def test_typing_the_decoded_text_again_leaves_no_correction(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = decoded(open_studio, qtbot)
    window.registry.run("transcript.correct")
    editor = window.transcript.editor
    qtbot.keyClicks(editor, "x")
    qtbot.keyClick(editor, Qt.Key.Key_Z, CONTROL)
    assert window.desk.editing
    assert not editor.corrected().startswith("x")
    window.registry.run("transcript.correct")
    assert kept(window) is None
    assert not window.registry.action("edit.undo").isEnabled()


def test_chinese_is_corrected_and_find_works_while_correcting(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path
) -> None:
    window = decoded(open_studio, qtbot, repository / "tests" / "data" / "speech" / "BAC009S0764W0121.wav")
    original = window.transcript.view.toPlainText()
    assert original
    window.registry.run("transcript.correct")
    editor = window.transcript.editor
    last = original.rstrip("。！？.!?")[-1]
    window.registry.run("transcript.find")
    window.transcript.find_bar.text.setText(last)
    assert window.transcript.find_bar.count.text() != "Not found"
    cursor = editor.textCursor()
    cursor.setPosition(original.rindex(last))
    cursor.setPosition(original.rindex(last) + 1, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText("改正")
    window.registry.run("transcript.correct")
    wanted = original[: original.rindex(last)] + "改正" + original[original.rindex(last) + 1 :]
    qtbot.waitUntil(lambda: window.transcript.view.toPlainText() == wanted, timeout=PATIENCE_MS)
    assert window.transcript.view.counts["edited"] == 2


def test_a_correction_that_cannot_be_written_is_told_kept_and_written_later(
    open_studio: OpenStudio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = decoded(open_studio, qtbot)
    (folder_of(window) / "corrections.json").mkdir()
    window.registry.run("transcript.correct")
    replace(window, qtbot, "fellow", "mellow")
    window.registry.run("transcript.correct")
    qtbot.waitUntil(lambda: window.message_bar.isVisible(), timeout=PATIENCE_MS)
    assert "corrections" in window.message_bar.text.text()
    qtbot.waitUntil(lambda: "mellow" in window.transcript.view.toPlainText(), timeout=PATIENCE_MS)

    answers = [QMessageBox.StandardButton.Cancel]
    monkeypatch.setattr(QMessageBox, "question", lambda *_: answers.pop())
    assert not window.close()
    assert window.isVisible()
    assert not answers
    (folder_of(window) / "corrections.json").rmdir()
    assert window.close()  # nothing is left to ask about
    assert "mellow" in str(kept(window))


def test_an_export_waits_for_the_correction_beside_the_windows_thread(
    open_studio: OpenStudio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = decoded(open_studio, qtbot)
    may_write, written = threading.Event(), corrections.write_correction

    def slowly(folder: Path, recording: str, text: str | None) -> None:
        may_write.wait()
        written(folder, recording, text)

    monkeypatch.setattr(corrections, "write_correction", slowly)
    window.registry.run("transcript.correct")
    replace(window, qtbot, "fellow", "mellow")
    window.registry.run("transcript.export")  # comes back although the disk does not
    assert not window.findChildren(ExportDialog)
    may_write.set()
    qtbot.waitUntil(lambda: bool(window.findChildren(ExportDialog)), timeout=PATIENCE_MS)
    assert "mellow" in str(kept(window))
    assert window.findChildren(ExportDialog)[0].isVisible()


TEXTS = st.lists(
    st.sampled_from(
        ["wait...", "3.5", "so,", "“Yes.”", "done.", "今天。", "天氣很好", "สวัสดี", "e.g.", "x" * 90]
    ),
    min_size=60,
    max_size=400,
)


@settings(deadline=None, max_examples=30)
@given(parts=TEXTS, joints=st.lists(st.sampled_from([" ", " ", " ", "", "\n"]), min_size=1, max_size=7))
def test_long_texts_are_the_same_when_nothing_is_typed(
    qapp: QApplication, parts: list[str], joints: list[str]
) -> None:
    text = "".join(part + joints[place % len(joints)] for place, part in enumerate(parts)).strip()
    editor = CorrectionEditor(Theme(qapp, "light"), 16)
    editor.begin(text)
    assert editor.corrected() == text
    editor.deleteLater()


def test_a_long_paragraph_is_laid_out_in_parts_that_end_with_a_sentence(qapp: QApplication) -> None:
    editor = CorrectionEditor(Theme(qapp, "light"), 16)
    editor.begin("One more. " * 300)
    document = editor.document()
    parts = [document.findBlockByNumber(number).text() for number in range(document.blockCount())]
    assert len(parts) > 3
    assert all(part.endswith("more.") and len(part) < 800 for part in parts)


def test_decoding_the_recording_again_ends_correcting_it(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = decoded(open_studio, qtbot)
    window.registry.run("transcript.correct")
    replace(window, qtbot, "fellow", "mellow")
    folder = folder_of(window)
    window.registry.run("recordings.again")
    assert not window.desk.editing
    assert not window.transcript.editing
    qtbot.waitUntil(lambda: "a1" in read_corrections(folder).recordings, timeout=PATIENCE_MS)


def test_files_dropped_on_the_editor_go_to_the_list(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path
) -> None:
    window = decoded(open_studio, qtbot)
    window.registry.run("transcript.correct")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(repository / "resources" / "sample" / "jfk.flac"))])
    assert not window.transcript.editor.canInsertFromMimeData(data)
    data = QMimeData()
    data.setText("a word")
    assert window.transcript.editor.canInsertFromMimeData(data)
