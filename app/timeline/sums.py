"""The sums of a selected span in words."""

from __future__ import annotations

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.axis import duration_label
from as2d.app.viewmodels.selection import SpanSums

_NONE = "–"


def _duration(ns: int) -> str:
    return duration_label(ns) if ns else _NONE


def sum_parts(sums: SpanSums) -> list[tuple[str, str]]:
    """What a span holds, as name and value, the most important first."""
    none = _NONE
    calls = str(sums.calls)
    if sums.guard_calls:
        calls += " " + tr_count(sums.guard_calls, "+ {n} guard", "+ {n} guards")
    acceptance = none
    if sums.acceptance is not None:
        acceptance = f"{sums.acceptance * 100:.1f} % ({sums.accepted} / {sums.proposed})"
    parts = [
        (tr("Span"), duration_label(sums.end - sums.begin)),
        (tr("Tokens"), str(sums.tokens)),
        (tr("Speed"), none if sums.tps is None else tr("{n} tokens/s", n=f"{sums.tps:.1f}")),
        (tr("Acceptance"), acceptance),
        (tr("Calls"), calls),
        (tr("Tokens a call"), none if sums.tokens_per_call is None else f"{sums.tokens_per_call:.2f}"),
        (tr("Decode time"), _duration(sums.decode_ns)),
        (tr("Target busy"), _duration(sums.target_ns)),
        (tr("Drafter busy"), _duration(sums.drafter_ns)),
        (tr("Energy"), tr("not available") if sums.joules is None else f"{sums.joules:.2f} J"),
    ]
    if sums.joules is not None and sums.after_first:
        # As the reports count: the tokens of the text, without its end; as many as those after the first.
        parts.append((tr("Energy a token"), f"{sums.joules / sums.after_first * 1000:.1f} mJ"))
    return parts
