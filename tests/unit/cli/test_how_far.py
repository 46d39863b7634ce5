"""Progress moves while a window is decoded, and never back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from as2d.backend.cli.how_far import AudioDecoded, MinutesDecoded
from as2d.backend.protocol import decode_events, host_events
from as2d.backend.protocol.trace_events import EncoderTimes, Traced
from as2d.backend.runs.stream import StreamReader


def test_a_recorded_run_moves_with_its_tokens_up_to_each_windows_end(repository: Path) -> None:
    far, cut, moved, recording = AudioDecoded(), None, 0, ""
    shown: dict[str, list[float]] = {}
    for event in StreamReader(repository / "tests/data/runs/three-recordings/events.jsonl.gz"):
        far.take(event)
        if isinstance(event, host_events.WindowCut):
            cut, recording = event, event.recording
            assert far.of(recording)[0] == event.start_s
        elif isinstance(event, decode_events.Commit) and cut is not None:
            moved += shown[recording][-1] < far.of(recording)[0] < cut.end_s
        elif isinstance(event, decode_events.Result) and cut is not None:
            assert far.of(recording)[0] == cut.end_s
        if cut is not None:
            shown.setdefault(recording, []).append(far.of(recording)[0])
    assert moved > 80  # of 101 commits, of which some say nothing but the end
    assert list(shown) == ["a1", "a2", "a3"]
    for name, far_in in shown.items():
        assert far_in == sorted(far_in)
        duration = far.of(name)[1]
        assert duration is not None
        assert far_in[-1] <= duration + 0.001


def test_every_decode_of_a_window_is_a_part_of_it(stream: Any, call: Any) -> None:
    asked = []

    def decodes(first: bool) -> int:
        asked.append(first)
        return 4 if first else 2

    far = AudioDecoded(decodes)
    stream.recording("a1", "talk.wav")
    ends = []
    for index, repeats in ((0, 4), (1, 2)):
        prepared = stream.prepare(stream.window("a1", index, 8.0 * index, 8.0 * index + 8))
        for repeat in range(repeats):
            stream.request(prepared, [call(4, 3, 10)] * 2, " so", repeat=repeat)
    for event in stream.events:
        far.take(event)
        if isinstance(event, decode_events.Result):
            ends.append(far.of("a1")[0])
    assert asked == [True, False]
    assert ends == [2.0, 4.0, 6.0, 8.0, 12.0, 16.0]


def test_a_window_cut_while_another_is_decoded_begins_with_its_own_decode(stream: Any, call: Any) -> None:
    far = AudioDecoded()
    stream.recording("a1", "talk.wav")
    first = stream.prepare(stream.window("a1", 0, 0.0, 8.0))
    before = len(stream.events)
    stream.request(first, [call(4, 3, 10)], " so")
    decode = stream.events[before:]
    del stream.events[before:]
    second = stream.prepare(stream.window("a1", 1, 8.0, 16.0))
    ahead = stream.events[before:]
    del stream.events[before:]
    for event in (*stream.events, decode[0], *ahead, *decode[1:]):
        far.take(event)
    assert far.of("a1")[0] == 8.0
    before = len(stream.events)
    stream.request(second, [call(4, 3, 10)], " so")
    for event in stream.events[before:]:
        far.take(event)
    assert far.of("a1")[0] == 16.0


def test_a_window_without_speech_is_done_at_once_and_a_traced_one_with_its_trace(stream: Any) -> None:
    far = AudioDecoded()
    stream.recording("a1", "talk.wav")
    stream.window("a1", 0, 0.0, 8.0, speech=False)
    for event in stream.events:
        far.take(event)
    assert far.of("a1") == (8.0, None)
    stream.window("a1", 1, 8.0, 20.0)
    far.take(stream.events[-1])
    assert far.of("a1")[0] == 8.0
    far.take(
        Traced(
            t=1, seq=1, re=1, window="a1.w2", language="en", task="transcribe", prompt_tokens=4,
            tokens=(1, 2, 3), margins=(1.0, 1.0, 1.0), stop="end_of_text", no_speech_prob=0.0, end_token=3,
            token_limit=224, logit_gap=0.0, own=(), continuations=(),
            encoder=EncoderTimes(target_ms=1.0, target_cross_ms=1.0, drafter_ms=1.0, drafter_cross_ms=1.0),
            prefill_ms=1.0, call_ms=1.0,
        )
    )  # fmt: skip
    assert far.of("a1")[0] == 20.0


def test_a_long_run_goes_by_the_clock_from_its_first_decode_that_counts() -> None:
    far = MinutesDecoded(2)
    minute = 60_000_000_000
    for t, warm_up, done in ((5, True, 0.0), (7, False, 0.0), (8, False, 1.0), (12, False, 2.0)):
        far.take(
            host_events.RequestSent(
                t=t * minute, request="r", preparation="p", task="transcribe", arm="a", warm_up=warm_up
            )
        )
        assert far.of("a1") == (done, 2)
