"""Summaries as the rows of a table that fits a page; all figures are in the summaries themselves."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.bench.summary import ArmSummary

_WHERE_THEY_DIFFER = ("admission", "threads")


def page_rows(summaries: Sequence[ArmSummary]) -> list[dict[str, object]]:
    """The figures of measured or replayed arms that are read first, under names with their units.

    Settings in which the arms do not differ, and times that were not taken, have no column.
    """
    rows = [_row(summary) for summary in summaries]
    for name in _WHERE_THEY_DIFFER:
        if len({row[name] for row in rows} - {None}) < 2:
            for row in rows:
                del row[name]
    if all(row["drop s"] is None for row in rows):
        for row in rows:
            del row["drop s"]
    return rows


def _row(summary: ArmSummary) -> dict[str, object]:
    kind = " mean" if summary.budget is None else " again" if summary.again else ""
    return {
        "method": summary.method + kind,
        "max K": summary.max_k,
        "admission": summary.admission,
        "start": summary.start_condition,
        "threads": summary.threads,
        "windows": summary.windows,
        "tokens/s": _speed(summary),
        "speed-up": summary.speed_up,
        "response ms": summary.response_ms,
        "accept.": summary.acceptance,
        "tokens/call": summary.tokens_per_call,
        "calls": summary.calls,
        "slower": None if summary.slower_share is None else f"{100 * summary.slower_share:.1f} %",
        "differing": summary.differing,
        "drop s": summary.drop_to_transcript_s,
    }


def _speed(summary: ArmSummary) -> object:
    """Of a mean with the range of its arms."""
    if summary.tps is None or summary.tps_low is None or summary.tps_high is None:
        return summary.tps
    return f"{summary.tps:.1f} ({summary.tps_low:.1f}–{summary.tps_high:.1f})"
