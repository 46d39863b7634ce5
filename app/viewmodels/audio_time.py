"""Where in the recordings something was done: from the clock to seconds of audio."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from as2d.app.viewmodels.bars import Bars
from as2d.app.viewmodels.columns import Column
from as2d.app.viewmodels.requests import Preparation, RequestSpan

if TYPE_CHECKING:
    from as2d.app.viewmodels.timeline import TimelineModel

_NS = 1e9
_Knots = Callable[[RequestSpan], list[tuple[int, int]]]


class AudioTime:
    """Two maps from clock to audio time, both in ns; recordings lie one behind the other.

    `heard`: what target calls and commits were about, by the times of the words that they committed, evenly
    where there are none. `worked`: encoders, prefill and drafter, spread evenly over their window.
    """

    def __init__(self, model: TimelineModel) -> None:
        self._model = model
        self._heard = (Column("i8"), Column("i8"))
        self._worked = (Column("i8"), Column("i8"))

    def close(self, request: RequestSpan) -> None:
        """Take a request that has its result."""
        for knots, columns in (
            (self._knots_heard(request), self._heard),
            (self._knots_worked(request.preparation), self._worked),
        ):
            self._put(columns, knots)
        request.knots.clear()

    def heard(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Audio time of target calls and commits."""
        return self._map(self._heard, times, self._open(self._knots_heard_live))

    def worked(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Audio time of encoders and drafter."""
        return self._map(self._worked, times, self._open(lambda last: self._knots_worked(last.preparation)))

    def project(self, bars: Bars, *, heard: bool) -> Bars:
        """A lane in audio time."""
        to_audio = self.heard if heard else self.worked
        return bars.projected(to_audio(bars.begins), to_audio(bars.ends))

    def clock_at(self, audio_ns: int) -> int | None:
        """The clock at which a place in the audio was committed, the last time that it was."""
        clock, audio = self._heard[0].values, self._heard[1].values
        crossing = np.flatnonzero((audio[:-1] <= audio_ns) & (audio[1:] > audio_ns))
        if not len(crossing):
            return None
        row = int(crossing[-1])
        share = (audio_ns - audio[row]) / (audio[row + 1] - audio[row])
        return int(clock[row] + share * (clock[row + 1] - clock[row]))

    def audio_at(self, clock_ns: int) -> int:
        """The place in the audio that was committed at a time of the clock."""
        return int(self.heard(np.array([clock_ns], np.int64))[0])

    def _knots_heard(self, request: RequestSpan) -> list[tuple[int, int]]:
        window = request.preparation.window
        length = window.end_s - window.start_s
        begin = request.decode if request.decode is not None else request.asked
        if begin is None or request.end is None:
            return []
        inside = [(t, min(max(at, 0.0), length)) for t, at in request.knots if begin < t < request.end]
        knots = [(begin, 0.0), *inside, (request.end, length)]
        return [(t, round((window.audio_s + at) * _NS)) for t, at in knots]

    def _knots_heard_live(self, request: RequestSpan) -> list[tuple[int, int]]:
        window = request.preparation.window
        if request.decode is None or request.last_commit is None or request.last_commit <= request.decode:
            return []
        end = round((window.audio_s + window.end_s - window.start_s) * _NS)
        return [(request.decode, round(window.audio_s * _NS)), (request.last_commit, end)]

    def _knots_worked(self, preparation: Preparation) -> list[tuple[int, int]]:
        window = preparation.window
        if preparation.begin is None or preparation.end is None:
            return []
        begin = round(window.audio_s * _NS)
        return [
            (preparation.begin, begin),
            (preparation.end, begin + round((window.end_s - window.start_s) * _NS)),
        ]

    def _open(self, knots_of: _Knots) -> list[tuple[int, int]]:
        """The knots of the request that is running."""
        if not self._model.requests or self._model.requests[-1].end is not None:
            return []
        return knots_of(self._model.requests[-1])

    @staticmethod
    def _put(columns: tuple[Column, Column], knots: list[tuple[int, int]]) -> None:
        for t, at in knots:
            if not len(columns[0]) or t > int(columns[0].values[-1]):
                columns[0].append(t)
                columns[1].append(at)

    @staticmethod
    def _map(
        columns: tuple[Column, Column], times: NDArray[np.int64], more: list[tuple[int, int]]
    ) -> NDArray[np.int64]:
        clock = np.concatenate([columns[0].values, [t for t, _ in more]]).astype(np.float64)
        audio = np.concatenate([columns[1].values, [at for _, at in more]]).astype(np.float64)
        if not len(clock):
            return np.zeros(len(times), np.int64)
        return np.rint(np.interp(times, clock, audio)).astype(np.int64)
