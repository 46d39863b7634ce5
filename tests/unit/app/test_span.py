"""The stretch of a recording that the waveform shows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from as2d.app.waveform.span import Span


@given(
    st.floats(0.1, 40_000),
    st.lists(
        st.one_of(
            st.tuples(st.just("zoom"), st.floats(0.05, 20), st.floats(0, 1)),
            st.tuples(st.just("move"), st.floats(-5000, 5000), st.just(0.0)),
            st.tuples(st.just("turn"), st.floats(0, 1), st.just(0.0)),
        ),
        max_size=12,
    ),
)
def test_the_span_stays_within_the_recording(length: float, moves: list[tuple[str, float, float]]) -> None:
    span = Span()
    span.set_length(length)
    for move, value, share in moves:
        if move == "zoom":
            span.zoom(value, span.begin + share * span.width)
        elif move == "move":
            span.move(value)
        else:
            span.turn_to(value * length)
            assert span.begin - 1e-6 <= value * length <= span.begin + span.width + 1e-6
        assert -1e-6 <= span.begin <= span.begin + span.width <= length * (1 + 1e-9) + 1e-6
        assert span.width >= min(0.5, length) * (1 - 1e-9)
        assert len(span.marks(10)) <= 11


def test_who_sees_the_whole_recording_still_does_when_it_grows() -> None:
    span = Span()
    span.set_length(10)
    span.set_length(30)
    assert (span.begin, span.width) == (0, 30)
    span.zoom(0.5, 15)
    span.set_length(40)
    assert span.width == 15


def test_marks_are_round_and_labels_have_tenths_where_it_is_narrow() -> None:
    span = Span()
    span.set_length(3700)
    assert span.marks(8) == [0, 600, 1200, 1800, 2400, 3000, 3600]
    assert span.label(3600) == "1:00:00"
    span.zoom(0.001, 61)
    assert span.label(61.25) == "1:01.2"
    assert span.marks(4)[1] - span.marks(4)[0] == pytest.approx(1)
