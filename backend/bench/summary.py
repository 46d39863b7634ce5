"""What a benchmark measured, arm by arm."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from as2d.backend.bench.arms import Arm
from as2d.backend.metrics.measures import decode_seconds, measure
from as2d.backend.metrics.states import RequestState


class ArmSummary(BaseModel):
    """One arm over all windows and repeats.

    `tps`: pooled decode speed, tokens/s; `tps_median`: median over the repeats of the pooled speed of each;
    `speed_up`: `tps` / `tps` of target-only with the same threads; `window_speed_up`: median over windows
    of the ratio of median decode times; `slower_windows`: share of windows slower than target-only;
    `differing`: tokens that are not those of target-only in the first repeat; times in ms or s as named;
    `drop_to_transcript_s`: sum over the recordings of the median over the repeats.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    arm: str
    method: str
    budget: int
    max_k: int
    admission: str | None
    start_condition: str | None
    threads: int
    shared_threads: int
    windows: int
    repeats: int
    tokens: int
    calls: int
    guard_calls: int
    proposed: int
    accepted: int
    acceptance: float | None
    tokens_per_call: float | None
    hit_rate: float | None
    tps: float | None
    tps_median: float | None
    ms_per_token: float | None
    response_ms: float | None
    speed_up: float | None
    window_speed_up: float | None
    slower_windows: float | None
    differing: int | None
    drop_to_transcript_s: float | None


def summarise(
    arms: Sequence[Arm], requests: Sequence[RequestState], drop_seconds: Mapping[str, float]
) -> list[ArmSummary]:
    """One summary an arm, in order; `requests` are finished, `drop_seconds` is keyed by label."""
    of_arm = {arm: [request for request in requests if request.arm == arm.label] for arm in arms}
    alone = {arm.threads: of_arm[arm] for arm in arms if not arm.drafts}
    return [_summary(arm, of_arm[arm], alone.get(arm.threads), drop_seconds.get(arm.label)) for arm in arms]


def best_budget(summaries: Sequence[ArmSummary]) -> ArmSummary | None:
    """The `as2d` arm with the highest pooled speed, to choose a budget by."""
    arms = [summary for summary in summaries if summary.method == "as2d" and summary.tps is not None]
    return max(arms, key=lambda summary: summary.tps or 0.0, default=None)


def short_row(summary: ArmSummary) -> dict[str, object]:
    """The figures that fit a page, under names with their units."""
    return {
        "method": summary.method,
        "budget": summary.budget,
        "max K": summary.max_k,
        "admission": summary.admission,
        "start": summary.start_condition,
        "threads": summary.threads,
        "windows": summary.windows,
        "tokens": summary.tokens,
        "calls": summary.calls,
        "guard": summary.guard_calls,
        "accept.": summary.acceptance,
        "tokens/call": summary.tokens_per_call,
        "hits": summary.hit_rate,
        "tokens/s": summary.tps,
        "ms/token": summary.ms_per_token,
        "response ms": summary.response_ms,
        "speed-up": summary.speed_up,
        "by window": summary.window_speed_up,
        "slower": summary.slower_windows,
        "differing": summary.differing,
        "drop s": summary.drop_to_transcript_s,
    }


def _summary(
    arm: Arm, requests: list[RequestState], alone: list[RequestState] | None, drop_s: float | None
) -> ArmSummary:
    whole = measure(requests)
    repeats = sorted({request.repeat or 0 for request in requests})
    by_repeat = [measure(r for r in requests if (r.repeat or 0) == repeat).tps for repeat in repeats]
    speeds = [speed for speed in by_repeat if speed is not None]
    times, reference = _window_times(requests), _window_times(alone or [])
    ratios = [reference[window] / times[window] for window in times if reference.get(window)]
    alone_tps = measure(alone).tps if alone else None
    return ArmSummary(
        arm=arm.label,
        method=arm.method,
        budget=arm.budget,
        max_k=arm.budget + 1,
        admission=arm.admission if arm.drafts else None,
        start_condition=arm.start_condition if arm.drafts else None,
        threads=arm.threads,
        shared_threads=arm.shared_threads,
        windows=len(times),
        repeats=len(repeats),
        tokens=whole.tokens,
        calls=whole.calls,
        guard_calls=whole.guard_calls,
        proposed=whole.proposed,
        accepted=whole.accepted,
        acceptance=whole.acceptance,
        tokens_per_call=whole.tokens_per_call,
        hit_rate=whole.hit_rate,
        tps=whole.tps,
        tps_median=statistics.median(speeds) if speeds else None,
        ms_per_token=whole.ms_per_token,
        response_ms=whole.response_s * 1000 if whole.response_s is not None else None,
        speed_up=whole.tps / alone_tps if whole.tps and alone_tps else None,
        window_speed_up=statistics.median(ratios) if ratios else None,
        slower_windows=sum(ratio < 1 for ratio in ratios) / len(ratios) if ratios else None,
        differing=_differing(requests, alone) if alone is not None else None,
        drop_to_transcript_s=drop_s,
    )


def _window_times(requests: Sequence[RequestState]) -> dict[str, float]:
    """Median decode time in seconds over the repeats, for each window that has more than one token."""
    times: dict[str, list[float]] = {}
    for request in requests:
        if request.result is not None and request.result.counters.tokens > 1:
            times.setdefault(request.preparation.window, []).append(decode_seconds(request.result))
    return {window: statistics.median(values) for window, values in times.items()}


def _differing(requests: Sequence[RequestState], alone: Sequence[RequestState]) -> int:
    """Tokens that differ from target-only's, by position, each window of every repeat against the first
    repeat.
    """
    reference: dict[str, tuple[int, ...]] = {}
    for request in alone:
        if request.result is not None:
            reference.setdefault(request.preparation.window, request.result.tokens)
    differing = 0
    for request in requests:
        expected = reference.get(request.preparation.window)
        if request.result is None or expected is None:
            continue
        found = request.result.tokens
        differing += sum(a != b for a, b in zip(found, expected, strict=False)) + abs(
            len(found) - len(expected)
        )
    return differing
