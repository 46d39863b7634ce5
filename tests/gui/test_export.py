"""What is taken away of a run, and what comes from elsewhere: by the window as by the command line."""

from __future__ import annotations

import re
import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QInputDialog, QWidget
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio, drop
from typer.testing import CliRunner

from as2d.app.export.dialog import ExportDialog
from as2d.app.export.pages import BundlePage, PicturePage, TablePage, TranscriptPage
from as2d.app.history.model import NAME
from as2d.app.operations.operation import Operation
from as2d.app.viewmodels.call import call_view
from as2d.app.viewmodels.export import EACH, ExportKind
from as2d.app.window.main_window import StudioWindow
from as2d.backend.bundles.writing import write_bundle
from as2d.backend.cli.main import app
from as2d.backend.runs.store import RunStore

RUN = "20261130-032604-4659"
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def run_folder(repository: Path, data_folder: Path) -> Path:
    """The runs folder with one run."""
    shutil.copytree(repository / "tests/data/runs/three-recordings", data_folder / "runs" / RUN)
    return data_folder / "runs" / RUN


def show_run(window: StudioWindow, qtbot: QtBot, folder: Path) -> None:
    """Open a run as the history does."""
    qtbot.waitUntil(lambda: window.history.model.rowCount() > 0, timeout=PATIENCE_MS)
    window.history.open_wanted.emit(folder)
    qtbot.waitUntil(
        lambda: window.studio.shown is not None and window.studio.shown.folder == folder, timeout=PATIENCE_MS
    )


def open_dialog(qtbot: QtBot, window: StudioWindow, command: str) -> ExportDialog:
    """The export dialog, which comes when what was corrected is written."""

    def dialogs() -> list[ExportDialog]:
        return [dialog for dialog in window.findChildren(ExportDialog) if dialog.isVisible()]

    window.registry.run(command)
    qtbot.waitUntil(lambda: bool(dialogs()), timeout=PATIENCE_MS)
    (dialog,) = dialogs()
    return dialog


def save(qtbot: QtBot, window: StudioWindow, dialog: ExportDialog, path: Path) -> bytes:
    """Press Save, and wait for the file."""
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Save), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: path.exists() and not window.studio.operations.running(), timeout=PATIENCE_MS)
    return path.read_bytes()


def by_command(*arguments: str) -> None:
    """Run `as2d`."""
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output


def test_every_export_has_the_bytes_of_the_command_line(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_studio()
    assert not window.registry.action("transcript.export").isEnabled()
    show_run(window, qtbot, run_folder)
    asked: list[str] = []
    said: list[str] = []
    place = tmp_path / "file"

    def ask(_parent: QWidget, _title: str, start: str, _filter: str) -> tuple[str, str]:
        asked.append(Path(start).name)
        return str(place), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    cases: list[tuple[ExportKind, str, list[str]]] = [
        ("transcript", "srt", ["--recording", "a1"]),
        ("transcript", "json", ["--recording", "a1"]),
        ("picture", "png", ["--width", "640", "--scale", "2.0"]),
        ("picture", "svg", ["--width", "640"]),
        ("table", "csv", ["--table", "calls"]),
        ("trace", "pftrace", []),
        ("bundle", "as2d", []),
    ]
    for number, (kind, ending, arguments) in enumerate(cases):
        dialog = open_dialog(qtbot, window, "transcript.export")
        page = dialog.choose(kind)
        if isinstance(page, TranscriptPage | PicturePage | TablePage):
            page.format.setCurrentIndex(page.format.findData(ending))
        if isinstance(page, PicturePage):
            page.width_box.setValue(640)
        if isinstance(page, TablePage):
            page.table.setCurrentIndex(page.table.findData("calls"))
        place = tmp_path / f"window{number}.{ending}"
        content = save(qtbot, window, dialog, place)
        said.append(window.status.what.text())
        command = tmp_path / f"command{number}.{ending}"
        if kind == "bundle":
            by_command("bundle", RUN, "-o", str(command))
        else:
            by_command("export", RUN, "-o", str(command), *arguments)
        assert content == command.read_bytes() != b"", kind
    assert said[0] == f"The export was saved as {tmp_path / 'window0.srt'}."
    assert said[-1] == f"The bundle was saved as {place}."
    assert window.status.cancel.isHidden()
    assert asked[:3] == ["jfk.srt", "jfk.json", f"{RUN} timeline.png"]


def test_what_takes_long_can_be_cancelled_below(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()

    def work(operation: Operation) -> None:
        ended = threading.Event()
        with operation.cancel.calling(ended.set):
            ended.wait()
        operation.cancel.check()

    window.studio.operations.start(Operation("Packing the runs", work, can_be_cancelled=True))
    cancel = window.status.cancel
    assert cancel.isVisible()
    assert cancel.text() == "Cancel: Packing the runs"
    qtbot.mouseClick(cancel, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not cancel.isVisible(), timeout=PATIENCE_MS)


def test_all_transcripts_go_into_a_folder(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_studio()
    show_run(window, qtbot, run_folder)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "texts"))
    dialog = open_dialog(qtbot, window, "transcript.export_all")
    page = dialog.pages["transcript"]
    assert isinstance(page, TranscriptPage)
    assert page.recording.currentData() == EACH
    page.format.setCurrentIndex(page.format.findData("vtt"))
    save(qtbot, window, dialog, tmp_path / "texts" / "sonnet001.vtt")
    assert sorted(path.name for path in (tmp_path / "texts").iterdir()) == [
        "ami_trn04.vtt",
        "jfk.vtt",
        "sonnet001.vtt",
    ]


def test_a_text_that_is_being_corrected_is_exported_as_it_stands(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_studio()
    show_run(window, qtbot, run_folder)
    qtbot.waitUntil(lambda: window.transcript.text is not None, timeout=PATIENCE_MS)
    for number, (decoded, holds) in enumerate(((False, "And thus my fellow"), (True, "And so my fellow"))):
        if not decoded:
            window.desk.toggle()
            editor = window.transcript.editor
            editor.setTextCursor(editor.document().find("so", 0))
            qtbot.keyClicks(editor, "thus")
        path = tmp_path / f"text{number}.txt"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path: (str(path), ""))
        dialog = open_dialog(qtbot, window, "transcript.export")
        page = dialog.pages["transcript"]
        assert isinstance(page, TranscriptPage)
        assert page.decoded.isVisible()
        page.decoded.setChecked(decoded)
        assert save(qtbot, window, dialog, path).decode().startswith(holds)
    by_command("export", RUN, "-o", str(tmp_path / "command.txt"), "--recording", "a1")
    assert (tmp_path / "command.txt").read_bytes() == (tmp_path / "text0.txt").read_bytes()


def test_the_selected_span_is_drawn(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_studio()
    show_run(window, qtbot, run_folder)
    begin = window.calls.model.span[0]  # type: ignore[index]
    window.calls.view.navigator.select_span((begin + 10**9, begin + 5 * 10**9))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "span.svg"), ""))
    dialog = open_dialog(qtbot, window, "timeline.export")
    page = dialog.pages["picture"]
    assert isinstance(page, PicturePage)
    assert page.part.currentText() == "Selected span"
    content = save(qtbot, window, dialog, tmp_path / "span.svg")
    by_command("export", RUN, "-o", str(tmp_path / "same.svg"), "--from", "1", "--to", "5")
    assert content == (tmp_path / "same.svg").read_bytes()


def test_a_dropped_bundle_opens_and_a_broken_one_is_refused(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, data_folder: Path, tmp_path: Path
) -> None:
    folder = repository / "tests/data/runs/three-recordings"
    path = tmp_path / "from a colleague.as2d"
    write_bundle([RunStore(folder.parent).find(str(folder))], path, audio=False)
    window = open_studio()
    drop(window, path)
    qtbot.waitUntil(
        lambda: window.history.model.rowCount() == 1 and window.studio.shown is not None, timeout=PATIENCE_MS
    )
    qtbot.waitUntil(lambda: window.transcript.text is not None, timeout=PATIENCE_MS)
    assert "fellow Americans" in window.transcript.view.toPlainText()
    tip = window.history.model.data(window.history.model.index(0, 0), Qt.ItemDataRole.ToolTipRole)
    assert "from the bundle from a colleague.as2d" in str(tip)
    broken = tmp_path / "broken.as2d"
    broken.write_bytes(path.read_bytes()[:-100])
    with qtbot.waitSignal(window.studio.failed, timeout=PATIENCE_MS) as told:
        drop(window, broken)
    assert told.args == [
        "broken.as2d cannot be opened as a run bundle: it is damaged or no bundle; nothing was changed."
    ]
    assert window.history.model.rowCount() == 1
    items = len(window.studio.recordings.items)
    with qtbot.waitSignal(window.studio.told, timeout=PATIENCE_MS) as noted:
        drop(window, path)
    assert noted.args == ["This run is here already; it is shown."]
    assert window.history.model.rowCount() == 1
    assert len(window.studio.recordings.items) >= items


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
    items = list(window.studio.recordings.items)
    shown = window.studio.shown
    assert shown is not None
    listed = [item for item in items if item.run == shown.number]
    assert len(listed) == 3
    first, other = listed[:2]
    assert window.follower.item is first
    texts = [shown.transcript.recordings[item.recording or ""].text() for item in (first, other)]
    word = next(
        word for word in texts[1].split() if word.isalpha() and len(word) > 3 and word not in texts[0]
    )
    history.search.setText(word)
    qtbot.waitUntil(lambda: history.model.has_found(), timeout=PATIENCE_MS)
    history.table.selectRow(0)
    history.open_current()
    qtbot.waitUntil(lambda: window.follower.item is other, timeout=PATIENCE_MS)
    assert window.studio.recordings.items == items
    assert window.transcript.find_bar.count.text().startswith("1 of ")
    marked = window.transcript.view.extraSelections()
    assert {mark.cursor.selectedText().casefold() for mark in marked} == {word.casefold()}
    window.docks.show("history")
    window.recordings.select(first)  # the bar looks in what is shown
    window.docks.show("transcript")
    assert window.transcript.find_bar.count.text() == "Not found"
    assert not window.transcript.view.extraSelections()
    history.search.setText("nobody said this")
    history.search.clear()
    qtbot.waitUntil(lambda: not history.model.has_found(), timeout=PATIENCE_MS)
    history.table.selectRow(0)
    history.open_current()
    qtbot.waitUntil(lambda: window.follower.item is first, timeout=PATIENCE_MS)
    assert window.studio.recordings.items == items


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


def test_the_dialog_is_reached_by_keys_alone_and_every_choice_has_a_name(
    open_studio: OpenStudio, qtbot: QtBot, run_folder: Path
) -> None:
    window = open_studio()
    show_run(window, qtbot, run_folder)
    qtbot.keyClick(window, Qt.Key.Key_E, CONTROL)
    (dialog,) = [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]
    assert isinstance(dialog, ExportDialog)
    qtbot.keyClick(dialog.kinds, Qt.Key.Key_End)
    assert isinstance(list(dialog.pages.values())[dialog.stack.currentIndex()], BundlePage)
    assert dialog.childAt(QPoint(40, 40)) is not None
    for page in dialog.pages.values():
        for widget in page.findChildren(QWidget):
            if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.parent() is page:
                assert widget.accessibleName() or getattr(widget, "text", lambda: "")()
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
