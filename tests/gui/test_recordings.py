"""Recordings are dropped, refused with reasons, reordered, cancelled, removed and brought back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QImage
from PySide6.QtWidgets import QAbstractItemView, QApplication, QGraphicsView, QLabel, QLineEdit, QSpinBox
from pytestqt.qtbot import QtBot
from tests.gui.conftest import (
    PATIENCE_MS,
    HoldBehind,
    OpenStudio,
    drop,
    drop_data,
    statuses,
    wait_for_end,
)

from as2d.app.recordings.words import details_of
from as2d.backend.paths import runs_dir
from as2d.backend.protocol.host_events import RecordingOpened
from as2d.backend.runs.store import RunStore


def test_files_and_folders_are_dropped_and_each_refused_one_is_named(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, tmp_path: Path
) -> None:
    window = open_studio(repository / "resources" / "sample" / "jfk.flac")
    folder = tmp_path / "talks" / "monday"
    folder.mkdir(parents=True)
    shutil.copy(repository / "resources" / "sample" / "jfk.flac", folder / "b.flac")
    shutil.copy(repository / "resources" / "sample" / "jfk.flac", folder / "a.flac")
    (folder / "notes.txt").write_text("no recording")
    empty = tmp_path / "empty.wav"
    empty.touch()

    drop(window.recordings, tmp_path / "talks", empty)
    qtbot.waitUntil(lambda: len(statuses(window)) == 4, timeout=PATIENCE_MS)

    assert statuses(window)[1:] == [("a.flac", "waiting"), ("b.flac", "waiting"), ("empty.wav", "refused")]
    assert window.studio.recordings.items[-1].message == "empty.wav was refused: the file is empty (0 bytes)."
    assert window.message_bar.text.text() == "empty.wav was refused: the file is empty (0 bytes)."


@pytest.mark.parametrize("panel", ["transcript", "compare", "device", "longrun", "history"])
def test_files_are_taken_wherever_on_the_window_they_are_dropped(
    panel: str, open_studio: OpenStudio, qtbot: QtBot, repository: Path, tmp_path: Path
) -> None:
    window = open_studio(repository / "resources" / "sample" / "jfk.flac")
    window.docks.show(panel)
    fields: list[QLineEdit | QSpinBox] = [*window.findChildren(QLineEdit), *window.findChildren(QSpinBox)]
    texts = {field: field.text() for field in fields if field.isVisible()}
    drawings = [view.viewport() for view in window.findChildren(QGraphicsView) if view.isVisible()]
    assert window.calls.view.canvas.viewport() in drawings
    for number, place in enumerate([*texts, *drawings], start=1):
        file = tmp_path / f"{number}.flac"
        shutil.copy(repository / "resources" / "sample" / "jfk.flac", file)
        drop(place, file)
        qtbot.waitUntil(lambda: len(statuses(window)) == number + 1, timeout=PATIENCE_MS)  # noqa: B023
        assert statuses(window)[-1] == (file.name, "waiting")
    assert {field: field.text() for field in texts} == texts


def test_the_list_shows_that_it_takes_what_is_dragged_over_the_window(
    open_studio: OpenStudio, repository: Path
) -> None:
    window = open_studio()
    place = window.calls.view.canvas.viewport()
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(repository / "resources" / "sample" / "jfk.flac"))])

    def edge() -> QImage:
        return window.recordings.grab().toImage().copy(0, 0, 2, window.recordings.height())

    plain = edge()
    entering = QDragEnterEvent(
        place.rect().center(), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    QApplication.sendEvent(place, entering)
    assert edge() != plain
    QApplication.sendEvent(window, QDragLeaveEvent())  # which Qt sends to who took the other
    assert edge() == plain


def test_what_lies_on_another_computer_is_refused_with_what_to_do(open_studio: OpenStudio) -> None:
    window = open_studio()
    drop(window.recordings, "sftp://server/talk.mp3")
    assert window.message_bar.text.text() == (
        "sftp://server/talk.mp3 is not on this computer; save it as a file and drop that."
    )


def test_a_file_that_is_no_recording_fails_and_the_others_are_decoded(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.mp3"
    wrong.write_text("this is no sound at all\n" * 50)
    window = open_studio(wrong)
    # What reading its outline found out is said before anyone runs: nothing invites to play or to decode it.
    window.recordings.select(window.studio.recordings.items[0])
    qtbot.waitUntil(lambda: window.waveform.problem is not None, timeout=PATIENCE_MS)
    said = [label.text() for label in window.transcript.findChildren(QLabel) if label.isVisible()]
    assert window.waveform.problem in said
    assert not window.registry.action("playback.toggle").isEnabled()
    assert not window.transcript.bar.play.isEnabled()
    window.registry.run("run.start")
    drop(window, repository / "resources" / "sample" / "jfk.flac")
    wait_for_end(window, qtbot)
    assert statuses(window) == [("wrong.mp3", "failed"), ("jfk.flac", "done")]
    first = window.studio.recordings.items[0]
    assert "wrong.mp3 was refused" in (first.message or "")
    assert "wrong.mp3" not in details_of(first)
    assert first.message in [message.text for message in window.log.messages]


def test_a_recording_that_could_be_read_in_part_is_warned_of_among_the_messages(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, tmp_path: Path
) -> None:
    whole = (repository / "resources" / "sample" / "jfk.flac").read_bytes()
    cut = tmp_path / "cut.flac"
    cut.write_bytes(whole[: len(whole) * 7 // 10])
    window = open_studio(cut)
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert statuses(window) == [("cut.flac", "done")]
    (warning,) = window.studio.recordings.items[0].warnings
    told = [message.text for message in window.log.messages if message.level == "warning"]
    assert told == [f"cut.flac: {warning}"]


def test_recordings_that_are_added_while_it_decodes_belong_to_the_run(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, hold_behind: HoldBehind
) -> None:
    sample = repository / "resources" / "sample" / "jfk.flac"
    added = repository / "tests" / "data" / "speech" / "libri_198-209-0000.ogg"
    window = open_studio(sample)
    go_on = hold_behind(lambda event: isinstance(event, RecordingOpened))
    window.registry.run("run.start")
    items = window.studio.recordings.items
    qtbot.waitUntil(lambda: items[0].status == "active", timeout=PATIENCE_MS)
    drop(window, added)
    finish = hold_behind(lambda event: isinstance(event, RecordingOpened) and event.recording == "a2")
    go_on.set()
    qtbot.waitUntil(lambda: items[1].status == "active", timeout=PATIENCE_MS)
    store = RunStore(runs_dir())

    def used() -> list[str]:
        return [used.audio for used in store.find("last").manifest.recordings]

    assert used() == [str(sample), str(added)]  # a program that is killed here knows it too
    finish.set()
    wait_for_end(window, qtbot)
    assert statuses(window) == [(sample.name, "done"), (added.name, "done")]
    assert used() == [str(sample), str(added)]
    (row,) = store.list()
    assert (row.recordings, row.title) == (2, f"{sample.name}, {added.name}")
    assert list(store.search("libri")) == [row.run]


def test_cancel_ends_the_run_and_leaves_no_program_behind(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, hold_behind: HoldBehind
) -> None:
    sample = repository / "resources" / "sample" / "jfk.flac"
    window = open_studio(sample, sample, sample)
    opened = hold_behind(lambda event: isinstance(event, RecordingOpened))
    window.registry.run("run.start")
    qtbot.waitUntil(lambda: window.studio.recordings.items[0].status == "active", timeout=PATIENCE_MS)
    pid = window.studio.live.fold.hello.pid  # type: ignore[union-attr]
    qtbot.keyClick(window, Qt.Key.Key_Period, Qt.KeyboardModifier.ControlModifier)
    opened.set()
    wait_for_end(window, qtbot)
    assert {status for _, status in statuses(window)} <= {"cancelled", "done"}
    assert ("jfk.flac", "cancelled") in statuses(window)
    assert not Path(f"/proc/{pid}").exists()


def test_the_list_is_reordered_and_removals_are_undone(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path
) -> None:
    files = [tmp_path / f"{name}.wav" for name in "abc"]
    for file in files:
        file.write_bytes(b"RIFF")
    window = open_studio(*files)
    view = window.recordings.view
    enabled = {
        name: window.registry.action(f"recordings.{name}").isEnabled() for name in ("up", "again", "cancel")
    }
    assert enabled == {"up": True, "again": False, "cancel": False}
    window.recordings.select(window.studio.recordings.items[2])
    view.setFocus()
    qtbot.keyClick(window, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert [name for name, _ in statuses(window)] == ["a.wav", "c.wav", "b.wav"]
    assert view.currentIndex().row() == 1

    qtbot.keyClick(window, Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier)
    assert [name for name, _ in statuses(window)] == ["a.wav", "b.wav"]
    assert all(file.exists() for file in files)
    assert window.registry.action("edit.undo").text() == "&Undo removing c.wav"
    qtbot.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert not window.registry.action("edit.undo").isEnabled()
    assert [name for name, _ in statuses(window)] == ["a.wav", "c.wav", "b.wav"]


def test_cancelling_is_said_until_it_is_done(
    open_studio: OpenStudio, qtbot: QtBot, hold_behind: HoldBehind
) -> None:
    go_on = hold_behind(lambda event: isinstance(event, RecordingOpened))
    window = open_studio()
    qtbot.mouseClick(window.top_bar.run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: statuses(window) == [("jfk.flac", "active")], timeout=PATIENCE_MS)
    assert window.status.what.text() == "Decoding jfk.flac …"
    window.tell("The export was saved.", Path())
    window.follower.follow_running()  # as with every event of the run
    assert window.status.what.text() == "The export was saved."
    assert window.status.folder.isVisible()
    qtbot.mouseClick(window.top_bar.run, Qt.MouseButton.LeftButton)
    assert window.top_bar.run.text() == window.status.what.text() == "Cancelling …"
    assert not window.top_bar.run.isEnabled()
    go_on.set()
    wait_for_end(window, qtbot)
    assert statuses(window) == [("jfk.flac", "cancelled")]
    assert window.top_bar.run.text() == "Run"


def test_a_message_moves_nothing(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()

    def places() -> list[tuple[int, ...]]:
        panels = (window.recordings, window.transcript, window.calls.view)
        return [(*panel.mapTo(window, panel.rect().topLeft()).toTuple(), panel.height()) for panel in panels]

    before = places()
    window.tell("The export was saved.", Path())
    qtbot.waitUntil(window.status.folder.isVisible, timeout=PATIENCE_MS)
    assert places() == before
    for text in ("Short.", "A longer one, which takes several lines. " * 8):
        window.say("error", text)
        bar = window.message_bar
        qtbot.waitUntil(bar.isVisible, timeout=PATIENCE_MS)
        assert places() == before
        whole = bar.parentWidget()
        assert whole is not None
        assert whole.rect().contains(bar.geometry())
        assert bar.text.height() >= bar.text.heightForWidth(bar.text.width())  # all of it is to be read
    window.resize(900, 640)
    qtbot.waitUntil(lambda: whole.rect().contains(bar.geometry()), timeout=PATIENCE_MS)
    qtbot.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()


def test_waiting_recordings_are_dragged_to_another_place(open_studio: OpenStudio, tmp_path: Path) -> None:
    files = [tmp_path / f"{name}.wav" for name in "abcde"]
    for file in files:
        file.write_bytes(b"RIFF")
    window = open_studio(*files)
    model = window.recordings.model

    def dragged(*rows: int, before: int) -> str:
        data = model.mimeData([model.index(row, 0) for row in rows])
        model.dropMimeData(data, Qt.DropAction.MoveAction, before, 0, QModelIndex())
        return "".join(name[0] for name, _ in statuses(window))

    assert window.recordings.view.dragDropMode() == QAbstractItemView.DragDropMode.InternalMove
    assert all(model.flags(model.index(row, 0)) & Qt.ItemFlag.ItemIsDragEnabled for row in range(5))
    assert dragged(3, before=0) == "dabce"
    assert dragged(0, 1, before=5) == "bceda"
    assert dragged(1, 4, before=3) == "becad"
    assert dragged(0, before=0) == "becad"


def test_names_with_blanks_umlauts_and_escapes_are_taken_as_a_file_manager_sends_them(
    open_studio: OpenStudio, tmp_path: Path
) -> None:
    names = ["zwei Wörter.wav", "100 % 真.wav", "a%20b#1.wav", "frage?.wav"]
    for name in names:
        (tmp_path / name).write_bytes(b"RIFF")
    window = open_studio()
    before = len(statuses(window))
    lines = [QUrl.fromLocalFile(str(tmp_path / name)).toEncoded().data() for name in names]
    data = QMimeData()
    data.setData("text/uri-list", b"\r\n".join([*lines, b"https://example.org/talk.mp3", b""]))
    drop_data(window, data)
    assert [name for name, _ in statuses(window)][before:] == names
    assert window.message_bar.text.text() == (
        "https://example.org/talk.mp3 is not on this computer; save it as a file and drop that."
    )


def test_a_folder_of_a_hundred_recordings_never_holds_the_window(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path
) -> None:
    for number in range(100):
        (tmp_path / f"{number:03}.wav").write_bytes(b"RIFF")
    window = open_studio()
    shown: list[int] = []
    window.studio.recordings.listen(lambda _item: shown.append(len(window.studio.recordings.items)))
    drop(window, tmp_path)
    assert window.recordings.model.rowCount() == 1  # the folder is looked into beside the window
    qtbot.waitUntil(lambda: window.recordings.model.rowCount() == 101, timeout=PATIENCE_MS)
    assert [name for name, _ in statuses(window)][1:] == [f"{number:03}.wav" for number in range(100)]
    assert len(shown) < 20


def test_names_are_shown_as_they_stand(open_studio: OpenStudio, tmp_path: Path, repository: Path) -> None:
    path = tmp_path / "<h1>a & b.flac"
    shutil.copy(repository / "resources" / "sample" / "jfk.flac", path)
    window = open_studio(path, started_before=True)
    index = window.recordings.model.index(0)
    tip = window.recordings.model.data(index, Qt.ItemDataRole.ToolTipRole)
    assert "&lt;h1&gt;a &amp; b.flac" in tip
    window.recordings.select(window.studio.recordings.items[0])
    shown = [label for label in window.findChildren(QLabel) if path.name in label.text()]
    assert shown
    assert {label.textFormat() for label in shown} == {Qt.TextFormat.PlainText}
