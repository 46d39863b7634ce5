"""Statistics of paired comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

_RESAMPLES = 2000
_SEED = 20260102
_LEAST_GROUPS = 2


def median_interval(
    groups: Mapping[str, Sequence[float]], *, level: float = 0.95
) -> tuple[float, float] | None:
    """Percentile bootstrap interval of the median of all values, whole groups drawn with replacement (the
    cluster bootstrap: windows of one recording are no independent samples). None: fewer than two groups.

    The draws are seeded: the same values give the same interval.
    """
    filled = [np.asarray(values, np.float64) for values in groups.values() if len(values)]
    if len(filled) < _LEAST_GROUPS:
        return None
    draws = np.random.default_rng(_SEED).integers(0, len(filled), (_RESAMPLES, len(filled)))
    medians = [float(np.median(np.concatenate([filled[place] for place in draw]))) for draw in draws]
    tail = (1 - level) / 2
    low, high = np.quantile(medians, [tail, 1 - tail])
    return float(low), float(high)
