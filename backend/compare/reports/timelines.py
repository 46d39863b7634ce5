"""One window as every side decoded it, drawn one under the other and aligned at the request."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from as2d.backend.compare.judging.judgement import Judgement, Side
from as2d.backend.compare.judging.recordings import file_of
from as2d.backend.compare.reports.figures import ticks
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.states import RequestState
from as2d.backend.protocol import decode_events, events
from as2d.backend.runs.store import StoredRun

_WIDTH, _LEFT, _LANE, _GAP = 1060, 280, 13, 20
_TINY = 0.8


@dataclass
class Strip:
    """A decode: the drafter's and the target's work, ms from the request, and its text."""

    label: str
    ended: float
    drafts: list[tuple[float, float, str]] = field(default_factory=list)
    calls: list[tuple[float, float, int, int, str]] = field(default_factory=list)


def typical_window(judgement: Judgement, sides: Sequence[Side]) -> int | None:
    """The window whose speed-up is the middle one of the side that speeds up most."""
    held = [side for side in sides if side.alone is not None and side.alone.speed_up is not None]
    if not held:
        return None
    best = max(held, key=lambda side: side.alone.speed_up or 0.0 if side.alone is not None else 0.0)
    assert best.alone is not None
    other = judgement.sides[best.alone.reference].figures.tps
    ratios = [  # a file that is there several times is shown as the first one
        (own / alone, number)
        for number, (own, alone) in enumerate(zip(best.figures.tps, other, strict=True))
        if own is not None
        and judgement.windows[number].recording == file_of(judgement.windows[number].recording)
        and alone
        and all(side.figures.tps[number] is not None for side in sides if not side.members)
    ]
    return sorted(ratios)[len(ratios) // 2][1] if ratios else None


def strips(
    judgement: Judgement,
    sides: Sequence[tuple[Side, str]],
    number: int,
    runs: Sequence[StoredRun],
    check: Callable[[], None],
) -> list[Strip]:
    """The first counted decode of a window by each side; a side whose decode is not found is left out."""
    window = judgement.windows[number]
    wanted = {(run, side.arm): label for side, label in sides for run in side.runs}
    found: dict[str, Strip] = {}
    for run in runs:
        if not any(name == run.manifest.run for name, _ in wanted):
            continue
        fold = RunFold(details=True)
        for event in run.events():
            check()
            fold.feed(event)
            if isinstance(event, decode_events.Result):
                request = fold.requests.get(event.request)
                if request is None:
                    continue
                label = wanted.get((run.manifest.run, request.arm or event.method))
                if (
                    label is not None
                    and label not in found
                    and _is_it(fold, request, window.recording, window.start_s)
                ):
                    found[label] = _strip(request, event, label)
                fold.forget_request(event.request)
            elif isinstance(event, events.Released):
                fold.forget_preparation(event.window)
        if len(found) == len({label for _, label in sides}):
            break
    return [found[label] for _, label in sides if label in found]


def _is_it(fold: RunFold, request: RequestState, recording: str, start_s: float) -> bool:
    result = request.result
    window = fold.windows[request.preparation.window]
    audio = fold.recordings.get(window.recording)
    return (
        result is not None
        and not request.warm_up
        and result.stop != "cancelled"
        and abs(window.start_s - start_s) < 0.001
        and audio is not None
        and f"/{audio.audio}".endswith(f"/{recording}")
    )


def _strip(request: RequestState, result: decode_events.Result, label: str) -> Strip:
    begin = result.times.request

    def ms(t: int) -> float:
        return (t - begin) / 1e6

    strip = Strip(label, ms(result.times.end))
    for draft in request.preparation.drafts:
        if draft.end > begin and draft.start < result.times.end:
            strip.drafts.append((max(ms(draft.start), 0.0), ms(draft.end), draft.text))
    for call in request.calls:
        strip.calls.append((ms(call.start), ms(call.end), len(call.candidates), call.accepted, call.kind))
    return strip


def timelines(found: Sequence[Strip]) -> str:
    """The picture: drafter above, target below; of a call's width the accepted share is filled."""
    most = max((strip.ended for strip in found), default=1.0)
    row = 2 * _LANE + _GAP
    height = row * len(found) + 34

    def x(ms: float) -> float:
        return _LEFT + ms / most * (_WIDTH - _LEFT - 70)

    parts = []
    for value in ticks(0, most, 8):
        parts.append(
            f'<line class="grid" x1="{x(value):.1f}" y1="2" x2="{x(value):.1f}" y2="{height - 28}"/>'
            f'<text x="{x(value):.1f}" y="{height - 10}" text-anchor="middle">{value:g} ms</text>'
        )
    for number, strip in enumerate(found):
        top = 6 + number * row
        parts.append(
            f'<text class="name" x="{_LEFT - 12}" y="{top + _LANE + 4}" text-anchor="end">'
            f"{html.escape(strip.label)}</text>"
        )
        for begin, end, text in strip.drafts:
            parts.append(_bar(x(begin), x(end), top, _LANE - 3, "var(--draft)", f"draft: {text.strip()}"))
        for begin, end, proposed, accepted, kind in strip.calls:
            parts.append(_call(x(begin), x(end), top + _LANE, proposed, accepted, kind, end - begin))
        parts.append(
            f'<text class="name" x="{x(strip.ended) + 8:.1f}" y="{top + 2 * _LANE - 2}">'
            f"{strip.ended:.0f} ms</text>"
        )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="Timelines of one window">'
        + "".join(parts)
        + "</svg>"
    )


def _call(left: float, right: float, top: float, proposed: int, accepted: int, kind: str, ms: float) -> str:
    if kind == "guard":
        return _bar(left, right, top, _LANE, "var(--guard)", f"guard call, {ms:.1f} ms")
    if not proposed:
        return _bar(left, right, top, _LANE, "var(--target-only)", f"target alone, {ms:.1f} ms")
    title = f"K = {proposed + 1}, {accepted} accepted, {ms:.1f} ms"
    share = (accepted + 1) / (proposed + 1)
    high = _LANE * share
    return _bar(left, right, top, _LANE, "var(--correction)", title, opacity=0.35) + _bar(
        left, right, top + _LANE - high, high, "var(--accepted)", title
    )


def _bar(
    left: float, right: float, top: float, height: float, fill: str, title: str, *, opacity: float = 1.0
) -> str:
    width = max(right - left - 0.6, _TINY)
    seen = f' opacity="{opacity}"' if opacity < 1 else ""
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="1.5" '
        f'fill="{fill}"{seen}>'
        f"<title>{html.escape(title)}</title></rect>"
    )
