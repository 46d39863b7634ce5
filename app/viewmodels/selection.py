"""What a selected span of time holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from as2d.app.translation import later
from as2d.app.viewmodels.kinds import CallKind
from as2d.app.viewmodels.timeline import TimelineModel

PARTLY_KNOWN = later("the power is not known for all of it")


@dataclass(frozen=True)
class SpanSums:
    """Sums of a span, ns and counts; ratios are None where nothing was counted.

    Calls count where they begin, tokens where they are committed, through the end of the text. `after_first`:
    those of them that a call gave; the first of a request, which the prefill gives, is none. `decode_ns` is
    the decode time inside the span, `target_ns` and `drafter_ns` how long both were busy. `joules` is what
    the battery gave in it, by power over time.
    """

    begin: int
    end: int
    calls: int
    guard_calls: int
    proposed: int
    accepted: int
    tokens: int
    after_first: int
    decode_ns: int
    target_ns: int
    drafter_ns: int
    joules: float | None
    joules_missing: str | None

    @property
    def acceptance(self) -> float | None:
        """Accepted of the proposed candidates."""
        return self.accepted / self.proposed if self.proposed else None

    @property
    def tps(self) -> float | None:
        """Tokens after the first a second of decode time."""
        return self.after_first / (self.decode_ns / 1e9) if self.decode_ns > 0 else None

    @property
    def tokens_per_call(self) -> float | None:
        """Tokens after the first a target call."""
        return self.after_first / self.calls if self.calls else None


def span_sums(model: TimelineModel, begin: int, end: int) -> SpanSums:
    """The sums from `begin` to `end` of the clock."""
    begin, end = min(begin, end), max(begin, end)
    edges = np.array([begin, end], np.int64)
    calls = slice(*np.searchsorted(model.target.begins, edges, "left"))
    kinds = model.target.kind[calls]
    commits = slice(*np.searchsorted(model.committed.ends, edges, "right"))
    guards = int(np.count_nonzero(kinds == CallKind.GUARD))
    after_first = int(model.commit_tokens.values[commits].sum()) + model.counts.within(begin, end, "tokens")
    firsts = int(model.commit_firsts.values[commits].sum()) + model.counts.within(begin, end, "firsts")
    old = model.counts
    joules = model.sensors.power.integral(begin, end)
    missing = model.sensors.power_missing
    return SpanSums(
        begin=begin,
        end=end,
        calls=len(kinds) - guards + old.within(begin, end, "calls"),
        guard_calls=guards + old.within(begin, end, "guard_calls"),
        proposed=int(model.calls.proposed[calls].sum()) + old.within(begin, end, "proposed"),
        accepted=int(model.calls.accepted[calls].sum()) + old.within(begin, end, "accepted"),
        tokens=after_first + firsts,
        after_first=after_first,
        decode_ns=_decode_ns(model, begin, end),
        target_ns=int(model.target.coverage(edges).sum()),
        drafter_ns=int(model.drafter.coverage(edges).sum()),
        joules=joules,
        joules_missing=None if joules is not None else missing or PARTLY_KNOWN,
    )


def _decode_ns(model: TimelineModel, begin: int, end: int) -> int:
    whole = 0
    for request in reversed(model.requests):
        last = request.end if request.end is not None else request.last_commit
        if request.decode is None or last is None:
            continue
        if last < begin:
            break
        whole += max(0, min(end, last) - max(begin, request.decode))
    return whole
