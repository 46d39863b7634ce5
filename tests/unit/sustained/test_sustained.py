"""A long run's figures: by the minute, and its first minutes against its last."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.unit.conftest import MS, FakeCall, StreamMaker

from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import measure
from as2d.backend.protocol import host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.telemetry import Telemetry, ZoneTemperature
from as2d.backend.sustained.fold import SustainedFold
from as2d.backend.sustained.verdict import SustainedVerdict, verdict_of

MINUTES = 12
Slow = Callable[[str, float], float]
"""How many times as long as at first a method's call takes after so many minutes."""


def _run(slow: Slow, recordings: int = 3, minutes: int = MINUTES) -> list[RecordedEvent]:
    """A run of A (20 ms a token) and B (10 ms a token) over some recordings."""
    stream = StreamMaker()
    windows = []
    for number in range(1, recordings + 1):
        stream.recording(f"a{number}", f"talk{number}.wav")
        windows.append(stream.window(f"a{number}", 0, 0, 10 + number))
    for arm in ("A", "B"):
        preparation = stream.prepare(windows[0], len(stream.events))
        stream.request(preparation, [FakeCall(0, 0)] * 20, " Hello.", arm=arm, repeat=0, warm_up=True)
    begin, count = stream.t, 0
    while (passed := (stream.t - begin) / (60_000 * MS)) < minutes:
        window = windows[count % recordings]
        for arm, ms in (("A", 20.0), ("B", 10.0))[:: -1 if count % 2 else 1]:
            calls = [FakeCall(0, 0, ms * slow(arm, passed))] * (20 + 4 * (count % recordings))
            preparation = stream.prepare(window, len(stream.events))
            stream.request(preparation, calls, " Hello.", arm=arm, repeat=count)
        count += 1
    return stream.events


def _fold(events: list[RecordedEvent]) -> SustainedFold:
    fold = SustainedFold(MINUTES)
    for event in events:
        fold.feed(event)
    return fold


def _verdict(events: list[RecordedEvent]) -> SustainedVerdict:
    verdict = verdict_of(_fold(events))
    assert verdict is not None
    return verdict


def test_a_method_that_heat_slows_down_more_falls_behind() -> None:
    verdict = _verdict(_run(lambda arm, minutes: 4.0 if arm == "B" and minutes > 6 else 1.0))
    assert verdict.span_s == 300
    assert verdict.paired
    first, last = verdict.speed_up_first, verdict.speed_up_last
    assert first is not None
    assert last is not None
    assert (first.median, last.median) == pytest.approx((2.0, 0.5))
    assert (first.low, last.high) == pytest.approx((2.0, 0.5))
    assert verdict.ranking == "changed"
    alone, drafting = verdict.arms
    assert (alone.arm, alone.first_tps, alone.change) == ("A", pytest.approx(50.0), pytest.approx(0.0))
    assert (drafting.first_tps, drafting.last_tps) == pytest.approx((100.0, 25.0))
    assert drafting.change == pytest.approx(-0.75)


def test_a_device_that_slows_both_down_alike_keeps_the_ranking() -> None:
    verdict = _verdict(_run(lambda _arm, minutes: 1 + minutes / 10))
    assert verdict.ranking == "kept"
    assert verdict.speed_up_last is not None
    assert verdict.speed_up_last.median == pytest.approx(2.0, rel=0.02)
    assert all(-0.6 < change.change < -0.3 for change in verdict.arms)


def test_where_recordings_disagree_the_ranking_is_left_open() -> None:
    count = iter(range(10**6))

    def by_recording(arm: str, minutes: float) -> float:
        place = next(count) // 2 % 3
        return (1.0, 2.2, 3.5)[place] if arm == "B" and minutes > 6 else 1.0

    verdict = _verdict(_run(by_recording))
    assert verdict.ranking == "open"
    assert verdict.speed_up_last is not None
    assert verdict.speed_up_last.low is not None
    assert verdict.speed_up_last.high is not None
    assert verdict.speed_up_last.low < 1 < verdict.speed_up_last.high


def test_figures_by_the_minute_start_temperature_and_throttling() -> None:
    events = _run(lambda _arm, minutes: 1.0 if minutes < 6 else 2.0)
    begin = next(i for i, e in enumerate(events) if isinstance(e, host_events.RequestSent))
    hot = [
        Telemetry(
            t=event.t,
            seq=0,
            rss_bytes=400_000_000,
            cpu_khz=(2_000_000, None),
            thermal=(ZoneTemperature(zone="cpu", celsius=40 + place / len(events)),),
            missing={},
        )
        for place, event in enumerate(events)
        if place % 50 == 0
    ]
    reading = host_events.PhoneReading(
        t=events[begin].t, battery=None, thermal=(), thermal_source=None, throttling="severe", missing={}
    )
    half = len(events) // 2
    merged = sorted([*events, *hot], key=lambda event: event.t)
    fold = _fold([*merged[:half], reading, *merged[half:]])
    assert fold.parts in (MINUTES, MINUTES + 1)
    assert fold.start_celsius == pytest.approx(40.0, abs=0.1)
    values = list(fold.temperature.values)
    assert values == sorted(values)
    assert list(fold.memory.values) == [400_000_000] * len(values)
    assert [word for _, word in fold.throttled] == ["severe"]
    assert fold.power is None
    arm, parts, tokens, nanoseconds = (
        fold.decodes.column(name) for name in ("arms", "parts", "tokens", "nanoseconds")
    )
    first = (arm == 1) & (parts == 0)
    assert tokens[first].sum() / (nanoseconds[first].sum() / 1e9) == pytest.approx(100.0)


def test_another_text_of_a_window_is_found_whenever_it_comes() -> None:
    events = _run(lambda _arm, _minutes: 1.0)
    whole = _fold(events)
    assert whole.compared > 100
    assert (whole.differing, whole.first_other) == (0, None)
    results = [i for i, event in enumerate(events) if getattr(event, "event", "") == "result"]
    changed = events[results[-1]]
    other = (*changed.tokens[:5], 999, *changed.tokens[6:])  # type: ignore[union-attr]
    events[results[-1]] = changed.model_copy(update={"tokens": other, "text": " Yellow."})
    fold = _fold(events)
    assert fold.differing == 1
    assert fold.first_other is not None
    assert fold.first_other.audio.startswith("talk")
    assert (fold.first_other.position, fold.first_other.text) == (5, " Yellow.")
    assert fold.first_other.before == " Hello."


def test_too_little_gives_no_verdict() -> None:
    assert verdict_of(SustainedFold(MINUTES)) is None
    assert verdict_of(_fold(_run(lambda _arm, _minutes: 1.0, minutes=1))) is None


def test_a_state_that_forgets_older_requests_keeps_their_counts_and_the_newest_text() -> None:
    events = _run(lambda _arm, _minutes: 1.0, minutes=2)
    whole, lean = RunFold.of(events), RunFold()
    for event in events:
        lean.feed(event)
        if getattr(event, "event", "") == "result":
            lean.forget_older(lean.requests[event.request].preparation.window)  # type: ignore[union-attr]
            assert max(len(lean.requests), len(lean.preparations)) <= 3
    totals, all_of_them = lean.totals(), measure(whole.finished_requests())
    assert totals.requests == all_of_them.requests
    assert (totals.tokens, totals.calls) == (all_of_them.tokens, all_of_them.calls)
    assert totals.tps == pytest.approx(all_of_them.tps)
    for name, window in lean.windows.items():
        answered, before = window.answered(), whole.windows[name].answered()
        assert answered is not None
        assert before is not None
        assert answered.result == before.result
