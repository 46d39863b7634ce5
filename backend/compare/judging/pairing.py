"""One side against another, window by window."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence

from as2d.backend.compare.judging.decoded import WindowSums, pooled_tps
from as2d.backend.compare.judging.judgement import JudgedWindow, Paired
from as2d.backend.compare.judging.recordings import file_of
from as2d.backend.metrics.changes import window_changes
from as2d.backend.metrics.distributions import median_interval
from as2d.backend.metrics.speeds import Measured

Key = tuple[str | None, str]


def recording_of(window: JudgedWindow) -> Key:
    """What the bootstrap draws: a file of a corpus; one that is listed several times is no new evidence."""
    return window.corpus, file_of(window.recording)


def pair(
    own: Measured[int], other: Measured[int], reference: int, windows: Sequence[JudgedWindow]
) -> Paired | None:
    """`own` against `other`, which is number `reference`; None: no window was decoded by both."""
    ratios = {
        window: speed / other.speeds[window] for window, speed in own.speeds.items() if window in other.speeds
    }
    if not ratios:
        return None
    groups: dict[str, list[float]] = {}
    for window, ratio in sorted(ratios.items()):
        groups.setdefault(repr(recording_of(windows[window])), []).append(ratio)
    interval = median_interval(groups)
    changes = window_changes(own.speeds, other.speeds)
    common = set(ratios)
    return Paired(
        reference=reference,
        windows=len(ratios),
        speed_up=statistics.median(ratios.values()),
        low=interval[0] if interval is not None else None,
        high=interval[1] if interval is not None else None,
        change_q1=changes.change_q1,
        change_q3=changes.change_q3,
        faster=sum(ratio > 1 for ratio in ratios.values()),
        slower=changes.slower,
        slower_share=changes.slower_share,
        loss_median=changes.loss_median,
        loss_max=changes.loss_max,
        gain=gain(own.pooled(common), other.pooled(common)),
    )


def gain(own: float | None, other: float | None) -> float | None:
    """How much faster, as a share: 0.5 is half as fast again."""
    return own / other - 1 if own is not None and other is not None and other > 0 else None


class OneArm:
    """An arm as it was decoded."""

    def __init__(self, windows: Mapping[int, WindowSums]) -> None:
        self._windows = windows
        self.speeds: Mapping[int, float] = {
            number: tps for number, sums in sorted(windows.items()) if (tps := sums.tps) is not None
        }

    def pooled(self, windows: Collection[int] | None = None) -> float | None:
        """As `Measured`."""
        return pooled_tps(
            sums for number, sums in self._windows.items() if windows is None or number in windows
        )
