"""Summaries as the rows of a table that fits a page."""

from __future__ import annotations

from as2d.backend.bench.summary import ArmSummary


def bench_row(summary: ArmSummary) -> dict[str, object]:
    """The figures of a measured arm, under names with their units."""
    return {
        **_settings(summary),
        "threads": summary.threads,
        **_counts(summary),
        "hits": summary.hit_rate,
        **_speeds(summary),
        "ms/token": summary.ms_per_token,
        "response ms": summary.response_ms,
        **_changes(summary),
        "differing": summary.differing,
        "drop s": summary.drop_to_transcript_s,
    }


def replay_row(summary: ArmSummary) -> dict[str, object]:
    """The figures of a replayed arm, under names with their units."""
    return {
        **_settings(summary),
        **_counts(summary),
        **_speeds(summary),
        "response ms": summary.response_ms,
        **_changes(summary),
        "differing": summary.differing,
    }


def _settings(summary: ArmSummary) -> dict[str, object]:
    kind = " mean" if summary.budget is None else " (A/A)" if summary.again else ""
    return {
        "method": summary.method + kind,
        "budget": summary.budget,
        "max K": summary.max_k,
        "admission": summary.admission,
        "start": summary.start_condition,
    }


def _counts(summary: ArmSummary) -> dict[str, object]:
    return {
        "windows": summary.windows,
        "tokens": summary.tokens,
        "calls": summary.calls,
        "guard": summary.guard_calls,
        "extra": summary.extra,
        "accept.": summary.acceptance,
        "tokens/call": summary.tokens_per_call,
    }


def _speeds(summary: ArmSummary) -> dict[str, object]:
    speed: object = summary.tps
    if summary.tps is not None and summary.tps_low is not None and summary.tps_high is not None:
        speed = f"{summary.tps:.1f} ({summary.tps_low:.1f} to {summary.tps_high:.1f})"
    return {"tokens/s": speed, "speed-up": summary.speed_up}


def _changes(summary: ArmSummary) -> dict[str, object]:
    middle = None
    if summary.change_q1 is not None and summary.change_q3 is not None:
        middle = f"{_percent(summary.change_q1)} to {_percent(summary.change_q3)}"
    return {
        "change": _percent(summary.change_median),
        "middle half": middle,
        "slower": None if summary.slower_share is None else f"{100 * summary.slower_share:.1f} %",
        "median loss": None if summary.loss_median is None else f"{100 * summary.loss_median:.1f} %",
        "max. loss": None if summary.loss_max is None else f"{100 * summary.loss_max:.1f} %",
    }


def _percent(value: float | None) -> str | None:
    return None if value is None else f"{100 * value:+.1f} %"
