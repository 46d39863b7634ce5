"""The stacked timelines follow what is decoded, and are read by the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS
from tests.unit.conftest import FakeCall, StreamMaker

from as2d.app.compare.strips_page import StripsPage
from as2d.app.viewmodels.stacked import StackedModel, Window

ARMS = ("target-only (2 threads)", "as2d budget 4 (2 threads) by one", "as2d budget 4 (2 threads) by other")


def test_the_newest_window_is_followed_and_its_strips_are_read(qtbot: QtBot) -> None:
    stream = StreamMaker()
    for number in (1, 2, 3):
        stream.recording(f"a{number}", f"/somewhere/talk{number}.wav")
        window = stream.window(f"a{number}", 0, 0, 9.5)
        for arm in ARMS:
            preparation = stream.prepare(window, len(stream.events))
            stream.request(preparation, [FakeCall(0, 0, 10)] * 6, " Hello.", arm=arm, repeat=0)
    page = StripsPage()
    qtbot.addWidget(page)
    page.resize(900, 500)
    page.show()
    model = StackedModel()
    page.show_model(model, live=True)
    assert page.newest.isVisible()
    seen = []
    for event in stream.events:
        model.feed("here", [event])
        page.show_model(model, live=True)
        if model.newest is not None:
            assert page.window_shown == model.newest
            seen.append(model.newest)
    assert len(set(seen)) == 3
    told = []
    page.strips.setFocus()
    for _ in range(4):
        qtbot.keyClick(page.strips, Qt.Key.Key_Down)
        told.append(page.told.text())
    names = (
        "Target only (2 threads)",
        "AS²D (2 threads) by one  ·  budget 4",
        "AS²D (2 threads) by other  ·  budget 4",
    )
    assert told == [f"{name}  ·  80.0 ms" for name in (*names, names[-1])]
    page.set_live(False)
    assert not page.newest.isVisible()
    page.step(-1)
    assert page.window_shown == Window("/somewhere/talk2.wav", 0, 9.5)
    qtbot.waitUntil(lambda: len(page.strips.rows) == 3, timeout=PATIENCE_MS)
