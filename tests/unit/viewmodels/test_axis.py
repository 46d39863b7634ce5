"""Zooming, panning and ticks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from as2d.app.viewmodels.axis import TimeAxis, duration_label, fitted

axes = st.builds(
    lambda begin, length, width: TimeAxis(begin, begin + length, width),
    st.integers(0, 10**15),
    st.integers(10**6, 10**14),
    st.integers(200, 4000),
)


@given(axes, st.floats(0.2, 5), st.floats(0, 1))
def test_zooming_keeps_the_time_under_the_pointer(axis: TimeAxis, factor: float, share: float) -> None:
    x = share * axis.width
    zoomed = axis.zoomed(factor, x)
    assert abs(zoomed.x(axis.t(x)) - x) <= 1
    assert zoomed.end > zoomed.begin


@given(axes)
def test_edges_cover_the_axis(axis: TimeAxis) -> None:
    edges = axis.edges(axis.width)
    assert (edges[0], edges[-1]) == (axis.begin, axis.end)
    assert (edges[1:] >= edges[:-1]).all()


@given(axes)
def test_ticks_are_few_apart_and_different(axis: TimeAxis) -> None:
    ticks = axis.ticks(axis.begin)
    assert len(ticks) <= axis.width / 96 + 1
    assert len({tick.label for tick in ticks}) == len(ticks)


def test_fitting_shows_the_whole_span() -> None:
    axis = fitted((100, 10**9), 1000)
    assert axis.begin <= 100
    assert axis.end >= 10**9


@pytest.mark.parametrize(
    ("ns", "label"),
    [
        (640, "640 ns"),
        (1_500, "1.50 µs"),
        (48_200_000, "48.2 ms"),
        (3_770_000_000, "3.77 s"),
        (75e9, "1 min 15 s"),
        (7_260e9, "2 h 01 min"),
    ],
)
def test_lengths_have_a_unit(ns: float, label: str) -> None:
    assert duration_label(ns) == label
