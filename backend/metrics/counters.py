"""Counters that follow from drafts, calls and commits: candidates ready, acceptance, tokens a second."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Literal

from as2d.backend.protocol.decode_events import Call

TRAILING = 16
CounterName = Literal["ready", "acceptance", "tps"]
_NAN = float("nan")


class Counters:
    """`ready`: published minus consumed tokens of the draft. `acceptance` (0 to 1) and `tps` (tokens/s) are
    over the last `TRAILING` calls of a request. Each new value goes to `note` with its time (ns);
    not-a-number: unknown from there on, as between requests.
    """

    def __init__(self, note: Callable[[CounterName, int, float], None]) -> None:
        self._note = note
        self._request: object = None
        self._preparation = ""
        self._published = 0
        self._consumed = 0
        self._calls: deque[tuple[int, int]] = deque(maxlen=TRAILING)
        self._commits: deque[tuple[int, int]] = deque(maxlen=TRAILING + 1)

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
        accepted = sum(pair[1] for pair in self._calls)
        self._note("acceptance", end, accepted / proposed if proposed else _NAN)

    def committed(self, t: int, tokens: int, request: object, decode: int | None) -> None:
        """So many tokens after the first were committed; `decode`: when the request's decoding began, where
        that is known already.
        """
        if request != self._request:
            self._request = request
            self._calls.clear()
            self._commits.clear()
            self._commits.append((t if decode is None else decode, 0))
        if not tokens:
            return
        self._commits.append((t, tokens))
        seconds = (t - self._commits[0][0]) / 1e9
        after = sum(pair[1] for pair in self._commits) - self._commits[0][1]
        self._note("tps", t, after / seconds if seconds > 0 else _NAN)

    def ended(self, t: int) -> None:
        """The request has its result."""
        self._preparation, self._published, self._consumed = "", 0, 0
        self._note("ready", t, 0)
        self._note("acceptance", t, _NAN)
        self._note("tps", t, _NAN)

    def _turn_to(self, preparation: str) -> None:
        if preparation != self._preparation:
            self._preparation = preparation
            self._published = self._consumed = 0

    def _show_ready(self, t: int) -> None:
        self._note("ready", t, max(0, self._published - self._consumed))
