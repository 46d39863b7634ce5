"""What must be said before any number of a comparison: noise is too large, or too little was compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from as2d.backend.compare.judging.judgement import JudgedWindow, Paired, Side
from as2d.backend.compare.judging.pairing import recording_of

FEW_RECORDINGS = 5
"""Of fewer, a bootstrap by recording draws little else than the values themselves."""


def cautions(sides: Sequence[Side], windows: Sequence[JudgedWindow]) -> Iterator[str]:
    """A sentence for each reason not to take the numbers for results."""
    for side in sides:
        if side.again and side.alone is not None:
            yield from _noise(side, side.alone, sides)
    recordings = {
        recording_of(window)
        for number, window in enumerate(windows)
        if sum(side.figures.tps[number] is not None for side in sides if not side.members) > 1
    }
    if _nothing_ahead(sides, windows):
        yield (
            "No recording has a second window, so nothing was prepared ahead beside any decode: what both "
            "conditions differ by is noise."
        )
    if len(recordings) == 1:
        yield (
            "All windows that were compared are of one recording: there is no interval for the speed-ups, "
            "and other recordings may behave otherwise."
        )
    elif 0 < len(recordings) < FEW_RECORDINGS:
        yield (
            f"Only {len(recordings)} recordings were compared: intervals of so few cannot be relied on; "
            f"{FEW_RECORDINGS} are the least for one."
        )


def _nothing_ahead(sides: Sequence[Side], windows: Sequence[JudgedWindow]) -> bool:
    """Whether windows were to be prepared beside decodes, and none of the recordings had one for that."""
    ahead = [side for side in sides if side.preparing == "ahead"]
    decoded = [
        number for number in range(len(windows)) if any(s.figures.tps[number] is not None for s in ahead)
    ]
    return bool(decoded) and len({recording_of(windows[number]) for number in decoded}) == len(decoded)


def _noise(side: Side, again: Paired, sides: Sequence[Side]) -> Iterator[str]:
    if again.low is not None and again.high is not None and not again.low <= 1 <= again.high:
        yield (
            f"The same decoding, measured again ({side.arm}), was {again.speed_up:.2f} times as fast "
            f"({again.low:.2f} to {again.high:.2f}): the noise is too large for these numbers to be results; "
            "measure again while nothing else runs."
        )
        return
    others = [
        other.alone
        for other in sides
        if not other.again and other.alone is not None and other.alone.reference == again.reference
    ]
    noise = _size(again)
    if others and noise > 0 and noise >= max(map(_size, others)):
        yield (
            f"The same decoding, measured again ({side.arm}), changed by {100 * math.expm1(noise):.0f} %, as "
            "much as any other way to decode or more: these numbers are no results; measure again while "
            "nothing else runs."
        )


def _size(paired: Paired) -> float:
    """The larger of both measures of a change, as the logarithm of a ratio."""
    ratios = (paired.speed_up, 1 + paired.gain if paired.gain is not None else None)
    return max((abs(math.log(ratio)) for ratio in ratios if ratio), default=0.0)
