"""The measures of the algorithm, pooled over requests."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from as2d.backend.metrics.pooled import Pooled, pool
from as2d.backend.metrics.states import RecordingState, RequestState
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.events import Prepared
from as2d.backend.protocol.message import NANOSECONDS


class Measures(Pooled):
    """What is pooled of some requests, and their times in seconds around decoding (medians where they are
    latencies, sums where they are work).
    """

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


def first_token_seconds(result: Result) -> float:
    """From the request to the moment when the prefill's logits were ready."""
    return (result.times.first_token - result.times.request) / NANOSECONDS


def drop_seconds(request: RequestState, result: Result, drafted: int | None) -> float | None:
    """From the moment when the device got the window's audio to the end of the text, s; null: nothing tells
    of the preparation, as in replays.

    The time between a preparation that was ready and a request that came later is left out: benchmarks decode
    by other arms then. A draft that was to be there before the request is part of the preparation; `drafted`
    is when its producer came to its end, ns of the device.
    """
    prepared, times = request.preparation.prepared, result.times
    if prepared is None:
        return None
    ready = prepared.end
    if drafted is not None and result.start_condition == "pre-drafted" and drafted <= times.request:
        ready = max(ready, drafted)
    end = times.end if times.request <= ready else ready + times.end - times.request
    return (end - prepared.start) / NANOSECONDS


def rest_seconds(before: Result, prepared: Prepared) -> float:
    """What was left, after the text of the window before, of a preparation beside it, s."""
    return max(prepared.end - before.times.end, 0) / NANOSECONDS


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
    preparations = {request.preparation.name: request for request, _ in finished}.values()
    draft_ns = sum(request.draft_ns for request, _ in finished) + sum(
        request.preparation.drafter_encoder_ns + request.preparation.draft_ns for request in preparations
    )
    pooled = pool((result.counters, decode_seconds(result)) for result in results)
    return Measures(
        **pooled.model_dump(),
        audio_prepare_s=sum(prepare_seconds(request) for request in preparations),
        draft_s=draft_ns / NANOSECONDS,
        response_s=_median([response_seconds(result) for result in results]),
        first_token_s=_median([first_token_seconds(result) for result in results]),
    )


def _median(values: Sequence[float]) -> float | None:
    return statistics.median(values) if values else None
