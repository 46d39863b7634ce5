"""Which stretch of a timeline belongs to one recording. Knows no Qt."""

from __future__ import annotations

from as2d.app.viewmodels.requests import RequestSpan
from as2d.app.viewmodels.timeline import TimelineModel

_NS = 1e9


class RecordingStretch:
    """Follows the requests of one recording as they come; `recording` None: of none."""

    def __init__(self, model: TimelineModel, recording: str | None) -> None:
        self._model = model
        self._recording = recording
        self._seen = 0
        self._clock: tuple[int, int] | None = None
        self._audio: tuple[int, int] | None = None

    def span(self, *, audio_time: bool) -> tuple[int, int] | None:
        """From the first work on the recording to the last, ns of the axis; None: nothing was done on it."""
        requests = self._model.requests
        if self._recording is None:
            return None
        while self._seen < len(requests):
            own = requests[self._seen]
            if own.preparation.window.recording == self._recording:
                self._take(own)
                if own.end is None:
                    break  # it still grows
            self._seen += 1
        return self._audio if audio_time else self._clock

    def _take(self, request: RequestSpan) -> None:
        window = request.preparation.window
        begin = request.preparation.begin if request.preparation.begin is not None else request.asked
        end = next((t for t in (request.end, request.last_commit, request.asked) if t is not None), None)
        if begin is not None and end is not None and end > begin:
            self._clock = _joined(self._clock, (begin, end))
        audio = (window.audio_s, window.audio_s + window.end_s - window.start_s)
        self._audio = _joined(self._audio, (round(audio[0] * _NS), round(audio[1] * _NS)))


def _joined(one: tuple[int, int] | None, other: tuple[int, int]) -> tuple[int, int]:
    return other if one is None else (min(one[0], other[0]), max(one[1], other[1]))
