"""Transcript, timeline and inspector point at each other."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.gui.conftest import OpenStudio, wait_for_end


def test_a_token_leads_to_its_call_and_a_call_to_its_tokens(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    assert window.calls.model is window.studio.shown.timeline  # type: ignore[union-attr]
    assert len(window.calls.model.calls) == window.studio.shown.figures(["a1"]).calls  # type: ignore[union-attr]

    view = window.transcript.view
    window.docks.show("transcript")
    qtbot.keyClick(view, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view, Qt.Key.Key_Left)
    piece = view.piece_of(view.textCursor().position())
    assert piece is not None
    qtbot.keyClick(view, Qt.Key.Key_Return)
    shown = window.calls.inspector.shown
    assert shown is not None
    assert (shown.request, shown.index) == (piece.request, piece.call)

    window.docks.show("timeline")
    qtbot.keyClick(window.calls.view, Qt.Key.Key_Home)
    first = [p for p in window.transcript.text.pieces() if p.call == 0]  # type: ignore[union-attr]
    assert window.calls.inspector.shown is not None
    assert window.calls.inspector.shown.index == 0
    assert view.textCursor().selectedText() == "".join(p.text for p in first).strip()
