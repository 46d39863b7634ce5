"""A person starts the program for the first time, presses Run, and later comes back."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio, statuses, wait_for_end

from as2d.backend.protocol.decode_events import Commit
from as2d.backend.runs.store import RunStore

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
    committed = sum(len(event.tokens) for event in run.events() if isinstance(event, Commit))
    counted = sum(int(label.text().rsplit(" ", 1)[1]) for label in window.transcript.legend.labels())
    assert counted == committed
    assert sorted(lengths) == lengths
    assert lengths[-1] == len(JFK)


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
    window.close()
    later = open_studio()
    assert (later.width(), later.height()) == (1111, 777)
    assert later.top_bar.budget.value() == 7
    assert later.docks.is_shown("history")
