"""The lanes of the timeline, from top to bottom."""

from __future__ import annotations

from as2d.app.timeline.bar_lane import BarLane, Source, Style
from as2d.app.timeline.counter_lane import Counter, CounterLane
from as2d.app.timeline.lane import Lane, View
from as2d.app.timeline.text_lane import TextLane
from as2d.app.translation import tr, tr_marked
from as2d.app.viewmodels.axis import duration_label
from as2d.app.viewmodels.call import REASON_TEXTS, call_view
from as2d.app.viewmodels.kinds import CallKind, DraftKind

AUDIO_STYLES = (Style("encode"), Style("prefill", 0.7, "hollow"), Style("prefill"))
DRAFT_STYLES = (Style("encode"), Style("draft", 0.7, "hollow", "lane"), Style("draft", 0.7))
CALL_STYLES = (
    Style("accepted"),
    Style("accepted", 1.0, "level", "correction"),
    Style("correction", 1.0, "hatched", "lane"),
    Style("target-only", 0.6),
    Style("guard", 1.0, "double"),
)
_COMMITS = (
    Style("prefill"),
    Style("accepted"),
    Style("correction", 1.0, "hatched", "lane"),
    Style("target-only"),
    Style("guard"),
)


def make_lanes(view: View) -> list[Lane]:
    """All lanes over a view's model."""
    names = _Names(view)
    return [
        BarLane(
            view,
            "audio",
            tr("Audio"),
            tr("Work of the target on the audio before decoding: encoder, language, prefill."),
            AUDIO_STYLES,
            Source(lambda: view.model.audio, False, names.audio, names.audio_tip),
        ),
        BarLane(
            view,
            "drafter",
            tr("Drafter"),
            tr("Steps of the drafter, each with the text that it said; pale before the request."),
            DRAFT_STYLES,
            Source(lambda: view.model.drafter, False, names.draft, names.draft_tip),
        ),
        CounterLane(
            view,
            "ready",
            tr("Ready"),
            tr("Candidates waiting: published and not yet consumed. Triangles are publishes."),
            Counter(
                lambda: view.model.speed.ready,
                lambda value: tr("{n} tokens", n=round(value)),
                "ready",
                ticks=lambda: view.model.publishes.values,
            ),
        ),
        BarLane(
            view,
            "target",
            tr("Target"),
            tr("Target calls: V K/accepted with candidates, T without, G a guard call."),
            CALL_STYLES,
            Source(lambda: view.model.target, True, names.call, names.call_tip, names.accepted_share),
        ),
        TextLane(
            view,
            "committed",
            tr("Committed"),
            tr("Text that became final; the strip tells where its tokens came from."),
            _COMMITS,
            Source(lambda: view.model.committed, True, lambda row, room: "", names.commit_tip),  # noqa: ARG005
        ),
        CounterLane(
            view,
            "acceptance",
            tr("Acceptance"),
            tr("Accepted of proposed candidates over the last 16 calls that had some."),
            Counter(
                lambda: view.model.speed.acceptance,
                lambda value: f"{value * 100:.0f} %",
                "accepted",
                bounds=(0.0, 1.0),
            ),
        ),
        CounterLane(
            view,
            "tps",
            tr("Speed"),
            tr("Tokens a second of decode time over the last 16 calls."),
            Counter(
                lambda: view.model.speed.tps,
                lambda value: tr("{n} tokens/s", n=f"{value:.0f}"),
                "target-only",
            ),
        ),
        CounterLane(
            view,
            "temperature",
            tr("Temperature"),
            tr("The hottest sensor of the device."),
            Counter(
                lambda: view.model.sensors.temperature,
                lambda value: f"{value:.1f} °C",
                "correction",
                heard=False,
                from_zero=False,
                missing=lambda: _unavailable(view.model.sensors.temperature_missing),
            ),
        ),
        CounterLane(
            view,
            "power",
            tr("Power"),
            tr("What the battery gives: its current times its voltage."),
            Counter(
                lambda: view.model.sensors.power,
                lambda value: f"{value:.2f} W",
                "guard",
                heard=False,
                missing=lambda: _unavailable(view.model.sensors.power_missing),
            ),
        ),
    ]


def _unavailable(reason: str | None) -> str | None:
    return None if reason is None else tr("Not available: {reason}", reason=tr_marked(reason))


class _Names:
    """Labels and tips of bars."""

    def __init__(self, view: View) -> None:
        self._view = view

    def _fitting(self, room: float, *texts: str) -> str:
        metrics = self._view.metrics
        return next((text for text in texts if metrics.horizontalAdvance(text) <= room), "")

    def audio(self, row: int, room: float) -> str:
        kind = int(self._view.model.audio.kind[row])
        return self._fitting(room, (tr("encode"), tr("language"), tr("prefill"))[kind], ("E", "L", "P")[kind])

    def audio_tip(self, row: int) -> str:
        bars = self._view.model.audio
        name = (tr("Encoder"), tr("Language"), tr("Prefill"))[int(bars.kind[row])]
        return f"{name} · {duration_label(int(bars.ends[row]) - int(bars.begins[row]))}"

    def draft(self, row: int, room: float) -> str:
        model = self._view.model
        if model.drafter.kind[row] == DraftKind.ENCODE:
            return self._fitting(room, tr("encode"), "E")
        return self._fitting(room, model.draft_texts.row(row).strip(), "D")

    def draft_tip(self, row: int) -> str:
        model = self._view.model
        bars = model.drafter
        took = duration_label(int(bars.ends[row]) - int(bars.begins[row]))
        if bars.kind[row] == DraftKind.ENCODE:
            return f"{tr('Encoder of the drafter')} · {took}"
        name = (
            tr("Drafter step before the request") if bars.kind[row] == DraftKind.EARLY else tr("Drafter step")
        )
        return f"{name} · {took}\n“{model.draft_texts.row(row)}”"

    def call(self, row: int, room: float) -> str:
        model = self._view.model
        kind = model.target.kind[row]
        if kind == CallKind.TARGET_ONLY:
            return self._fitting(room, "T")
        if kind == CallKind.GUARD:
            return self._fitting(room, tr("guard"), "G")
        k, accepted = int(model.calls.k[row]), int(model.calls.accepted[row])
        return self._fitting(room, f"V {k}/{accepted}", f"{k}/{accepted}", f"{accepted}")

    def call_tip(self, row: int) -> str:
        view = call_view(self._view.model, row)
        took = duration_label(view.end - view.begin)
        if view.kind == CallKind.GUARD:
            head = tr("Guard call {n}", n=view.index)
        elif view.kind == CallKind.TARGET_ONLY:
            head = tr("Target-only call {n}: {reason}", n=view.index, reason=tr(REASON_TEXTS[view.reason]))
        else:
            head = tr("Call {n}: K {k}, {a} accepted", n=view.index, k=view.k, a=view.accepted)
        return f"{head} · {took}" + (f"\n“{view.text}”" if view.text else "")

    def accepted_share(self, row: int) -> float:
        calls = self._view.model.calls
        return float(calls.accepted[row]) / max(int(calls.k[row]) - 1, 1)

    def commit_tip(self, row: int) -> str:
        return f"“{self._view.model.commit_texts.row(row)}”"
