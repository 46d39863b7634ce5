"""What a judgement's figures count, and what they leave out rather than tell wrongly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.energy.phones import SimulatedPhone
from tests.unit.replay.conftest import make_trace

from as2d.backend.bench.arms import Arm, ArmThreads
from as2d.backend.bench.decodes import Decode
from as2d.backend.compare.judging.judge import judge
from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.reports.timelines import strips
from as2d.backend.compare.running.cells import Cell
from as2d.backend.compare.running.planned import PlannedRecording
from as2d.backend.compare.running.replay_events import ReplayStream
from as2d.backend.corpora.item import CorpusItem
from as2d.backend.energy.calibration import given_calibration
from as2d.backend.protocol.decode_events import Counters
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.runs.manifest import RecordingUsed
from as2d.backend.transcribe.run_log import RunLog

ALONE, DRAFTED = "target-only (2 threads)", "as2d budget 4 text request-start (2 threads)"


def _decode(stream: Any, call: Any, name: str, audio: str, ms: dict[str, Sequence[float]]) -> None:
    """A recording of one window, decoded by each arm in so many milliseconds a repeat."""
    stream.recording(name, audio)
    preparation = stream.prepare(stream.window(name, 0, 0.0, 8.0))
    for label, repeats in ms.items():
        method = label.split()[0]
        for repeat, whole in enumerate(repeats):
            calls = [call(0, 0, whole / 4)] * 4 if method == "target-only" else [call(4, 3, whole)]
            stream.request(preparation, calls, " it is so", arm=label, method=method, repeat=repeat)
    stream.done(name, 8.0)


def test_copies_of_a_file_are_no_independent_evidence(stream: Any, call: Any, record: Any) -> None:
    for number, ms in enumerate((20, 30, 50), start=1):
        _decode(stream, call, f"a{number}", "/data/talk.wav", {ALONE: [40], DRAFTED: [ms]})
    copies = judge([record("20260101-000000-aaaa", list(stream.events), recordings=())])
    assert [window.recording for window in copies.windows] == ["talk.wav", "talk.wav (2)", "talk.wav (3)"]
    paired = copies.sides[1].alone
    assert paired is not None
    assert (paired.windows, paired.low, paired.high) == (3, None, None)
    _decode(stream, call, "a4", "/data/other.wav", {ALONE: [40], DRAFTED: [80]})
    several = judge([record("20260101-000001-bbbb", list(stream.events), recordings=())]).sides[1].alone
    assert several is not None
    # One of the two files drawn twice: its own median is an end of the interval.
    assert (several.low, several.high) == (pytest.approx(0.5), pytest.approx(40 / 30))


def test_the_oracle_counts_time_as_the_rows_do(stream: Any, call: Any, record: Any) -> None:
    _decode(stream, call, "a1", "/data/a.wav", {ALONE: [40, 40, 40], DRAFTED: [16, 16, 160]})
    _decode(stream, call, "a2", "/data/b.wav", {ALONE: [40, 40, 40], DRAFTED: [20, 20, 20]})
    (table,) = judge([record("20260101-000000-aaaa", stream.events)]).tables
    # In all, target-only's 120 ms are less than the 192 ms whose median is the faster one.
    assert table.oracle == (pytest.approx(24 / (0.120 + 0.060)),)
    assert table.oracle[0] >= max(row.tps[0] or 0 for row in table.rows)


def test_energy_of_drafts_made_before_is_not_left_out(
    stream: Any, call: Any, record: Any, planned: Callable[..., Any], manifest: Callable[..., Any]
) -> None:
    drafted = "as2d budget 4 text pre-drafted (2 threads)"
    stream.t = 20_000_000_000
    stream.recording("a1", "talk.wav")
    window = stream.window("a1", 0, 0.0, 30.0)
    for number, (label, method) in enumerate(((ALONE, "target-only"), (drafted, "as2d")), start=1):
        calls = [call(0, 0, 995.0)] * 4 if method == "target-only" else [call(2, 2, 995.0)] * 4
        preparation = stream.prepare(window, number)
        stream.t += 1_000_000_000 if method == "as2d" else 0  # the drafter works
        stream.request(preparation, calls, " one", arm=label, method=method, tokens=list(range(8)))
    samples = SimulatedPhone(noise=0.001, refresh_s=0.2).samples(lambda at: 9.0 if at > 20.1 else 2.0, 40,
                                                                 start_s=0.0)  # fmt: skip
    events: list[RecordedEvent] = sorted([*stream.events, *samples], key=lambda event: event.t)
    device = manifest().device.model_copy(update={"battery_current": given_calibration("uA", -1)})
    arms = (planned(ALONE, "target-only"), planned(drafted, "as2d", start_condition="pre-drafted"))
    alone, before = judge([record("20260101-000000-aaaa", events, device=device, arms=arms)]).sides
    assert alone.joules_per_token == pytest.approx(36 / 8, rel=0.02)
    assert alone.no_energy is None
    assert (before.joules_per_token, before.figures.joules_per_token) == (None, (None,))
    assert "drafted before the request is part of the energy" in (before.no_energy or "")
    # 9 W over a second of drafting and the 4 s of the response.
    assert before.joules_per_token_from_audio == pytest.approx(9 * 5 / 8, rel=0.02)


def test_a_timeline_is_of_the_file_that_it_names(stream: Any, call: Any, record: Any) -> None:
    _decode(stream, call, "a1", "/data/11.wav", {ALONE: [400], DRAFTED: [200]})
    _decode(stream, call, "a2", "/data/1.wav", {ALONE: [40], DRAFTED: [20]})
    run = record("20260101-000000-aaaa", stream.events)
    judged = judge([run])
    number = [window.recording for window in judged.windows].index("1.wav")
    sides = [(side, side.arm) for side in judged.sides]
    found = strips(judged, sides, number, [run], lambda: None)
    assert [strip.ended for strip in found] == [pytest.approx(60), pytest.approx(40)]


class _Texts:
    def of(self, tokens: tuple[int, ...]) -> str:
        return " it is so" * bool(tokens)


def test_replayed_windows_have_errors_of_words_and_no_time_from_the_drop(record: Any) -> None:
    plan = ComparePlan(methods=("as2d",), recordings=("talk.wav",))
    planned = PlannedRecording("talk.wav", 1, CorpusItem(Path("talk.wav"), "It was so.", "en", "talks"))
    arms = [
        Arm(method, 4 * drafts, "text", "request-start", ArmThreads(2, 1))
        for drafts, method in enumerate(("target-only", "as2d"))
    ]
    events: list[RecordedEvent] = []
    stream = ReplayStream(RunLog([events.append]), plan, _Texts())  # type: ignore[arg-type]
    line = make_trace()
    stream.window(planned, "a1.w1", 0, line)
    for arm in arms:
        cell = Cell("cost.json", "whisper-base", "talk.wav", 0, "whisper-tiny.en", 0, arm)
        counters = Counters(
            tokens=5, calls=4, guard_calls=0, proposed=0, accepted=0, accepted_by_position=(),
            proposed_by_position=(), hits=0, end_accepted=False,
        )  # fmt: skip
        stream.decode("a1.w1", line, cell, Decode("a1.w1", 0, counters, 0.04, 0.06, 0))
    stream.end_of_recording(planned, line.end_s)
    used = RecordingUsed(
        recording="a1", audio="talk.wav", corpus="talks", reference="It was so.", language="en"
    )
    for side in judge([record("20260101-000000-aaaa", events, recordings=(used,))]).sides:
        assert side.wer is not None
        assert (side.wer.errors, side.wer.length) == (1, 3)
        assert side.response_ms == pytest.approx(60)
        assert (side.drop_ms, side.figures.drop_ms) == (None, (None,))
