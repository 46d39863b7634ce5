"""A long run as the window shows it: curves by the minute, and what they say. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from as2d.app.translation import tr, tr_marked
from as2d.app.viewmodels import sustained_words
from as2d.app.viewmodels.arm_names import short_name
from as2d.app.viewmodels.run import Step
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.energy.calibration import CurrentCalibration
from as2d.backend.protocol import events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.protocol.telemetry import Telemetry
from as2d.backend.sustained.fold import NOT_THROTTLED, SustainedFold
from as2d.backend.sustained.verdict import ArmChange, SpeedUp, SustainedVerdict, verdict_of

METHOD_COLOURS = ("target-only", "correction")
"""Those of the two methods, in the palette's words; the second one's line is also dashed."""
Curve = NDArray[np.float64]
"""A value a part; not-a-number: none."""


@dataclass(frozen=True)
class Band:
    """A span of the run, minutes from its begin, and what was said of it."""

    begin: float
    end: float
    text: str


@dataclass(frozen=True)
class Curves:
    """What is drawn over `minutes`, the middles of the parts. Speeds in tokens/s by method; the others null
    where there is nothing to draw: °C, W, MB and GHz of the fastest processor.
    """

    minutes: Curve
    part_minutes: float
    speeds: tuple[tuple[str, Curve], ...]
    temperature: Curve | None
    power: Curve | None
    memory: Curve | None
    clock: Curve | None
    throttled: tuple[Band, ...]


@dataclass(frozen=True)
class Summary:
    """The words beside the curves. `tone` of the headline: kept, changed or open; `same`: whether all outputs
    are identical, None: none were compared. `lines` are the methods' own, in their order.
    """

    headline: str
    tone: str
    lines: tuple[str, ...]
    same: bool | None
    outputs: str
    texts: tuple[str, str] | None
    heat: str
    missing: str


class LongRunModel:
    """The state of one long run, live or from its recorded stream with the same result.

    `telemetry`, `reading`, `step`, `device` and `paused` as those of an ordinary run; `warming_up`: its
    first decodes, which are not counted, go on.
    """

    def __init__(self, minutes: float, device: str | None = None) -> None:
        self.minutes = minutes
        self.device = device
        self.fold = SustainedFold(minutes)
        self.timeline = TimelineModel()
        self.step: Step | None = None
        self.telemetry: Telemetry | None = None
        self.reading: host_events.PhoneReading | None = None
        self.paused = False
        self.warming_up = False
        self._interrupted = False
        self._known: tuple[int, SustainedVerdict | None] = (0, None)

    def interrupt(self) -> None:
        """The run ended without a last word."""
        self._interrupted = True
        self.step = None
        self.paused = False

    def calibrate(self, calibration: CurrentCalibration | None) -> None:
        """What the battery's current means, where that is known."""
        self.fold.calibrate(calibration)
        self.timeline.calibrate(calibration)

    def feed(self, stream: Iterable[RecordedEvent]) -> None:
        """Take events in the order of the stream."""
        for event in stream:
            self.fold.feed(event)
            self.timeline.feed(event)
            if isinstance(event, host_events.StepProgress):
                self.step = Step(event.step, event.done, event.total)
            elif isinstance(event, host_events.RequestSent):
                self.step = None
                self.warming_up = event.warm_up
            elif isinstance(event, Telemetry):
                self.telemetry = event
            elif isinstance(event, host_events.PhoneReading):
                self.reading = event
            elif isinstance(event, host_events.HelperEnded):
                self.paused = event.returncode is None
            elif isinstance(event, events.Hello):
                self.paused = False
            elif isinstance(event, host_events.RunEnded):
                self.step = None
                self.paused = False
                self.timeline.calibrate(self.fold.calibration)

    @property
    def ended(self) -> bool:
        """Whether the run has ended."""
        return self._interrupted or self.fold.status != "running"

    def curves(self) -> Curves:
        """What is drawn now."""
        fold = self.fold
        count, width = fold.parts, fold.part_seconds / 60
        return Curves(
            minutes=np.array([(part + 0.5) * width for part in range(count)]),
            part_minutes=width,
            speeds=tuple(_speeds(fold, count)),
            temperature=_curve(np.array(fold.temperature.values), count),
            power=_curve(fold.power, count),
            memory=_curve(np.array(fold.memory.values) / 1e6, count),
            clock=_curve(np.array(fold.clock.values) / 1e6, count),
            throttled=tuple(_bands(fold)),
        )

    def summary(self) -> Summary:
        """What is said now."""
        fold = self.fold
        verdict = self._verdict()
        other = fold.first_other
        return Summary(
            headline=self._headline(verdict),
            tone=(verdict.ranking or "") if verdict is not None else "",
            lines=tuple(_line(change) for change in verdict.arms) if verdict is not None else (),
            same=other is None if other is not None or sustained_words.counts(fold) else None,
            outputs=sustained_words.outputs(fold),
            texts=(other.before, other.text) if other is not None else None,
            heat=sustained_words.heat(fold),
            missing=sustained_words.missing(fold),
        )

    def _verdict(self) -> SustainedVerdict | None:
        """While the run goes on it is told anew with each part only: telling it takes long."""
        parts = self.fold.parts
        if self.ended or parts != self._known[0]:
            self._known = parts, verdict_of(self.fold)
        return self._known[1]

    def _headline(self, verdict: SustainedVerdict | None) -> str:
        if verdict is None:
            if self.ended and not len(self.fold.decodes):
                return sustained_words.without_decodes(self.fold.status)
            if self.ended:
                return tr(
                    "It was too short for a verdict, which takes decodes of every method in two parts of "
                    "{span}.",
                    span=_duration(self.fold.part_seconds),
                )
            return tr("The verdict appears when there is a first and a last part to hold against each other.")
        span = _duration(verdict.span_s)
        first, last = verdict.speed_up_first, verdict.speed_up_last
        if first is None or last is None:
            return _change_of_one(verdict.arms[0], span)
        one, two = self.fold.arms[1], self.fold.arms[0]
        if _method(one) != _method(two):
            one, two = _method(one), _method(two)
        values = {
            "first": _ratio(first),
            "last": _ratio(last),
            "span": span,
            "one": short_name(one),
            "two": short_name(two),
        }
        match verdict.ranking:
            case "kept":
                if first.median < 1:
                    values["one"], values["two"] = values["two"], values["one"]
                    values |= {"first": _ratio(_turned(first)), "last": _ratio(_turned(last))}
                return tr(
                    "{one} stays faster than {two}: {first} in the first {span}, {last} in the last", **values
                )
            case "changed":
                return tr(
                    "The ranking changed: {one} against {two} is {first} in the first {span}, "
                    "{last} in the last",
                    **values,
                )
        return tr(
            "Which is faster cannot be told at both ends: {one} against {two} is {first} in the first "
            "{span}, {last} in the last",
            **values,
        )


def _method(arm: str) -> str:
    return arm.partition(" ")[0]


def _speeds(fold: SustainedFold, count: int) -> Iterable[tuple[str, Curve]]:
    decodes = fold.decodes
    parts, arms = decodes.column("parts"), decodes.column("arms")
    for place, arm in enumerate(fold.arms):
        mine = arms == place
        tokens = np.bincount(parts[mine], decodes.column("tokens")[mine], count)
        seconds = np.bincount(parts[mine], decodes.column("nanoseconds")[mine] / NANOSECONDS, count)
        with np.errstate(divide="ignore", invalid="ignore"):
            yield arm, np.where(seconds > 0, tokens / seconds, np.nan)[:count]


def _curve(values: Curve | None, count: int) -> Curve | None:
    if values is None or not np.isfinite(values).any():
        return None
    whole = np.full(count, np.nan)
    whole[: min(len(values), count)] = values[:count]
    return whole


def _bands(fold: SustainedFold) -> Iterable[Band]:
    """The spans in which Android slowed the phone down."""
    ends = [begin for begin, _ in fold.throttled[1:]] + [fold.seconds]
    for (begin, word), end in zip(fold.throttled, ends, strict=False):
        if word != NOT_THROTTLED:
            yield Band(begin / 60, end / 60, tr("throttled: {word}", word=tr_marked(word)))


def _change_of_one(change: ArmChange, span: str) -> str:
    return tr(
        "{first} tokens/s in the first {span}, {last} in the last: {change}",
        first=f"{change.first_tps:.1f}",
        last=f"{change.last_tps:.1f}",
        span=span,
        change=_percent(change.change),
    )


def _line(change: ArmChange) -> str:
    return tr(
        "{first} → {last} tokens/s ({change})",
        first=f"{change.first_tps:.1f}",
        last=f"{change.last_tps:.1f}",
        change=_percent(change.change),
    )


def _ratio(up: SpeedUp) -> str:
    if up.low is None or up.high is None:
        return f"{up.median:.2f} ×"
    return f"{up.median:.2f} × ({up.low:.2f}–{up.high:.2f})"


def _turned(up: SpeedUp) -> SpeedUp:
    """The same from the other method's side."""
    low = 1 / up.high if up.high is not None else None
    high = 1 / up.low if up.low is not None else None
    return SpeedUp(median=1 / up.median, low=low, high=high, windows=up.windows)


def _percent(change: float) -> str:
    percent = round(100 * change)
    sign = "±" if percent == 0 else "+" if percent > 0 else "−"
    return f"{sign}{abs(percent)} %"


def _duration(seconds: float) -> str:
    if seconds < 60 or seconds % 60:
        return tr("{n} s", n=f"{seconds:.0f}")
    return tr("{n} min", n=f"{seconds / 60:g}")
