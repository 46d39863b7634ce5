"""Spans of work, merged across short pauses."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.energy.phones import S

from as2d.backend.energy.spans import SETTLE_NS, Spans


def _spans(*found: tuple[int, int]) -> Spans:
    spans = Spans()
    for start, end in found:
        spans.add(start * S, end * S)
    return spans


def test_short_pauses_belong_to_the_work() -> None:
    assert list(_spans((0, 1), (2, 3), (10, 11))) == [(0, 3 * S), (10 * S, 11 * S)]
    assert list(_spans((10, 11), (0, 1), (2, 9))) == [(0, 11 * S)]


def test_the_longest_pause_begins_when_the_device_has_settled() -> None:
    spans = _spans((10, 20), (30, 40))
    assert spans.longest_pause(0, 45 * S) == (0, 10 * S)
    assert spans.longest_pause(9 * S, 45 * S) == (22 * S, 30 * S)
    assert spans.longest_pause(9 * S, 80 * S) == (42 * S, 80 * S)
    assert spans.longest_pause(12 * S, 15 * S) == (12 * S, 12 * S)
    assert _spans().longest_pause(3, 9) == (3, 9)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 5)), max_size=20), st.integers(0, 70))
def test_any_order_gives_the_same_and_holds_its_work(found: list[tuple[int, int]], moment: int) -> None:
    pairs = [(start, start + length) for start, length in found]
    spans = _spans(*pairs)
    assert list(spans) == list(_spans(*reversed(pairs)))
    inside = any(start * S <= moment * S < end * S for start, end in pairs)
    assert not inside or spans.holds(moment * S)
    ends = list(spans)
    assert all(later - end >= SETTLE_NS for (_, end), (later, _) in itertools.pairwise(ends))
