"""However many bars lie in a pixel, none is lost."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from as2d.app.viewmodels.bars import Bars
from as2d.app.viewmodels.series import Series

KINDS = 3
bar_lists = st.lists(
    st.tuples(st.integers(0, 2_000_000_000), st.integers(0, 3_000_000_000), st.integers(0, KINDS - 1)),
    max_size=120,
)


def bars_of(gaps: list[tuple[int, int, int]]) -> tuple[Bars, list[tuple[int, int, int]]]:
    """A lane of bars, from gap, length and kind of each, and its plain list."""
    lane, plain, t = Bars(KINDS), [], 5
    for gap, length, kind in gaps:
        lane.append(t + gap, t + gap + length, kind)
        plain.append((t + gap, t + gap + length, kind))
        t += gap + length
    return lane, plain


def cut_sum(plain: list[tuple[int, int, int]], kind: int, begin: int, end: int) -> int:
    return sum(max(0, min(e, end) - max(b, begin)) for b, e, k in plain if k == kind)


@given(bar_lists, st.lists(st.integers(0, 300_000_000_000), min_size=2, max_size=40))
def test_every_column_holds_what_the_bars_took_in_it(
    gaps: list[tuple[int, int, int]], cuts: list[int]
) -> None:
    lane, plain = bars_of(gaps)
    edges = np.array(sorted(cuts), np.int64)
    covered = lane.coverage(edges)
    for kind in range(KINDS):
        expected = [cut_sum(plain, kind, int(begin), int(end)) for begin, end in itertools.pairwise(edges)]
        assert covered[kind].tolist() == expected


@given(bar_lists, st.integers(0, 120), st.integers(2, 60))
@example([(0, 0, 0)], 1, 2)
def test_sums_stay_when_old_bars_are_forgotten(
    gaps: list[tuple[int, int, int]], forgotten: int, columns: int
) -> None:
    lane, plain = bars_of(gaps)
    rows = min(forgotten, len(lane))
    lane.forget(rows)
    assert len(lane) == len(plain) - rows
    if not plain:
        return
    assert lane.span == (plain[0][0], plain[-1][1])
    edges = np.linspace(0, plain[-1][1] + 2_000_000_000, columns).astype(np.int64)
    for kind in range(KINDS):
        whole = sum(end - begin for begin, end, of in plain if of == kind)
        assert abs(int(lane.coverage(edges)[kind].sum()) - whole) <= 1


@given(bar_lists, st.integers(0, 300_000_000_000), st.integers(0, 30_000_000_000))
def test_visible_rows_are_those_that_touch_the_span(
    gaps: list[tuple[int, int, int]], begin: int, length: int
) -> None:
    lane, plain = bars_of(gaps)
    first, last = lane.visible(begin, begin + length)
    touching = [row for row, (b, e, _) in enumerate(plain) if e > begin and b < begin + length]
    assert [row for row in touching if not first <= row < last] == []


def test_a_bar_that_begins_too_early_is_cut() -> None:
    lane = Bars(1)
    lane.append(10, 30, 0)
    lane.append(20, 40, 0)
    assert lane.begins.tolist() == [10, 30]
    assert int(lane.coverage(np.array([0, 100], np.int64)).sum()) == 30


samples = st.lists(
    st.tuples(st.integers(0, 1000), st.one_of(st.just(float("nan")), st.integers(-50, 50).map(float))),
    max_size=80,
)


@given(samples, st.lists(st.integers(0, 40_000), min_size=2, max_size=30, unique=True))
def test_the_extent_of_a_column_is_that_of_its_values(
    pairs: list[tuple[int, float]], cuts: list[int]
) -> None:
    series, t = Series(), 0
    for gap, value in pairs:
        t += gap
        series.append(t, value)
    edges = np.array(sorted(cuts), np.int64)
    low, high = series.extent(edges)
    times, values = series.times.tolist(), series.values.tolist()
    for column, (begin, end) in enumerate(zip(edges.tolist(), edges[1:].tolist(), strict=False)):
        seen = [value for at, value in zip(times, values, strict=True) if begin <= at < end]
        seen += [value for at, value in zip(times, values, strict=True) if at < begin][-1:]
        known = [value for value in seen if value == value]
        assert (np.isnan(low[column]) and not known) or low[column] == min(known)
        assert (np.isnan(high[column]) and not known) or high[column] == max(known)


@given(samples.filter(lambda pairs: len(pairs) > 30))
def test_thinning_keeps_the_least_and_the_most(pairs: list[tuple[int, float]]) -> None:
    series, t = Series(), 0
    for gap, value in pairs:
        t += gap
        series.append(t, value)
    before = series.values[~np.isnan(series.values)]
    series.thin(10)
    after = series.values[~np.isnan(series.values)]
    assert len(series) < len(pairs)
    if len(before):
        assert (after.min(), after.max()) == (before.min(), before.max())
