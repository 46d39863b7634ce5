"""Intervals and distributions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from as2d.backend.metrics.distributions import ecdf, median_interval

_RATIOS = st.floats(min_value=0.1, max_value=10.0)
_GROUPS = st.lists(st.lists(_RATIOS, max_size=6), min_size=2, max_size=8).filter(
    lambda groups: sum(bool(group) for group in groups) >= 2
)


def test_an_interval_widens_with_the_recordings_not_with_their_windows() -> None:
    apart = {"one": [1.0] * 50, "two": [2.0] * 50, "three": [1.5] * 50}
    low, high = median_interval(apart) or (0.0, 0.0)
    assert (low, high) == (1.0, 2.0)
    assert median_interval(apart) == (low, high)
    assert median_interval({"one": [1.0, 2.0, 3.0]}) is None
    assert median_interval({"one": [], "two": [1.0]}) is None
    close = median_interval({str(n): [1.0 + n / 1000] for n in range(40)})
    assert close is not None
    assert close[0] < 1.0195 < close[1]
    assert close[1] - close[0] < 0.02


@settings(max_examples=30, deadline=None)
@given(_GROUPS)
def test_an_interval_is_that_of_medians_of_drawn_recordings(groups: list[list[float]]) -> None:
    """The same draws laid out value by value give the same interval."""
    filled = [np.asarray(group) for group in groups if group]
    found = median_interval({str(number): group for number, group in enumerate(groups)})
    draws = np.random.default_rng(20260102).integers(0, len(filled), (2000, len(filled)))
    medians = [np.median(np.concatenate([filled[place] for place in draw])) for draw in draws]
    expected = np.quantile(medians, [0.025, 0.975])
    assert found is not None
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_an_interval_holds_the_true_median_as_often_as_it_says() -> None:
    """300 comparisons of 25 recordings with 4 windows each, whose true median ratio is 1.5."""
    numbers = np.random.default_rng(7)
    held = 0
    for _ in range(300):
        recordings = 1.5 * np.exp(numbers.normal(0, 0.2, 25))
        windows = recordings[:, None] * np.exp(numbers.normal(0, 0.05, (25, 4)))
        low, high = median_interval({str(n): list(group) for n, group in enumerate(windows)}) or (0, 0)
        held += low <= 1.5 <= high
    assert 0.90 <= held / 300 <= 0.99


@given(st.lists(_RATIOS, min_size=1, max_size=40))
def test_a_distribution_counts_every_value(values: list[float]) -> None:
    points = ecdf(values)
    assert points[-1] == (max(values), 1.0)
    for value, share in points:
        assert share == sum(other <= value for other in values) / len(values)
    assert ecdf([]) == []
