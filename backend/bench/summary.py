"""What a benchmark or a replay says of its arms, by the paper's conventions."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from as2d.backend.bench.arms import Arm, grouped, mean_label
from as2d.backend.bench.decodes import Decode, MeasuredDecodes, decodes_of, pool_decodes
from as2d.backend.metrics.anatomy import pool_anatomy
from as2d.backend.metrics.changes import WindowChanges, window_changes
from as2d.backend.metrics.pooled import Pooled
from as2d.backend.metrics.speeds import MeanOfArms, Measured, mean_of_all, median_of_any
from as2d.backend.metrics.states import RequestState
from as2d.backend.transcribe.methods import ALIGNING_METHODS

_MS = 1000


class ArmSummary(BaseModel):
    """One arm over all windows and repeats, or the mean of the arms of a group.

    `tps`: pooled decode speed, tokens/s, of a group the mean of its arms' with the range `tps_low` to
    `tps_high`; `tps_median`: median over the repeats of the pooled speed of each; `speed_up`: `tps` divided
    by that of target-only with the same threads. `change_…`, `slower…` and `loss_…` are those of
    `WindowChanges`, of a group by its mean speed in each window; `extra` are accepted candidates, tokens
    that cost no call of their own. `differing`: tokens that are not those of target-only in the first
    repeat; times in ms or s as named; `drop_to_transcript_s`: sum over the recordings of the median over
    the repeats. Counts of a group are means, rounded. `again`: the arm is target-only a second time (A/A).
    `…_by_third` are those of `Anatomy`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    arm: str
    method: str
    again: bool
    budget: int | None
    max_k: int | None
    admission: str | None
    start_condition: str | None
    confidence: float | None
    patience: int | None
    threads: int
    shared_threads: int
    drafter_threads: int | None
    drafter_shared_threads: int | None
    windows: int
    repeats: int
    tokens: int
    calls: int
    guard_calls: int
    proposed: int
    accepted: int
    extra: int
    acceptance: float | None
    acceptance_by_position: tuple[float | None, ...]
    acceptance_by_third: tuple[float | None, ...]
    hit_rate_by_third: tuple[float | None, ...]
    tokens_per_call: float | None
    hit_rate: float | None
    tps: float | None
    tps_low: float | None
    tps_high: float | None
    tps_median: float | None
    ms_per_token: float | None
    response_ms: float | None
    speed_up: float | None
    change_median: float | None
    change_q1: float | None
    change_q3: float | None
    slower_windows: int | None
    slower_share: float | None
    loss_median: float | None
    loss_max: float | None
    differing: int | None
    drop_to_transcript_s: float | None


def summarise(
    arms: Sequence[Arm], requests: Sequence[RequestState], drop_seconds: Mapping[str, float]
) -> list[ArmSummary]:
    """The summaries of a measured benchmark; `requests` are finished, `drop_seconds` is keyed by label."""
    of_arm = {arm: [request for request in requests if request.arm == arm.label] for arm in arms}
    decodes = {}
    for arm in arms:
        reference = _alone(arm, arms)
        decodes[arm] = decodes_of(of_arm[arm], of_arm[reference] if reference is not None else None)
    return summarise_decodes(arms, decodes, drop_seconds)


def summarise_decodes(
    arms: Sequence[Arm], decodes: Mapping[Arm, Sequence[Decode]], drop_seconds: Mapping[str, float]
) -> list[ArmSummary]:
    """One summary an arm, in order, and behind the last arm of a group the group's."""
    rows: list[ArmSummary] = []
    last_of_group = {members[-1]: members for members in grouped(arms) if len(members) > 1}
    for arm in arms:
        reference = _alone(arm, arms)
        alone = MeasuredDecodes(decodes[reference]) if reference is not None else None
        rows.append(_summary([arm], [decodes[arm]], alone, drop_seconds.get(arm.label)))
        if arm in last_of_group:
            members = last_of_group[arm]
            rows.append(_summary(members, [decodes[member] for member in members], alone))
    return rows


def best_budget(summaries: Sequence[ArmSummary]) -> ArmSummary | None:
    """The `as2d` arm with the highest pooled speed, to choose a budget by."""
    arms = [summary for summary in summaries if summary.method == "as2d" and summary.tps is not None]
    return max(arms, key=lambda summary: summary.tps or 0.0, default=None)


def _alone(arm: Arm, arms: Sequence[Arm]) -> Arm | None:
    """Target-only with the same threads of the target."""
    return next(
        (
            other
            for other in arms
            if not other.drafts and not other.again and other.threads.target == arm.threads.target
        ),
        None,
    )


def _settings(arm: Arm) -> dict[str, object]:
    threads = arm.threads
    return {
        "method": arm.method,
        "again": arm.again,
        "admission": arm.admission if arm.method in ALIGNING_METHODS else None,
        "start_condition": arm.start_condition if arm.drafts else None,
        "confidence": arm.confidence,
        "patience": arm.patience,
        "threads": threads.target,
        "shared_threads": threads.target_shared,
        "drafter_threads": threads.drafter if arm.drafts else None,
        "drafter_shared_threads": threads.drafter_shared if arm.drafts else None,
    }


def _counts(pooled: Pooled, each: Sequence[Pooled]) -> dict[str, object]:
    """Counts of one arm, or rounded means of several; ratios of all that was counted."""
    counts = ("tokens", "calls", "guard_calls", "proposed", "accepted", "extra")
    ratios = ("acceptance", "acceptance_by_position", "tokens_per_call", "hit_rate")
    return {name: round(statistics.fmean(getattr(one, name) for one in each)) for name in counts} | {
        name: getattr(pooled, name) for name in ratios
    }


def _thirds(decodes: Sequence[Decode]) -> dict[str, object]:
    anatomy = pool_anatomy(decode.anatomy for decode in decodes if decode.anatomy is not None)
    return {
        "acceptance_by_third": anatomy.acceptance_by_third,
        "hit_rate_by_third": anatomy.hit_rate_by_third,
    }


def _changes(changes: WindowChanges | None) -> dict[str, object]:
    return {
        "change_median": changes.change_median if changes else None,
        "change_q1": changes.change_q1 if changes else None,
        "change_q3": changes.change_q3 if changes else None,
        "slower_windows": changes.slower if changes else None,
        "slower_share": changes.slower_share if changes else None,
        "loss_median": changes.loss_median if changes else None,
        "loss_max": changes.loss_max if changes else None,
    }


def _summary(
    arms: Sequence[Arm],
    decodes: Sequence[Sequence[Decode]],
    alone: Measured[str] | None,
    drop_s: float | None = None,
) -> ArmSummary:
    """An arm, or several as one: speeds are means of theirs, counts rounded means, and acceptance and the
    like are pooled.
    """
    several, members = len(arms) > 1, [MeasuredDecodes(own) for own in decodes]
    measured: Measured[str] = MeanOfArms(members) if several else members[0]
    together = [decode for own in decodes for decode in own]
    pooled, each = pool_decodes(together), [pool_decodes(own) for own in decodes]
    tps, alone_tps = measured.pooled(), alone.pooled() if alone is not None else None
    speeds = [one.tps for one in each if one.tps is not None]
    compared = [decode.differing for decode in together if decode.differing is not None]
    values = {
        **_settings(arms[0]),
        **_counts(pooled, each),
        **_thirds(together),
        **_changes(window_changes(measured.speeds, alone.speeds) if alone is not None else None),
        "arm": mean_label(arms) if several else arms[0].label,
        "budget": None if several else arms[0].budget,
        "max_k": None if several else arms[0].budget + 1,
        "windows": len(measured.speeds),
        "repeats": max(len({decode.repeat for decode in own}) for own in decodes),
        "tps": tps,
        "tps_low": min(speeds, default=None) if several else None,
        "tps_high": max(speeds, default=None) if several else None,
        "tps_median": mean_of_all(median_of_any(_repeat_speeds(own)) for own in decodes),
        "ms_per_token": (_MS / tps if tps else None) if several else pooled.ms_per_token,
        "response_ms": mean_of_all(_response_ms(own) for own in decodes),
        "speed_up": tps / alone_tps if tps and alone_tps else None,
        "differing": sum(compared) if compared else None,
        "drop_to_transcript_s": drop_s,
    }
    return ArmSummary.model_validate(values)


def _repeat_speeds(decodes: Sequence[Decode]) -> list[float]:
    """Pooled tokens/s of each repeat."""
    repeats = sorted({decode.repeat for decode in decodes})
    speeds = (pool_decodes(d for d in decodes if d.repeat == repeat).tps for repeat in repeats)
    return [speed for speed in speeds if speed is not None]


def _response_ms(decodes: Sequence[Decode]) -> float | None:
    median = median_of_any([decode.response_s for decode in decodes])
    return None if median is None else median * _MS
