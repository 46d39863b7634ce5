"""Statistics of paired comparisons."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 2000
_SEED = 20260102
_LEAST_GROUPS = 2
_CHUNK = 50


def median_interval(
    groups: Mapping[str, Sequence[float]], *, level: float = 0.95
) -> tuple[float, float] | None:
    """Percentile bootstrap interval of the median of all values, whole groups drawn with replacement (the
    cluster bootstrap: windows of one recording are no independent samples). None: fewer than two groups.

    The draws are seeded: the same values give the same interval.
    """
    filled = [values for values in groups.values() if len(values)]
    if len(filled) < _LEAST_GROUPS:
        return None
    values = np.asarray([value for group in filled for value in group], np.float64)
    owners = np.repeat(np.arange(len(filled)), [len(group) for group in filled])
    order = np.argsort(values, kind="stable")
    values, owners = values[order], owners[order]
    draws = np.random.default_rng(_SEED).integers(0, len(filled), (_RESAMPLES, len(filled)))
    medians = np.concatenate(
        [_medians(values, owners, draws[first : first + _CHUNK]) for first in range(0, _RESAMPLES, _CHUNK)]
    )
    tail = (1 - level) / 2
    low, high = np.quantile(medians, [tail, 1 - tail])
    return float(low), float(high)


def ecdf(values: Sequence[float]) -> list[tuple[float, float]]:
    """The empirical distribution: each value once, in order, with the share of all that are not above it."""
    ordered = sorted(values)
    return [
        (value, below / len(ordered))
        for value, below in (
            (value, place + 1)
            for place, (value, following) in enumerate(itertools.pairwise([*ordered, None]))
            if following != value
        )
        if value is not None
    ]


def _medians(
    values: NDArray[np.float64], owners: NDArray[np.int64], draws: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The median of each draw of groups; `values` in order, each with its group. A group that was drawn
    twice counts twice, so that no draw is ever laid out value by value.
    """
    groups = int(owners.max()) + 1
    flat = draws + np.arange(len(draws))[:, None] * groups
    drawn = np.bincount(flat.ravel(), minlength=len(draws) * groups).reshape(len(draws), groups)
    upto = np.cumsum(drawn[:, owners], axis=1)
    whole = upto[:, -1]
    lower = np.argmax(upto > ((whole - 1) // 2)[:, None], axis=1)
    upper = np.argmax(upto > (whole // 2)[:, None], axis=1)
    middle: NDArray[np.float64] = (values[lower] + values[upper]) / 2
    return middle
