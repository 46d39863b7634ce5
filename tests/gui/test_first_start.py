"""A person starts the program for the first time, presses Run, and later comes back."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio, statuses, wait_for_end

from as2d.app.timeline.view import Arrangement
from as2d.backend.models.store import ModelStore
from as2d.backend.paths import data_dir
from as2d.backend.protocol.decode_events import Result
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER

JFK = (
    "And so my fellow Americans, ask not what your country can do for you, "
    "ask what you can do for your country."
)


def test_the_sample_is_there_and_run_decodes_it_live(
    open_studio: OpenStudio, qtbot: QtBot, data_folder: Path
) -> None:
    window = open_studio()
    assert statuses(window) == [("jfk.flac", "waiting")]
    assert window.top_bar.device.currentText() == "This computer"
    lengths: list[int] = []
    window.studio.updated.connect(lambda: lengths.append(len(window.transcript.view.toPlainText())))

    qtbot.keyClick(window, Qt.Key.Key_F5)
    assert window.studio.running
    assert window.top_bar.run.text() == "Cancel"
    wait_for_end(window, qtbot)

    assert statuses(window) == [("jfk.flac", "done")]
    assert window.transcript.view.toPlainText() == JFK
    assert window.top_bar.run.text() == "Run"
    run = RunStore(data_folder / "runs").find("last")
    assert run.manifest.command == "studio"
    spoken = sum(len(event.tokens) for event in run.events() if isinstance(event, Result))
    counted = sum(window.transcript.legend.counted().values())
    assert counted == spoken  # without the end of the text, which is no text
    assert sorted(lengths) == lengths
    assert lengths[-1] == len(JFK)


def test_a_missing_model_is_installed_by_the_first_run_with_progress(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without what was checked of the models: other programs write that into the same folder meanwhile.
    unchecked = shutil.ignore_patterns("checked", ".*")
    shutil.copytree(data_dir() / "models", tmp_path / "models", symlinks=True, ignore=unchecked)
    ModelStore(tmp_path / "models").remove(DEFAULT_DRAFTER)
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path))
    window = open_studio()
    said: list[tuple[str, bool]] = []

    def ended() -> bool:
        said.append((window.status.what.text(), window.status.bar.isVisible()))
        return not window.studio.running

    window.registry.run("run.start")
    qtbot.waitUntil(ended, timeout=PATIENCE_MS)
    assert {shown for text, shown in said if text.startswith(f"{DEFAULT_DRAFTER}: ")} == {True}
    told = [message.text for message in window.log.messages]
    assert window.transcript.view.toPlainText() == JFK, told
    ModelStore(tmp_path / "models").verify(DEFAULT_DRAFTER)  # raises where a file is not as it should be


def test_a_run_that_is_opened_again_shows_what_was_live(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    live = [(piece.text, piece.origin, piece.call) for piece in window.transcript.text.pieces()]  # type: ignore[union-attr]
    figures = window.transcript.figures_text()
    window.close()

    later = open_studio()
    assert statuses(later) == []
    later.docks.show("history")
    qtbot.waitUntil(lambda: later.history.model.rowCount() == 1, timeout=PATIENCE_MS)
    later.history.table.selectRow(0)
    qtbot.keyClick(later.history.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: later.transcript.text is not None, timeout=PATIENCE_MS)

    assert later.transcript.view.toPlainText() == JFK
    assert [(p.text, p.origin, p.call) for p in later.transcript.text.pieces()] == live  # type: ignore[union-attr]
    assert later.transcript.figures_text() == figures
    assert later.docks.is_shown("transcript")


def test_the_window_comes_back_as_it_was(open_studio: OpenStudio) -> None:
    window = open_studio()
    window.resize(1111, 777)
    window.top_bar.budget.setValue(7)
    window.docks.show("history")
    window.calls.view.arrange(Arrangement(("audio",), ("target",), True, ("power",)))
    window.close()
    later = open_studio()
    assert (later.width(), later.height()) == (1111, 777)
    assert later.top_bar.budget.value() == 7
    assert later.docks.is_shown("history")
    assert later.calls.view.arrangement == Arrangement(("audio",), ("target",), True, ("power",))


def test_a_panel_that_floats_comes_back_where_it_was(open_studio: OpenStudio) -> None:
    window = open_studio()
    dock = window.docks.manager.findDockWidget("history")
    dock.setFloating()
    floating = dock.floatingDockContainer()
    floating.setGeometry(120, 90, 640, 420)
    window.close()
    assert not floating.isVisible()
    later = open_studio()
    dock = later.docks.manager.findDockWidget("history")
    assert dock.isFloating()
    assert not dock.isClosed()
    assert dock.floatingDockContainer().geometry().getRect() == (120, 90, 640, 420)
    later.docks.reset()
    assert not later.docks.manager.findDockWidget("history").isFloating()


def test_a_run_is_deleted_searched_and_brought_back(
    open_studio: OpenStudio, qtbot: QtBot, data_folder: Path
) -> None:
    window = open_studio()
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    window.docks.show("history")
    history = window.history
    qtbot.waitUntil(lambda: history.model.rowCount() == 1, timeout=PATIENCE_MS)
    folder = next((data_folder / "runs").glob("*/manifest.json")).parent

    qtbot.keyClicks(history.search, "sonnet")
    assert history.count.text() == "0 of 1 runs"
    history.search.clear()
    qtbot.keyClicks(history.search, "JFK as2d")
    assert history.count.text().startswith("1 run, ")

    history.table.selectRow(0)
    window.registry.run("history.delete")
    qtbot.waitUntil(lambda: history.model.rowCount() == 0, timeout=PATIENCE_MS)
    assert not folder.exists()
    window.registry.run("edit.undo")
    qtbot.waitUntil(lambda: history.model.rowCount() == 1, timeout=PATIENCE_MS)
    assert RunStore(data_folder / "runs").find(folder.name).manifest.status == "done"
    history.table.selectRow(0)
    window.registry.run("history.delete")
    window.registry.run("edit.undo")  # at once: it comes behind what it undoes
    qtbot.waitUntil(lambda: not window.studio.operations.running(), timeout=PATIENCE_MS)
    assert history.model.rowCount() == 1
    assert folder.exists()

    history.table.selectRow(0)
    window.registry.run("history.delete")
    qtbot.waitUntil(lambda: history.model.rowCount() == 0, timeout=PATIENCE_MS)
    window.close()
    later = open_studio()
    qtbot.waitUntil(lambda: not later.studio.operations.running(), timeout=PATIENCE_MS)
    assert list((data_folder / "runs").rglob("manifest.json")) == []


def test_the_window_speaks_chinese(open_studio: OpenStudio) -> None:
    window = open_studio(language="zh_CN")
    assert window.top_bar.run.text() == "运行"
    assert window.top_bar.device.currentText() == "本机"
    assert window.menuBar().actions()[0].text() == "文件(&F)"
