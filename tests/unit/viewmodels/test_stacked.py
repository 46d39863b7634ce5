"""The methods' timelines of one window, from one stream or several."""

from __future__ import annotations

from tests.unit.conftest import FakeCall, StreamMaker

from as2d.app.viewmodels.stacked import StackedModel, Window


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
