"""The methods' timelines of one window, from one stream or several."""

from __future__ import annotations

import pytest
from tests.unit.conftest import FakeCall, StreamMaker

from as2d.app.viewmodels.arm_names import arm_words
from as2d.app.viewmodels.stacked import StackedModel, Window
from as2d.backend.protocol import events


def _stream(*, slow: bool = False) -> StreamMaker:
    stream = StreamMaker()
    stream.t += 5_000_000_000 if slow else 0
    for number in (1, 2):
        stream.recording(f"a{number}", f"/somewhere/talk{number}.wav")
        window = stream.window(f"a{number}", 0, 0, 9.5)
        for arm in ("target-only", "as2d"):
            preparation = stream.prepare(window, len(stream.events))
            calls = [FakeCall(0, 0, 20 if slow else 10)] * 6
            stream.request(preparation, calls, " Hello.", arm=arm, repeat=0, warm_up=True)
            stream.request(preparation, calls, " Hello.", arm=arm, repeat=0)
            stream.request(preparation, calls, " Hello.", arm=arm, repeat=1)
    return stream


def test_each_arm_has_its_newest_decode_of_a_window() -> None:
    model = StackedModel()
    model.feed("here", _stream().events)
    first, second = model.windows
    assert (first, second) == (
        Window("/somewhere/talk1.wav", 0, 9.5),
        Window("/somewhere/talk2.wav", 0, 9.5),
    )
    assert model.newest == second
    assert first.text == "talk1.wav, 0.0–9.5 s"
    strips = model.strips(first)
    assert [(strip.source, strip.arm) for strip in strips] == [("", "target-only"), ("", "as2d")]
    for strip in strips:
        assert not strip.request.warm_up
        assert strip.origin == strip.request.asked
        assert strip.span == (0, 80_000_000)  # 20 ms of prefill and six calls of 10 ms
    numbers = [strip.request.number for strip in strips]
    assert numbers == [2, 5]


def test_devices_stand_under_each_other_with_clocks_of_their_own() -> None:
    model = StackedModel()
    model.feed("here", _stream().events)
    model.feed("a phone", _stream(slow=True).events)
    strips = model.strips(next(iter(model.windows)))
    assert [(strip.source, strip.arm) for strip in strips] == [
        ("here", "target-only"),
        ("here", "as2d"),
        ("a phone", "target-only"),
        ("a phone", "as2d"),
    ]
    assert [strip.span for strip in strips] == [(0, 80_000_000)] * 2 + [(0, 140_000_000)] * 2


def test_the_reference_is_first_whatever_was_decoded_first_and_a_plan_gives_the_order() -> None:
    stream = StreamMaker()
    stream.recording("a1", "/somewhere/talk.wav")
    window = stream.window("a1", 0, 0, 9.5)
    for arm in ("specasr budget 4 pre-drafted (2 threads)", "target-only (2 threads)", "as2d (2 threads)"):
        stream.request(stream.prepare(window, len(stream.events)), [FakeCall(0, 0, 10)], " So.", arm=arm)

    def shown(model: StackedModel) -> list[str]:
        model.feed("here", stream.events)
        return [strip.arm.partition(" ")[0] for strip in model.strips(next(iter(model.windows)))]

    assert shown(StackedModel()) == ["target-only", "specasr", "as2d"]
    order = ["target-only", "as2d", "specasr budget 4 pre-drafted"]
    assert shown(StackedModel(order)) == [*order[:2], "specasr"]


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        ("as2d budget 4 text pre-drafted (2 threads, drafter 2)", ("AS²D", "budget 4 · With the audio")),
        (
            "as2d budget 4 root request-start (1 thread)",
            ("AS²D", "budget 4 · by the root · With the request"),
        ),
        ("target-only again (2 threads) by tiny", ("Target only", "a second time")),
        (
            "as2d-resync budget 3 text patience 2 pre-drafted",
            ("AS²D with restarts", "budget 3 · patience 2 · With the audio"),
        ),
        (
            "as2d budget 4 text request-start prepared ahead (1 thread)",
            ("AS²D", "budget 4 · With the request · next window ahead"),
        ),
        ("sd mean of K = 5, 6 pre-drafted", ("Speculative (SD)", "mean of K = 5, 6 · With the audio")),
        ("an arm of another program", ("an arm of another program", "")),
    ],
)
def test_arms_are_called_as_the_window_offers_them(arm: str, words: tuple[str, str]) -> None:
    assert arm_words(arm) == words


def test_live_a_request_grows() -> None:
    model = StackedModel()
    ends = []
    for event in _stream().events:
        model.feed("here", [event])
        if model.newest is not None:
            strips = model.strips(model.newest)
            span = strips[-1].span
            ends.append(0 if span is None else span[1])
    assert max(ends) == 80_000_000
    assert len({end for end in ends if end}) > 3


def test_runs_stand_under_each_other_and_sessions_of_one_device_do_not() -> None:
    model = StackedModel()
    model.feed("run1", _stream().events, "here")
    model.feed("run2", _stream(slow=True).events, "here")
    window = next(iter(model.windows))
    strips = model.strips(window)
    assert [(strip.source, strip.arm) for strip in strips] == [("", "target-only"), ("", "as2d")]
    assert [strip.span for strip in strips] == [(0, 140_000_000)] * 2  # of the newest
    model.feed("run3", _stream().events, "another")
    assert [strip.source for strip in model.strips(window)] == ["here", "here", "another", "another"]


def test_targets_of_one_device_are_told_apart() -> None:
    model = StackedModel()
    for name in ("whisper-base", "whisper-small"):
        loaded = events.Loaded(
            re=1, t=0, seq=1, model="target-2-1", kind="whisper", name=name, threads=2, shared_threads=1,
            backend="cpu", arithmetic={}, bytes=1, start=0, end=0,
        )  # fmt: skip
        model.feed("here", [loaded, *_stream().events])
    strips = model.strips(next(iter(model.windows)))
    assert [strip.source for strip in strips] == ["whisper-base"] * 2 + ["whisper-small"] * 2


def test_work_between_a_preparation_and_its_request_is_not_shown_as_the_requests_own() -> None:
    stream = StreamMaker()
    stream.recording("a1", "/somewhere/talk.wav")
    window = stream.window("a1", 0, 0, 9.5)
    first, second = stream.prepare(window, 1), stream.prepare(window, 2)
    stream.request(first, [FakeCall(0, 0, 10)] * 6, " Hello.", arm="sd", repeat=0)
    stream.request(second, [FakeCall(0, 0, 10)] * 6, " Hello.", arm="as2d", repeat=0)
    model = StackedModel()
    model.feed("here", stream.events)
    sd, as2d = model.strips(next(iter(model.windows)))
    assert sd.span == (-1_400_000_000, 80_000_000)
    assert as2d.span == (0, 80_000_000)
