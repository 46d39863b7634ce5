"""The counters of calls and commits as series: candidates ready, acceptance, tokens a second."""

from __future__ import annotations

from as2d.app.viewmodels.requests import RequestSpan
from as2d.app.viewmodels.series import Series
from as2d.backend.metrics.counters import CounterName, Counters
from as2d.backend.protocol.decode_events import Call


class Speed:
    """The series of `Counters`."""

    def __init__(self) -> None:
        self.ready = Series()
        self.acceptance = Series()
        self.tps = Series()
        self._counters = Counters(self._note)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.ready.nbytes + self.acceptance.nbytes + self.tps.nbytes

    def published(self, t: int, preparation: str, length: int) -> None:
        """A draft stream has this length now."""
        self._counters.published(t, preparation, length)

    def called(self, call: Call, end: int) -> None:
        """A call was made."""
        self._counters.called(call, end)

    def committed(self, t: int, tokens: int, request: RequestSpan) -> None:
        """So many tokens after the first were committed."""
        self._counters.committed(t, tokens, request.number, request.decode)

    def ended(self, t: int) -> None:
        """The request has its result."""
        self._counters.ended(t)

    def thin(self, keep: int) -> None:
        """Keep least and most of the older samples only."""
        for series in (self.ready, self.acceptance, self.tps):
            if len(series) > 2 * keep:
                series.thin(keep)

    def _note(self, name: CounterName, t: int, value: float) -> None:
        series: Series = getattr(self, name)
        series.append(t, value)
