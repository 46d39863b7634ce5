"""Counts and decode times of several decodes, pooled as the algorithm's terms say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from as2d.backend.protocol.decode_events import Counters


class Pooled(BaseModel):
    """Sums and ratios of some finished requests; ratios are null where nothing was counted. Times in
    seconds.

    `acceptance` α = accepted / proposed; `extra` = accepted candidates; `tokens_per_call` = tokens after
    the first a call; `hit_rate` = share of calls that had candidates; `tps` = (tokens through the end - 1)
    / decode time, summed before dividing. Guard calls are in `guard_calls` only; their time is part of the
    decode time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    requests: int
    tokens: int
    calls: int
    guard_calls: int
    proposed: int
    accepted: int
    extra: int
    hits: int
    ends_accepted: int
    acceptance: float | None
    tokens_per_call: float | None
    hit_rate: float | None
    proposed_by_position: tuple[int, ...]
    accepted_by_position: tuple[int, ...]
    acceptance_by_position: tuple[float | None, ...]
    decode_s: float
    tps: float | None
    ms_per_token: float | None


def pool(decodes: Iterable[tuple[Counters, float]]) -> Pooled:
    """Pool decodes, each its counters and its decode time in seconds."""
    pairs = list(decodes)
    counters = [count for count, _ in pairs]
    calls = sum(count.calls for count in counters)
    proposed = sum(count.proposed for count in counters)
    accepted = sum(count.accepted for count in counters)
    hits = sum(count.hits for count in counters)
    after_first = sum(max(count.tokens - 1, 0) for count in counters)
    decode_s = sum(seconds for _, seconds in pairs)
    proposed_at = _sum_lists([count.proposed_by_position for count in counters])
    accepted_at = _sum_lists([count.accepted_by_position for count in counters], len(proposed_at))
    return Pooled(
        requests=len(pairs),
        tokens=sum(count.tokens for count in counters),
        calls=calls,
        guard_calls=sum(count.guard_calls for count in counters),
        proposed=proposed,
        accepted=accepted,
        extra=accepted,
        hits=hits,
        ends_accepted=sum(count.end_accepted for count in counters),
        acceptance=ratio(accepted, proposed),
        tokens_per_call=ratio(after_first, calls),
        hit_rate=ratio(hits, calls),
        proposed_by_position=proposed_at,
        accepted_by_position=accepted_at,
        acceptance_by_position=tuple(ratio(a, p) for a, p in zip(accepted_at, proposed_at, strict=True)),
        decode_s=decode_s,
        tps=ratio(after_first, decode_s),
        ms_per_token=ratio(decode_s * 1000, after_first),
    )


def ratio(part: float, whole: float) -> float | None:
    """`part` / `whole`; null where the whole is nothing."""
    return part / whole if whole > 0 else None


def _sum_lists(lists: Sequence[Sequence[int]], length: int = 0) -> tuple[int, ...]:
    length = max([length, *(len(values) for values in lists)])
    return tuple(sum(values[i] for values in lists if i < len(values)) for i in range(length))
