"""What goes wrong outside the window is told in it, and the window lives on."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, HoldBehind, OpenStudio, statuses, wait_for_all, wait_for_end
from tests.small_disks import SmallDisk

from as2d.app.viewmodels.recordings import RecordingItem
from as2d.app.window.main_window import StudioWindow
from as2d.backend.metrics.fold import RunFold
from as2d.backend.protocol.host_events import PrepareSent, StepProgress
from as2d.backend.runs.store import RunStore

SENTENCE = "ask what you can do for your country."


def test_a_killed_helper_is_replaced_and_the_text_is_whole(
    open_studio: OpenStudio, qtbot: QtBot, hold_behind: HoldBehind
) -> None:
    window = open_studio()
    prepares = hold_behind(lambda event: isinstance(event, PrepareSent))
    window.registry.run("run.start")
    qtbot.waitUntil(
        lambda: bool(window.studio.live and window.studio.live.fold.preparations), timeout=PATIENCE_MS
    )
    os.kill(window.studio.live.fold.hello.pid, signal.SIGKILL)  # type: ignore[union-attr]
    prepares.set()
    wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "done")]
    assert window.transcript.view.toPlainText().endswith(SENTENCE)
    assert window.transcript.view.toPlainText().count(SENTENCE) == 1
    assert len(window.studio.shown.fold.helper_endings) == 1  # type: ignore[union-attr]
    assert window.studio.shown.timeline.ended  # type: ignore[union-attr]


def test_a_file_that_vanishes_from_the_queue_is_named(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone.flac"
    shutil.copy(repository / "resources" / "sample" / "jfk.flac", gone)
    window = open_studio(gone, repository / "resources" / "sample" / "jfk.flac")
    gone.unlink()
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert statuses(window) == [("gone.flac", "failed"), ("jfk.flac", "done")]
    assert window.studio.recordings.items[0].message == "gone.flac was refused: there is no such file."


def test_without_a_helper_the_window_says_what_to_do_and_works_afterwards(
    open_studio: OpenStudio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window = open_studio()
    with monkeypatch.context() as without:
        without.setenv("AS2D_HELPER", str(tmp_path / "nothing"))
        window.registry.run("run.start")
        wait_for_end(window, qtbot)
    assert "is not an executable file; correct AS2D_HELPER or unset it." in window.message_bar.text.text()
    assert statuses(window) == [("jfk.flac", "waiting")]
    qtbot.mouseClick(window.message_bar.close_button, Qt.MouseButton.LeftButton)
    qtbot.keyClick(window, Qt.Key.Key_F5)
    wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "done")]

    text, timeline = window.transcript.view.toPlainText(), window.calls.model
    assert text.endswith(SENTENCE)
    with monkeypatch.context() as without:
        without.setenv("AS2D_HELPER", str(tmp_path / "nothing"))
        window.registry.run("run.start")
        assert statuses(window) == [("jfk.flac", "waiting")]
        wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "done")]  # nothing was begun, so nothing is lost
    assert window.transcript.view.toPlainText() == text
    assert window.calls.model is timeline
    window.studio.refusal = lambda: "Not now."
    window.registry.run("run.start")
    assert statuses(window) == [("jfk.flac", "done")]
    assert window.transcript.view.toPlainText() == text


def _answer(question: QMessageBox, text: str, qtbot: QtBot) -> None:
    (button,) = [button for button in question.buttons() if button.text() == text]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_an_event_that_cannot_be_shown_costs_neither_the_others_nor_the_end(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = open_studio()

    def stumble(item: RecordingItem | None) -> None:
        if item is not None and item.status == "active":
            raise ValueError("of a listener")

    window.studio.recordings.listen(stumble)
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "done")]
    assert window.transcript.view.toPlainText().endswith(SENTENCE)
    assert "(ValueError: of a listener)" in window.message_bar.text.text()
    window.close()
    window.studio.again(window.studio.recordings.items)
    window.studio.start()
    assert not window.studio.running  # nothing begins behind the end


def _loading(window: StudioWindow, qtbot: QtBot, hold_behind: HoldBehind) -> threading.Event:
    """Run what waits; it loads its models until this is set."""
    go_on = hold_behind(lambda event: isinstance(event, StepProgress) and event.step.startswith("load "))
    window.registry.run("run.start")
    qtbot.waitUntil(lambda: bool(window.studio.live and window.studio.live.fold.hello), timeout=PATIENCE_MS)
    return go_on


def test_closing_in_the_middle_ends_the_helper_and_keeps_the_run(
    open_studio: OpenStudio, qtbot: QtBot, data_folder: Path, hold_behind: HoldBehind
) -> None:
    window = open_studio()
    loads = _loading(window, qtbot, hold_behind)
    pid = window.studio.live.fold.hello.pid  # type: ignore[union-attr]
    assert not window.close()
    (question,) = window.findChildren(QMessageBox)
    assert question.text() == "1 recording is still being decoded."
    loads.set()
    _answer(question, "Quit", qtbot)
    assert window.isHidden()
    wait_for_all(window)
    assert not Path(f"/proc/{pid}").exists()
    later = open_studio()
    qtbot.waitUntil(lambda: later.history.model.rowCount() == 1, timeout=PATIENCE_MS)
    assert later.history.model.data(later.history.model.index(0, 4)) == "interrupted"


def test_a_run_goes_on_where_closing_is_asked_about_and_declined(
    open_studio: OpenStudio, qtbot: QtBot, hold_behind: HoldBehind
) -> None:
    window = open_studio()
    loads = _loading(window, qtbot, hold_behind)
    qtbot.keyClick(window, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)
    assert not window.close()
    (question,) = window.findChildren(QMessageBox)  # one, however often it is closed
    assert question.defaultButton().text() == "Keep running"
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    loads.set()
    wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "done")]
    assert window.isVisible()
    assert window.close()  # nothing runs any more


def test_a_window_that_is_told_to_close_without_asking_does_so_beside_its_question(
    open_studio: OpenStudio, qtbot: QtBot, hold_behind: HoldBehind
) -> None:
    window = open_studio()
    loads = _loading(window, qtbot, hold_behind)
    assert not window.close()
    (question,) = window.findChildren(QMessageBox)
    loads.set()
    window.asks = False
    assert window.close()
    assert question.isHidden()  # else the program would not end
    wait_for_all(window)


def test_a_full_disk_costs_the_record_and_not_the_text(
    small_disk: SmallDisk,  # first, and so taken away after the window is closed
    open_studio: OpenStudio,
    qtbot: QtBot,
    data_folder: Path,
) -> None:
    (data_folder / "runs").symlink_to(small_disk(8))
    window = open_studio()
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "done")]
    assert window.transcript.view.toPlainText().endswith(SENTENCE)
    assert window.message_bar.text.text().startswith("There is no space left at ")
    assert window.message_bar.text.text().endswith("for the recorded run; free some space and run it again.")
    small_disk.make_room()
    window.recordings.select(window.studio.recordings.items[0])
    window.registry.run("recordings.again")
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert window.studio.shown is not None
    assert window.studio.shown.folder is not None
    stored = RunStore(data_folder / "runs").find(window.studio.shown.folder.name)
    assert stored.manifest.status == "done"
    stream = stored.stream()
    assert list(RunFold.of(stream).finished_requests())
    assert stream.complete


def test_a_folder_that_cannot_be_written_is_told_and_the_window_works_on(
    open_studio: OpenStudio, qtbot: QtBot, data_folder: Path
) -> None:
    window = open_studio()
    settings = data_folder / "studio.json"  # is written a moment after the window has begun
    qtbot.waitUntil(
        lambda: not window.studio.operations.running() and settings.is_file(), timeout=PATIENCE_MS
    )
    shutil.rmtree(data_folder / "runs", ignore_errors=True)
    (data_folder / "runs").write_text("a file where the folder of the runs should be")
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert str(data_folder / "runs") in window.message_bar.text.text()
    (data_folder / "runs").unlink()
    settings.unlink()
    settings.mkdir()
    window.message_bar.close_button.click()
    window.settings.change(text_size=20)
    told = "The settings of the window cannot be written to "
    qtbot.waitUntil(lambda: window.message_bar.text.text().startswith(told), timeout=PATIENCE_MS)
    settings.rmdir()
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "done")]
