"""The timeline as text."""

from __future__ import annotations

from typing import Any

from as2d.backend.export.timeline import call_lines, text_timeline
from as2d.backend.metrics.fold import RunFold


def test_lanes_share_one_axis(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 5.0))
    stream.request(prepared, [call(0, 0, 280), call(4, 3, 400), call(0, 0, 100, guard=True)], " x")
    fold = RunFold.of(stream.events, details=True)
    (request,) = fold.requests.values()
    # 700 ms of encoder, 20 ms of prefill, 780 ms of calls: 1.5 s over 75 columns of 20 ms.
    drafter, target, accepted, axis = text_timeline(request, 75 + len("Accepted ||")).splitlines()
    assert target == "Target   |" + "E" * 35 + " " + "T" * 14 + "V" * 20 + "G" * 5 + "|"
    assert drafter == "Drafter  |D" + " " * 74 + "|"
    assert accepted.index("3") == len("Accepted |") + 70
    assert axis.endswith("1500 ms")
    assert len({len(line) for line in (drafter, target, accepted)}) == 1


def test_calls_are_listed_with_what_they_did(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 5.0))
    stream.request(prepared, [call(0, 0, 10), call(4, 3, 20)], " hello\nthere")
    (request,) = RunFold.of(stream.events, details=True).requests.values()
    rows = call_lines(request)
    assert [row[:6] for row in rows] == [
        ["0", "20.0", "10.0", "target-only", "1", "0"],
        ["1", "30.0", "20.0", "verify", "5", "3"],
    ]
    assert "\n" not in "".join(rows[1])


def test_a_request_without_any_span_says_so(stream: Any) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 5.0))
    stream.request(prepared, [], "", stop="cancelled")
    (request,) = RunFold.of(stream.events).requests.values()
    assert text_timeline(request, 80) == "nothing recorded\n"
