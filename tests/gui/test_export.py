"""What is taken away of a run, and what comes from elsewhere: by the window as by the command line."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, RUN, OpenStudio, drop, show_run
from typer.testing import CliRunner

from as2d.app.export.dialog import ExportDialog
from as2d.app.export.pages import BundlePage, PicturePage, TablePage, TranscriptPage
from as2d.app.operations.operation import Operation
from as2d.app.viewmodels.export import EACH, ExportKind
from as2d.app.window.main_window import StudioWindow
from as2d.backend.bundles.writing import write_bundle
from as2d.backend.cli.main import app
from as2d.backend.runs.store import RunStore

CONTROL = Qt.KeyboardModifier.ControlModifier


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
