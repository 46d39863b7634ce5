"""What a recorded run looks like on the timeline."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from as2d.app.viewmodels import timeline as timeline_module
from as2d.app.viewmodels.call import call_view, row_of_call
from as2d.app.viewmodels.kinds import CallKind, DraftKind
from as2d.app.viewmodels.selection import span_sums
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import measure
from as2d.backend.protocol.lines import RecordedEvent


def test_the_sums_of_the_whole_run_are_its_measures(
    timeline: TimelineModel, run_events: list[RecordedEvent]
) -> None:
    fold = RunFold.of(run_events)
    measures = measure(fold.finished_requests())
    assert timeline.span is not None
    sums = span_sums(timeline, *timeline.span)
    assert (sums.calls, sums.guard_calls) == (measures.calls, measures.guard_calls)
    assert (sums.proposed, sums.accepted) == (measures.proposed, measures.accepted)
    assert sums.acceptance == measures.acceptance
    assert sums.tokens == measures.tokens
    assert sums.after_first == measures.tokens - measures.requests
    assert sums.tokens_per_call == pytest.approx(measures.tokens_per_call)
    assert sums.decode_ns / 1e9 == pytest.approx(measures.decode_s)
    assert sums.tps == pytest.approx(measures.tps)
    assert sums.joules is None
    assert sums.joules_missing


def test_sums_of_neighbouring_spans_add_up(timeline: TimelineModel) -> None:
    assert timeline.span is not None
    begin, end = timeline.span
    cuts = np.linspace(begin, end, 14).astype(np.int64).tolist()
    parts = [span_sums(timeline, a, b) for a, b in itertools.pairwise(cuts)]
    whole = span_sums(timeline, begin, end)
    for name in (
        "calls",
        "proposed",
        "accepted",
        "tokens",
        "after_first",
        "decode_ns",
        "target_ns",
        "drafter_ns",
    ):
        assert sum(getattr(part, name) for part in parts) == getattr(whole, name), name


def test_lanes_hold_every_event_of_theirs(timeline: TimelineModel, run_events: list[RecordedEvent]) -> None:
    fold = RunFold.of(run_events, details=True)
    preparations = fold.preparations.values()
    requests = fold.requests.values()
    assert len(timeline.target) == sum(len(request.calls) for request in requests)
    assert len(timeline.committed) == sum(len(request.commits) for request in requests)
    assert len(timeline.publishes) == sum(len(preparation.publishes) for preparation in preparations)
    stages = sum(
        1 for preparation in preparations for stage in preparation.stages if stage.actor == "drafter"
    )
    assert len(timeline.drafter) == stages + sum(len(preparation.drafts) for preparation in preparations)
    text = timeline.commit_texts.joined(0, len(timeline.committed))
    assert text == "".join(request.text for request in requests)


def test_work_before_the_request_is_told_from_work_beside_it(timeline: TimelineModel) -> None:
    kinds = timeline.drafter.kind
    early = timeline.drafter.begins[kinds == DraftKind.EARLY]
    beside = timeline.drafter.begins[kinds == DraftKind.STEP]
    assert len(early)
    assert len(beside)
    asked = [request.asked for request in timeline.requests]
    third = timeline.requests[2]
    assert all(third.preparation.begin < t < asked[2] for t in early.tolist())  # type: ignore[operator]


def test_the_inspector_shows_what_the_helper_said(
    timeline: TimelineModel, run_events: list[RecordedEvent]
) -> None:
    fold = RunFold.of(run_events, details=True)
    shown = 0
    for request in fold.requests.values():
        for call in request.calls:
            row = row_of_call(timeline, request.request, call.index)
            assert row is not None
            view = call_view(timeline, row)
            assert (view.begin, view.end, view.k, view.root) == (call.start, call.end, call.k, call.root)
            candidates = [place.candidate for place in view.positions if place.candidate is not None]
            assert candidates == list(call.candidates)
            assert [place.choice for place in view.positions] == list(call.choices)
            assert [place.margin for place in view.positions] == pytest.approx(list(call.margins))
            assert [place.state for place in view.positions].count("accepted") == call.accepted
            assert view.reason == call.reason
            shown += 1
    assert shown == len(timeline.calls)
    first = call_view(timeline, 0)
    assert first.kind == CallKind.ALL
    assert first.text == " so my fellow Americans,"
    assert [place.choice_text for place in first.positions] == [" so", " my", " fellow", " Americans", ","]


def test_ready_is_zero_when_a_request_has_ended(timeline: TimelineModel) -> None:
    for request in timeline.requests:
        assert request.end is not None
        assert timeline.speed.ready.at(request.end) == 0
    assert timeline.speed.ready.values.max() > 10


def test_audio_time_follows_the_words(timeline: TimelineModel) -> None:
    bars = timeline.audio_time.project(timeline.committed, heard=True)
    assert bars.span is not None
    seconds = bars.span[1] / 1e9
    windows = [request.preparation.window for request in timeline.requests]
    assert seconds == pytest.approx(windows[-1].audio_s + windows[-1].end_s - windows[-1].start_s)
    # 'ask not what your country' is said between 3 and 6 seconds of the first recording.
    row = next(r for r in range(10) if "ask not" in timeline.commit_texts.row(r))
    at = timeline.audio_time.audio_at(int(timeline.committed.ends[row])) / 1e9
    assert 4 < at < 7
    back = timeline.audio_time.clock_at(round(at * 1e9))
    assert back == pytest.approx(int(timeline.committed.ends[row]), abs=2e6)
    assert timeline.recording_at(12.0) == ("a2", pytest.approx(1.0))


def test_a_live_run_and_its_recording_look_the_same(run_events: list[RecordedEvent]) -> None:
    live, recorded = TimelineModel(), TimelineModel()
    for event in run_events:
        live.feed(event)
        if live.span is not None:
            live.audio_time.project(live.target, heard=True)
    recorded.feed(run_events[0])
    recorded.clear()
    for event in run_events:
        recorded.feed(event)
    for name in ("audio", "drafter", "target", "committed"):
        assert getattr(live, name).begins.tolist() == getattr(recorded, name).begins.tolist()
        assert getattr(live, name).kind.tolist() == getattr(recorded, name).kind.tolist()
    assert live.speed.tps.values.tolist() == pytest.approx(recorded.speed.tps.values.tolist(), nan_ok=True)


def test_sums_stay_when_old_calls_are_forgotten(
    timeline: TimelineModel, run_events: list[RecordedEvent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline_module, "MOST_CALLS", 20)
    monkeypatch.setattr(timeline_module, "MOST_STEPS", 30)
    small = TimelineModel()
    for event in run_events:
        small.feed(event)
    assert len(small.target) <= 25
    assert small.span is not None
    assert small.span == timeline.span
    one, other = span_sums(small, *small.span), span_sums(timeline, *small.span)
    for name in ("calls", "proposed", "accepted", "tokens", "decode_ns"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.target_ns == pytest.approx(other.target_ns, abs=10)
    last = call_view(small, len(small.calls) - 1)
    assert last.request == timeline.requests[-1].name
    assert last.text == call_view(timeline, len(timeline.calls) - 1).text
