"""Counters that follow from calls and commits: candidates ready, acceptance, tokens a second."""

from __future__ import annotations

from collections import deque

from as2d.app.viewmodels.requests import RequestSpan
from as2d.app.viewmodels.series import Series
from as2d.backend.protocol.decode_events import Call

TRAILING = 16
_NAN = float("nan")


class Speed:
    """`ready`: published minus consumed tokens of the draft. `acceptance` (0 to 1) and `tps` (tokens/s) are
    over the last `TRAILING` calls of a request, unknown between requests.
    """

    def __init__(self) -> None:
        self.ready = Series()
        self.acceptance = Series()
        self.tps = Series()
        self._request = -1
        self._preparation = ""
        self._published = 0
        self._consumed = 0
        self._calls: deque[tuple[int, int]] = deque(maxlen=TRAILING)
        self._commits: deque[tuple[int, int]] = deque(maxlen=TRAILING + 1)

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.ready.nbytes + self.acceptance.nbytes + self.tps.nbytes

    def published(self, t: int, preparation: str, length: int) -> None:
        """A draft stream has this length now."""
        self._turn_to(preparation)
        self._published = length
        self._show_ready(t)

    def called(self, call: Call, end: int) -> None:
        """A call was made."""
        if call.kind == "guard":
            return
        self._turn_to(call.window)
        self._published = max(self._published, call.published)
        if call.cursor is not None:
            self._consumed = max(self._consumed, call.cursor + call.accepted)
        else:
            self._consumed = min(self._consumed + call.accepted + 1, self._published)
        self._show_ready(end)
        if call.candidates:
            self._calls.append((len(call.candidates), call.accepted))
        proposed = sum(pair[0] for pair in self._calls)
        self.acceptance.append(end, sum(pair[1] for pair in self._calls) / proposed if proposed else _NAN)

    def committed(self, t: int, tokens: int, request: RequestSpan) -> None:
        """So many tokens after the first were committed."""
        if request.number != self._request:
            self._request = request.number
            self._calls.clear()
            self._commits.clear()
            self._commits.append((t if request.decode is None else request.decode, 0))
        if not tokens:
            return
        self._commits.append((t, tokens))
        seconds = (t - self._commits[0][0]) / 1e9
        after = sum(pair[1] for pair in self._commits) - self._commits[0][1]
        self.tps.append(t, after / seconds if seconds > 0 else _NAN)

    def ended(self, t: int) -> None:
        """The request has its result."""
        self._preparation, self._published, self._consumed = "", 0, 0
        self.ready.append(t, 0)
        self.acceptance.append(t, _NAN)
        self.tps.append(t, _NAN)

    def thin(self, keep: int) -> None:
        """Keep least and most of the older samples only."""
        for series in (self.ready, self.acceptance, self.tps):
            if len(series) > 2 * keep:
                series.thin(keep)

    def _turn_to(self, preparation: str) -> None:
        if preparation != self._preparation:
            self._preparation = preparation
            self._published = self._consumed = 0

    def _show_ready(self, t: int) -> None:
        self.ready.append(t, max(0, self._published - self._consumed))
