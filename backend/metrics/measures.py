"""The measures of the algorithm, pooled over requests."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict

from as2d.backend.metrics.states import RecordingState, RequestState
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.message import NANOSECONDS


class Measures(BaseModel):
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
    audio_prepare_s: float
    draft_s: float
    response_s: float | None
    first_token_s: float | None


def decode_seconds(result: Result) -> float:
    """Decode time: from 'prefill logits ready' to the commit of the end of text or of the limit."""
    return (result.times.end - result.times.first_token) / NANOSECONDS


def response_seconds(result: Result) -> float:
    """Response latency: from the request to the last commit, what was left of the audio preparation
    included.
    """
    return (result.times.end - result.times.request) / NANOSECONDS


def prepare_seconds(request: RequestState) -> float:
    """How long the target's audio state of the request's window took."""
    prepared = request.preparation.prepared
    return (prepared.end - prepared.start) / NANOSECONDS if prepared is not None else 0.0


def draft_seconds(request: RequestState) -> float:
    """Work of the drafter for a request: its encoder and its steps, also those before the request."""
    preparation = request.preparation
    return (preparation.drafter_encoder_ns + preparation.draft_ns + request.draft_ns) / NANOSECONDS


def drop_to_transcript_seconds(recording: RecordingState) -> float | None:
    """From the recording's entry in the queue to its last window's text; null while it is not done."""
    if recording.status != "done" or recording.ended is None:
        return None
    return (recording.ended - recording.queued) / NANOSECONDS


def measure(requests: Iterable[RequestState]) -> Measures:
    """Pool the finished requests among `requests`."""
    finished = [(request, request.result) for request in requests if request.result is not None]
    results = [result for _, result in finished]
    counters = [result.counters for result in results]
    tokens = sum(count.tokens for count in counters)
    calls = sum(count.calls for count in counters)
    proposed = sum(count.proposed for count in counters)
    accepted = sum(count.accepted for count in counters)
    hits = sum(count.hits for count in counters)
    after_first = sum(max(count.tokens - 1, 0) for count in counters)
    decode_s = sum(decode_seconds(result) for result in results)
    proposed_at = _sum_lists([count.proposed_by_position for count in counters])
    accepted_at = _sum_lists([count.accepted_by_position for count in counters], len(proposed_at))
    preparations = {request.preparation.name: request for request, _ in finished}.values()
    draft_ns = sum(request.draft_ns for request, _ in finished) + sum(
        request.preparation.drafter_encoder_ns + request.preparation.draft_ns for request in preparations
    )
    return Measures(
        requests=len(results),
        tokens=tokens,
        calls=calls,
        guard_calls=sum(count.guard_calls for count in counters),
        proposed=proposed,
        accepted=accepted,
        extra=accepted,
        hits=hits,
        ends_accepted=sum(count.end_accepted for count in counters),
        acceptance=_ratio(accepted, proposed),
        tokens_per_call=_ratio(after_first, calls),
        hit_rate=_ratio(hits, calls),
        proposed_by_position=proposed_at,
        accepted_by_position=accepted_at,
        acceptance_by_position=tuple(_ratio(a, p) for a, p in zip(accepted_at, proposed_at, strict=True)),
        decode_s=decode_s,
        tps=_ratio(after_first, decode_s),
        ms_per_token=_ratio(decode_s * 1000, after_first),
        audio_prepare_s=sum(prepare_seconds(request) for request in preparations),
        draft_s=draft_ns / NANOSECONDS,
        response_s=_median([response_seconds(result) for result in results]),
        first_token_s=_median(
            [(result.times.first_token - result.times.request) / NANOSECONDS for result in results]
        ),
    )


def _ratio(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None


def _sum_lists(lists: Sequence[Sequence[int]], length: int = 0) -> tuple[int, ...]:
    length = max([length, *(len(values) for values in lists)])
    return tuple(sum(values[i] for values in lists if i < len(values)) for i in range(length))
