"""Cutting a stream of frames into windows of speech: at pauses, without long silence, at most 30 s each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from as2d.backend.audio.speech import FRAME

SAMPLE_RATE = 16_000


def _frames(seconds: float) -> int:
    return int(seconds * SAMPLE_RATE / FRAME)


LONGEST = 30 * SAMPLE_RATE
"""Samples of the longest window."""
_LONGEST_FRAMES = _frames(30.0)
_EXCESS = 160  # samples (10 ms) beyond 30 s that a recording's last window may lose
_ACTIVE = 0.1  # a frame that may be speech; noise stays below, but for single frames
_PAUSE = 0.35  # a frame below this may be cut
_PAD = _frames(0.6)  # kept before and after speech
_GAP = _frames(5.0)  # silence that ends a window
_RUN = 4  # neighbouring active frames (128 ms) that begin a window
_SPOKEN = 5  # frames (160 ms) of a run that can make a window speech
_EVIDENCE = 1.5  # sum of probabilities in one run that makes a window speech
_CUT_FROM, _CUT_TO = _frames(18.0), _frames(29.5)
# When the speech ends within this much after 30 s, both parts are made long enough to be understood.
_LOOK_AHEAD = _frames(6.0)
_CUT_FROM_NEAR_END, _LAST_PART = _frames(12.0), _frames(5.0)
_GOOD_PAUSE = _frames(0.6)  # longer ones are not better
_LATER = 0.02  # frames of pause that a frame later is worth: 10 s are worth 0.2 s
_SHORT_PAUSE = 3  # frames (96 ms); shorter ones are closures within words


@dataclass(frozen=True)
class Window:
    """A stretch of the recording: `first` sample, int16 `pcm`, and whether it holds speech."""

    first: int
    pcm: NDArray[np.int16]
    speech: bool


class WindowCutter:
    """Takes frames in order and yields windows as soon as their end is certain; holds 42 s at most.

    A window begins 0.6 s before the first run of speech and ends 0.6 s after the last, where 5 s without
    speech follow. Longer speech is cut in the best pause between 18 and 29.5 s, where neighbouring windows
    meet, or leave out the middle of a pause of more than 1.2 s. Nothing is in two windows.
    """

    def __init__(self) -> None:
        self._base = 0  # frame number of the first frame held
        self._pcm: list[NDArray[np.int16]] = []
        self._probability: list[float] = []
        self._level: list[float] = []

    def push(
        self, pcm: list[NDArray[np.int16]], probabilities: NDArray[np.float32], levels: NDArray[np.float32]
    ) -> Iterator[Window]:
        """Take frames (int16 [512] each), their speech probabilities and levels in dB; yield windows."""
        self._pcm += pcm
        self._probability += probabilities.tolist()
        self._level += levels.tolist()
        yield from self._cut(at_end=False)

    def finish(self) -> Iterator[Window]:
        """Yield what is left; the last frame pushed may have been shorter than 512 samples."""
        yield from self._cut(at_end=True)

    def _cut(self, *, at_end: bool) -> Iterator[Window]:
        while True:
            window = self._next(at_end=at_end)
            if window is None:
                return
            yield window

    def _next(self, *, at_end: bool) -> Window | None:
        held = np.array(self._probability, np.float32)
        active = held >= _ACTIVE
        begin = _first_run(active)
        if begin is None:
            # What may become the lead of a run that is just beginning is kept.
            self._drop(len(held) - _PAD - _RUN)
            return None
        self._drop(begin - _PAD)
        lead = min(begin, _PAD)
        active = active[begin - lead :]
        spoken = np.flatnonzero(active)
        pauses = np.flatnonzero(np.diff(spoken) > _GAP)
        last = int(spoken[pauses[0]]) if len(pauses) else int(spoken[-1])
        ended = at_end or len(pauses) > 0 or len(active) - 1 - last >= _GAP
        longest = self._longest(len(active), at_end=at_end)
        if last + 1 <= longest:
            return self._take(min(last + 1 + _PAD, longest, len(active))) if ended else None
        if not ended and len(active) <= longest + _LOOK_AHEAD + _GAP:
            return None  # the speech may yet turn out to end soon after 30 s
        near_end = ended and last + 1 <= longest + _LOOK_AHEAD
        first = _CUT_FROM_NEAR_END if near_end else _CUT_FROM
        limit = min(_CUT_TO, last + 1 - _LAST_PART) if near_end else _CUT_TO
        cut = best_cut(
            np.array(self._probability, np.float32), np.array(self._level, np.float32), first, limit
        )
        return self._take(min(cut, int(spoken[spoken < cut][-1]) + 1 + _PAD))

    def _take(self, frames: int) -> Window:
        speech = _has_speech(np.array(self._probability[:frames], np.float32))
        window = Window(self._base * FRAME, np.concatenate(self._pcm[:frames])[:LONGEST], speech)
        self._drop(frames)
        return window

    def _longest(self, held: int, *, at_end: bool) -> int:
        """Frames of the longest window: 29.98 s, or one more when the recording is just 30 s long."""
        if (
            at_end
            and held == _LONGEST_FRAMES + 1
            and FRAME * (held - 1) + len(self._pcm[-1]) <= LONGEST + _EXCESS
        ):
            return held
        return _LONGEST_FRAMES

    def _drop(self, frames: int) -> None:
        if frames <= 0:
            return
        del self._pcm[:frames], self._probability[:frames], self._level[:frames]
        self._base += frames


def _runs(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The runs of True as [n, 2]: first index, index after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], flags, [False]]).astype(np.int8)))
    return edges.reshape(-1, 2)


def _first_run(active: NDArray[np.bool_]) -> int | None:
    for first, end in _runs(active):
        if end - first >= _RUN:
            return int(first)
    return None


def _has_speech(probabilities: NDArray[np.float32]) -> bool:
    return any(
        end - first >= _SPOKEN and float(probabilities[first:end].sum()) >= _EVIDENCE
        for first, end in _runs(probabilities >= _ACTIVE)
    )


def best_cut(probabilities: NDArray[np.float32], levels: NDArray[np.float32], first: int, limit: int) -> int:
    """The frame before which to cut, `first` <= frame <= `limit`.

    The longest pause wins, with a slight preference for later ones (fewer windows); pauses of 0.6 s and
    more are equal. The cut is in the middle of a long pause and at the quietest place of a short one. Without
    any pause the quietest 160 ms win.
    """
    quiet = probabilities[first:limit] < _PAUSE
    runs = _runs(quiet)
    lengths = runs[:, 1] - runs[:, 0]
    if len(runs) == 0 or lengths.max() < _SHORT_PAUSE:
        # Place k of the mean is the level of the three frames before a cut at k and the three after it.
        around = np.convolve(levels, np.ones(6) / 6, mode="full")[2 : 2 + len(levels)]
        later = np.arange(limit - first) * (0.2 * FRAME / SAMPLE_RATE)
        return first + int(np.argmin(around[first:limit] - later))
    worth = np.minimum(lengths, _GOOD_PAUSE) + _LATER * runs[:, 0]
    begin, end = (int(edge) + first for edge in runs[int(np.argmax(worth))])
    if end - begin >= _GOOD_PAUSE:
        return (begin + end) // 2
    louder = np.maximum(levels[begin : end - 1], levels[begin + 1 : end])
    return begin + 1 + int(np.argmin(louder))
