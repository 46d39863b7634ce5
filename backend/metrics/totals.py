"""Counts of finished requests, added up one by one where keeping the requests would take too much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from as2d.backend.metrics.pooled import ratio
from as2d.backend.protocol.decode_events import Counters


@dataclass
class Totals:
    """Sums as those of `Pooled`; `decode_s` in seconds."""

    requests: int = 0
    tokens: int = 0
    calls: int = 0
    guard_calls: int = 0
    proposed: int = 0
    accepted: int = 0
    after_first: int = 0
    decode_s: float = 0.0

    def add(self, counters: Counters, seconds: float) -> None:
        """Add one request: its counters and its decode time."""
        self.requests += 1
        self.tokens += counters.tokens
        self.calls += counters.calls
        self.guard_calls += counters.guard_calls
        self.proposed += counters.proposed
        self.accepted += counters.accepted
        self.after_first += max(counters.tokens - 1, 0)
        self.decode_s += seconds

    def with_more(self, decodes: Iterable[tuple[Counters, float]]) -> Totals:
        """These and some more."""
        whole = replace(self)
        for counters, seconds in decodes:
            whole.add(counters, seconds)
        return whole

    @property
    def tps(self) -> float | None:
        """Tokens after the first a second of decoding; null where nothing was decoded."""
        return ratio(self.after_first, self.decode_s)
