"""Cards keep the height of what they show, whatever comes and goes."""

from __future__ import annotations

from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS

from as2d.app.device.cards import Card, CardFlow, FactGrid
from as2d.app.viewmodels.device_facts import Fact

TEXT = "a text that is long enough to be wrapped in a narrow column " * 2
FACTS = [Fact(f"Sensor {n}", TEXT) for n in range(14)]


def _crushed(flow: CardFlow) -> list[str]:
    return [
        card.title
        for card in flow.cards
        if card.isVisible() and card.height() < card.layout().totalHeightForWidth(card.width())
    ]


def test_cards_have_room_for_what_comes_later(qtbot: QtBot) -> None:
    area, flow = QScrollArea(), CardFlow()
    qtbot.addWidget(area)
    cards = [Card(f"Card {n}") for n in range(6)]
    grids = [FactGrid() for _ in cards]
    for card, grid in zip(cards, grids, strict=True):
        card.body.addWidget(grid)
        grid.show_facts(FACTS[:1])
    cards[0].hide()
    flow.set_cards(cards)
    area.setWidgetResizable(True)
    area.setWidget(flow)
    area.resize(1000, 600)
    area.show()
    qtbot.waitUntil(lambda: not _crushed(flow), timeout=PATIENCE_MS)
    for facts in (FACTS, FACTS[:3], FACTS):
        for grid in grids[1:4]:
            grid.show_facts(facts)
        cards[0].setVisible(len(facts) > 3)
        flow.arrange()
        qtbot.waitUntil(lambda: not _crushed(flow), timeout=PATIENCE_MS)
    area.resize(700, 600)
    qtbot.waitUntil(lambda: not _crushed(flow), timeout=PATIENCE_MS)
