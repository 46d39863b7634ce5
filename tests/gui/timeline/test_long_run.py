"""Hours of events: few items, little memory, every sum kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from as2d.app.bench.stream import repeated
from as2d.app.timeline.layout import Wish, heights
from as2d.app.timeline.view import TimelineView
from as2d.app.viewmodels import timeline as timeline_module
from as2d.app.viewmodels.selection import span_sums
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol.lines import RecordedEvent

HOUR = 3600 * 10**9


def test_two_hours_of_events_need_no_more_items_and_little_memory(
    qtbot: QtBot, run_events: list[RecordedEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline_module, "MOST_CALLS", 4_000)
    monkeypatch.setattr(timeline_module, "MOST_STEPS", 4_000)
    model = TimelineModel()
    view = TimelineView(model)
    qtbot.addWidget(view)
    view.resize(1280, 400)
    view.show()
    items = len(view.canvas.scene().items())
    parts = repeated(run_events)
    rounds = 0
    held: dict[int, int] = {}
    while model.span is None or model.span[1] - model.span[0] < 2 * HOUR:
        for event in next(parts):
            model.feed(event)
        rounds += 1
        if rounds % 60 == 0:
            view.refresh()
            view.canvas.viewport().repaint()
            held[rounds] = model.nbytes
    assert len(view.canvas.scene().items()) == items
    assert max(held.values()) < 4 * 2**20
    half = [size for at, size in held.items() if at > rounds // 2]
    assert max(half) < 1.5 * min(half)
    assert model.span is not None
    sums = span_sums(model, *model.span)
    assert (sums.calls, sums.proposed, sums.accepted) == (97 * rounds, 174 * rounds, 108 * rounds)
    assert (sums.tokens, sums.after_first) == (207 * rounds, 203 * rounds)
    assert len(model.calls) <= 5_000
    view.hide()


wishes = st.lists(
    st.tuples(st.integers(8, 30), st.integers(0, 20), st.integers(0, 40)).map(
        lambda t: Wish(t[0], t[0] + t[1], t[0] + t[1] + t[2])
    ),
    min_size=1,
    max_size=9,
)


@given(wishes, st.integers(0, 1200))
def test_lanes_fit_whenever_their_smallest_heights_do(lanes: list[Wish], available: int) -> None:
    found = heights(lanes, available)
    assert all(wish.smallest <= height <= wish.largest for wish, height in zip(lanes, found, strict=True))
    assert sum(found) <= max(available, sum(wish.smallest for wish in lanes))
