"""The measures are those that the algorithm defines, and live and later they are the same."""

from __future__ import annotations

from typing import Any

import pytest

from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import drop_to_transcript_seconds, measure
from as2d.backend.protocol.lines import parse_recorded, to_line


def _two_requests(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    first = stream.prepare(stream.window("a1", 0, 0.0, 20.0))
    # 1 + 3 calls + 6 accepted = 10 tokens in 40 ms of calls; the guard call counts its time only.
    stream.request(first, [call(4, 4, 15), call(4, 2, 15), call(0, 0, 5), call(0, 0, 5, guard=True)], " one")
    second = stream.prepare(stream.window("a1", 1, 20.0, 30.0))
    stream.request(second, [call(2, 0, 10), call(0, 0, 10)], " two")  # 3 tokens in 20 ms
    stream.done("a1", 30.0)


def test_speed_is_pooled_over_windows_and_leaves_the_first_token_out(stream: Any, call: Any) -> None:
    _two_requests(stream, call)
    measures = measure(RunFold.of(stream.events).finished_requests())
    assert measures.tokens == 13
    assert measures.decode_s == pytest.approx(0.060)
    assert measures.tps == pytest.approx((9 + 2) / 0.060)
    assert measures.ms_per_token == pytest.approx(60 / 11)


def test_acceptance_is_pooled_and_guard_calls_stand_apart(stream: Any, call: Any) -> None:
    _two_requests(stream, call)
    measures = measure(RunFold.of(stream.events).finished_requests())
    assert (measures.calls, measures.guard_calls) == (5, 1)
    assert (measures.proposed, measures.accepted, measures.extra) == (10, 6, 6)
    assert measures.acceptance == pytest.approx(0.6)
    assert measures.hit_rate == pytest.approx(3 / 5)
    assert measures.tokens_per_call == pytest.approx(11 / 5)
    assert measures.proposed_by_position == (3, 3, 2, 2)
    assert measures.accepted_by_position == (2, 2, 1, 1)
    assert measures.acceptance_by_position == pytest.approx((2 / 3, 2 / 3, 0.5, 0.5))


def test_the_identity_of_the_counters_holds_when_the_end_was_accepted(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    stream.request(
        stream.prepare(stream.window("a1", 0, 0.0, 5.0)), [call(4, 4), call(3, 3)], " x", end_accepted=True
    )
    measures = measure(RunFold.of(stream.events).finished_requests())
    assert measures.tokens == 1 + measures.calls + measures.extra - measures.ends_accepted == 9


def test_times_of_a_window_come_from_its_own_spans(stream: Any, call: Any) -> None:
    _two_requests(stream, call)
    fold = RunFold.of(stream.events)
    measures = measure(fold.finished_requests())
    assert measures.audio_prepare_s == pytest.approx(1.4)
    assert measures.draft_s == pytest.approx(0.008)
    assert measures.response_s == pytest.approx((0.060 + 0.040) / 2)
    assert measures.first_token_s == pytest.approx(0.020)
    # 50 ms to open, two preparations of 700 ms, two requests of 60 and 40 ms.
    assert drop_to_transcript_seconds(fold.recordings["a1"]) == pytest.approx(1.550)


def test_warm_ups_and_cancelled_requests_count_nowhere(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 5.0))
    stream.request(prepared, [call(0, 0)], " x", warm_up=True)
    stream.request(prepared, [call(0, 0)], " x", stop="cancelled")
    assert measure(RunFold.of(stream.events).finished_requests()).requests == 0


def test_nothing_measured_has_no_ratios() -> None:
    measures = measure([])
    assert (measures.tps, measures.acceptance, measures.hit_rate, measures.response_s) == (None,) * 4


def test_a_stream_read_back_says_the_same_as_live(stream: Any, call: Any) -> None:
    _two_requests(stream, call)
    live = RunFold.of(stream.events)
    later = RunFold.of(parse_recorded(to_line(event)) for event in stream.events)
    assert measure(live.finished_requests()) == measure(later.finished_requests())


def test_live_counts_follow_the_calls_before_the_result(stream: Any, call: Any) -> None:
    _two_requests(stream, call)
    fold = RunFold.of(stream.events)
    for request in fold.finished_requests():
        assert request.result is not None
        counters = request.result.counters
        assert (request.live.calls, request.live.guard_calls) == (counters.calls, counters.guard_calls)
        assert (request.live.proposed, request.live.accepted) == (counters.proposed, counters.accepted)
        assert request.live.committed == counters.tokens


def test_a_window_prepared_again_after_a_crash_keeps_both_preparations(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    window = stream.window("a1", 0, 0.0, 5.0)
    stream.prepare(window, 1)
    stream.request(stream.prepare(window, 2), [call(0, 0)], " text")
    state = RunFold.of(stream.events).windows[window]
    assert len(state.preparations) == 2
    answered = state.answered()
    assert answered is not None
    assert answered.text == " text"


def test_events_of_unknown_windows_are_left_out(stream: Any, call: Any) -> None:
    _two_requests(stream, call)
    without_cuts = [event for event in stream.events if "WindowCut" not in type(event).__name__]
    assert RunFold.of(without_cuts).requests == {}
