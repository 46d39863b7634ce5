"""The error of a replay is (replay - native) / native on the windows that both have."""

from __future__ import annotations

from typing import Any

import pytest

from as2d.backend.bench.arms import Arm, ArmOptions, ArmThreads, make_arms, mean_label
from as2d.backend.bench.decodes import Decode, decodes_of
from as2d.backend.errors import WrongUse
from as2d.backend.metrics.fold import RunFold
from as2d.backend.replay.comparison import compare_replay, joined, left_out_sentence
from as2d.backend.replay.messages import RunDone
from as2d.backend.replay.service import Replay, TracedWindow
from as2d.backend.transcribe.methods import parse_methods

OPTIONS = ArmOptions([4], ["text"], ["request-start"], [ArmThreads(2, 1)])
TEXT = (0, 1, 2, 3)
ARMS = make_arms(parse_methods("target-only,as2d,sd"), OPTIONS)


def _window(number: int, end_s: float) -> TracedWindow:
    return TracedWindow(f"t{number}", "elsewhere/talk.wav", "x", end_s - 10, end_s, "1", "2", TEXT)


@pytest.fixture
def fold(stream: Any, call: Any) -> RunFold:
    """Three windows of four tokens after the first, 40 ms each by every arm."""
    stream.recording("a1", "talks/talk.wav")
    for index in range(3):
        prepared = stream.prepare(stream.window("a1", index, index * 10.0, index * 10.0 + 10.0))
        for arm in ARMS:
            stream.request(prepared, [call(0, 0, 10)] * 4, " x", arm=arm.label, repeat=0)
    return RunFold.of(stream.events)


def _replayed(fold: RunFold, factors: dict[str, tuple[float, float]]) -> Replay:
    """Two of the windows, with the native times multiplied by the factors of each arm (by method)."""
    native = decodes_of((r for r in fold.finished_requests() if r.arm == ARMS[0].label), None)
    decodes: dict[Arm, list[Decode]] = {}
    for arm in ARMS:
        times = factors[arm.method]
        decodes[arm] = [
            Decode(f"t{number}", 0, native[0].counters, native[0].decode_s * times[number - 1], 0.1, 0)
            for number in (1, 2)
        ]
    return Replay([_window(1, 10.0), _window(2, 20.0)], decodes, RunDone(replays=1, seconds=1.0))


def test_errors_are_those_of_the_common_windows(fold: RunFold) -> None:
    rows = compare_replay(
        _replayed(fold, {"target-only": (1.0, 1.0), "as2d": (0.8, 1.25), "sd": (2.0, 2.0)}), "run", fold
    ).errors
    by_arm = {row.arm: row for row in rows}
    alone, as2d, mean = rows[0], by_arm[ARMS[1].label], rows[-1]
    assert (alone.windows, alone.pooled_error, alone.window_error) == (2, pytest.approx(0), pytest.approx(0))
    assert as2d.native_tps == pytest.approx(100.0)
    assert as2d.pooled_error == pytest.approx(8 / 0.082 / 100 - 1)
    assert as2d.window_error == pytest.approx((0.25 + 0.2) / 2)
    assert mean.arm == mean_label(ARMS[2:])
    assert (mean.pooled_error, mean.window_error) == (pytest.approx(-0.5), pytest.approx(0.5))
    assert len(rows) == 1 + 1 + 4 + 1


def test_errors_join_the_rows_of_their_arms(fold: RunFold) -> None:
    replay = _replayed(fold, {arm.method: (1.0, 1.0) for arm in ARMS})
    errors = compare_replay(replay, "run", fold).errors
    rows = [summary.model_dump(mode="json") for summary in replay.summaries()]
    with_errors = [joined(row, errors) for row in rows]
    assert {row["native_windows"] for row in with_errors} == {2}  # the mean of sd's four arms too
    assert all(row["pooled_error"] == pytest.approx(0) for row in with_errors)
    (left_out,) = (joined(row, errors[1:]) for row in rows[:1])
    assert left_out.keys() == with_errors[0].keys()
    assert left_out["native_tps"] is None


def test_recordings_of_the_same_name_are_told_apart_by_their_text(stream: Any, call: Any) -> None:
    """The run has talk.wav of two folders, the traces have one of them and a third."""
    arm = ARMS[0]
    stream.recording("a1", "monday/talk.wav")
    stream.recording("a2", "tuesday/talk.wav")
    for name, tokens, ms in (("a1", (0, 1, 2), 10), ("a2", (5, 6, 7), 20)):
        prepared = stream.prepare(stream.window(name, 0, 0.0, 10.0))
        stream.request(prepared, [call(0, 0, ms)] * 3, " x", tokens=tokens, arm=arm.label, repeat=0)
    fold = RunFold.of(stream.events)
    native = decodes_of(fold.finished_requests(), None)
    windows = [
        TracedWindow(f"t{number}", f"{folder}/talk.wav", "x", 0.0, 10.0, "1", "2", tokens)
        for number, (folder, tokens) in enumerate((("wednesday", (8, 9)), ("backup", (5, 6, 7))))
    ]
    decodes = {arm: [Decode(w.key, 0, native[1].counters, native[1].decode_s, 0.1, 0) for w in windows]}
    comparison = compare_replay(Replay(windows, decodes, RunDone(replays=1, seconds=1.0)), "run", fold)
    (error,) = comparison.errors
    assert (error.windows, error.native_tps) == (1, pytest.approx(50.0))
    assert error.pooled_error == pytest.approx(0)
    assert comparison.other_text == 1
    assert left_out_sentence(1).startswith("1 window of the run with a traced window's file name")
    others = Replay(windows[:1], {arm: decodes[arm][:1]}, RunDone(replays=1, seconds=1.0))
    with pytest.raises(WrongUse, match="2 windows of the run with a traced window's file name"):
        compare_replay(others, "run", fold)


def test_a_run_of_other_windows_is_refused(fold: RunFold, stream: Any) -> None:
    replay = _replayed(fold, {arm.method: (1.0, 1.0) for arm in ARMS})
    with pytest.raises(WrongUse, match="in common"):
        compare_replay(replay, "run", RunFold.of(stream.events[:4]))
