"""The transcript is searched, copied, exported, and tells each token's story."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QToolTip
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, HoldBehind, OpenStudio, statuses, wait_for_end

from as2d.app.export.dialog import ExportDialog
from as2d.backend.protocol.host_events import StepProgress

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_find_copy_export_and_stories(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_studio()
    assert not window.registry.action("transcript.export").isEnabled()
    qtbot.keyClick(window, Qt.Key.Key_R, CONTROL)
    wait_for_end(window, qtbot)
    view, find = window.transcript.view, window.transcript.find_bar
    text = view.toPlainText()

    qtbot.keyClick(window, Qt.Key.Key_F, CONTROL)
    qtbot.keyClicks(find.text, "COUNTRY")
    assert find.count.text() == "1 of 2"
    qtbot.keyClick(find.text, Qt.Key.Key_Return)
    assert find.count.text() == "2 of 2"
    assert view.textCursor().selectionStart() == text.rindex("country")
    qtbot.keyClick(find.text, Qt.Key.Key_Return, SHIFT)
    assert view.textCursor().selectionStart() == text.index("country")
    qtbot.keyClick(find.text, Qt.Key.Key_Escape)
    assert not find.isVisible()

    cursor = view.textCursor()
    cursor.clearSelection()
    view.setTextCursor(cursor)
    qtbot.keyClick(window, Qt.Key.Key_C, CONTROL | SHIFT)
    assert QGuiApplication.clipboard().text() == text

    for ending, holds in (("srt", "00:00:00"), ("json", '"method":"as2d"'), ("txt", "my fellow Americans")):
        path = tmp_path / f"speech.{ending}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_args, path=path: (str(path), ""))
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow, timeout=PATIENCE_MS)
        qtbot.keyClick(window, Qt.Key.Key_E, CONTROL)
        (dialog,) = [dialog for dialog in window.findChildren(ExportDialog) if dialog.isVisible()]
        dialog.accept()
        qtbot.waitUntil(
            lambda path=path: path.exists() and not window.studio.operations.running(), timeout=PATIENCE_MS
        )
        assert holds in path.read_text(encoding="utf-8")
    assert json.loads((tmp_path / "speech.json").read_text(encoding="utf-8"))["text"] == text

    place = view.cursorRect(cursor).center()
    QApplication.sendEvent(
        view, QHelpEvent(QEvent.Type.ToolTip, view.viewport().mapTo(view, place), view.mapToGlobal(place))
    )
    piece = view.piece_at(place)
    assert piece is not None
    assert f"all {piece.call}" in QToolTip.text()


def test_one_recording_is_cancelled_and_the_others_are_decoded(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, hold_behind: HoldBehind
) -> None:
    sample = repository / "resources" / "sample" / "jfk.flac"
    window = open_studio(sample, sample)
    steps = hold_behind(lambda event: isinstance(event, StepProgress))
    window.registry.run("run.start")
    first = window.studio.recordings.items[0]
    qtbot.waitUntil(lambda: window.studio.recordings.items[0].recording is not None, timeout=PATIENCE_MS)
    window.recordings.select(first)
    window.registry.run("recordings.cancel")
    steps.set()
    wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "cancelled"), ("jfk.flac", "done")]

    window.recordings.select(window.studio.recordings.items[0])
    window.registry.run("recordings.again")
    assert statuses(window)[0] == ("jfk.flac", "waiting")


def test_run_decodes_the_selected_recording_again_by_another_method(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = open_studio()
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    text = window.transcript.view.toPlainText()
    method = window.top_bar.method
    method.setCurrentIndex(method.findData("target-only"))
    method.activated.emit(method.currentIndex())
    assert not window.top_bar.drafter.isEnabled()
    qtbot.mouseClick(window.top_bar.run, Qt.MouseButton.LeftButton)
    wait_for_end(window, qtbot)
    assert window.transcript.view.toPlainText() == text
    assert window.transcript.view.counts["accepted"] == 0
    assert "acceptance" not in window.transcript.figures_text()
