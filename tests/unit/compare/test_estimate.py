"""How long a plan may take is worked out from what decoding took before; what is unknown is not told."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.compare.conftest import Recorded
from tests.unit.conftest import FakeCall, StreamMaker

from as2d.backend.compare.estimate import Pace, estimated_seconds, past_pace, windows_of
from as2d.backend.compare.plan import THIS_COMPUTER, ComparePlan
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.cancel import CancelToken

WINDOW_S = 10.0
PREPARE_S = 0.7  # of a made stream


def _run(stream: StreamMaker, decodes: dict[str, float]) -> StreamMaker:
    """One window, decoded by each method for so many seconds."""
    stream.recording("a1", "talk.wav")
    window = stream.window("a1", 0, 0.0, WINDOW_S)
    for number, (method, seconds) in enumerate(decodes.items()):
        calls = [FakeCall(0, 0, 10.0)] * round((seconds - 0.02) / 0.01)  # behind 20 ms of prefill
        stream.request(stream.prepare(window, number), calls, " Hello.", arm=method, method=method)
    return stream


@pytest.fixture
def pace(record: Recorded, stream: StreamMaker, tmp_path: Path) -> Pace:
    """Of a run in which target-only took 0.1 s and as2d 0.05 s for a second of audio."""
    record("one", _run(stream, {"target-only": 1.0, "as2d": 0.5}).events)
    found = past_pace(RunStore(tmp_path), "a computer", "whisper-base", {"as2d"}, CancelToken())
    assert found is not None
    return found


def test_a_plan_takes_what_its_decodes_and_preparations_took(pace: Pace) -> None:
    assert (pace.of("target-only"), pace.of("as2d")) == pytest.approx((0.1, 0.05))
    assert pace.of("sd") == pytest.approx(0.1)  # never run there: as the slowest
    assert pace.of_preparing == pytest.approx(PREPARE_S)
    plan = ComparePlan(methods=("as2d",), recordings=("talk.wav",), repeats=2)
    # Target-only twice and as2d from both starts, twice each; the draft from the audio's start is waited for.
    decodes = 2 * (0.1 + 0.1 + 0.05 + 0.05) + 0.05
    assert windows_of([40.0]) == 2
    expected = 40.0 * decodes + 2 * 3 * PREPARE_S
    paces = {(THIS_COMPUTER, "whisper-base"): pace}
    assert estimated_seconds(plan, [40.0], paces) == pytest.approx(expected)


def test_devices_work_at_once_and_one_that_is_not_known_leaves_it_open(pace: Pace) -> None:
    plan = ComparePlan(methods=("as2d",), recordings=("talk.wav",), devices=(THIS_COMPUTER, "phone"))
    slow = Pace(1, 2 * PREPARE_S, {"target-only": 4.0}, {"target-only": 10.0})
    here, there = (THIS_COMPUTER, "whisper-base"), ("phone", "whisper-base")
    assert estimated_seconds(plan, [40.0], {here: pace}) is None
    alone = plan.model_copy(update={"devices": ("phone",)})
    both = estimated_seconds(plan, [40.0], {here: pace, there: slow})
    assert both == estimated_seconds(alone, [40.0], {there: slow})


def test_runs_on_others_and_those_without_a_decode_tell_nothing(
    record: Recorded, stream: StreamMaker, tmp_path: Path
) -> None:
    record("empty", [])
    record("one", _run(stream, {"as2d": 0.5}).events)
    store = RunStore(tmp_path)
    assert past_pace(store, "another computer", "whisper-base", {"as2d"}, CancelToken()) is None
    assert past_pace(store, "a computer", "whisper-small", {"as2d"}, CancelToken()) is None
    found = past_pace(store, "a computer", "whisper-base", {"as2d"}, CancelToken())
    assert found is not None
    assert found.preparations == 1


def test_only_so_many_newer_runs_are_read_as_tell_of_a_method(record: Recorded, tmp_path: Path) -> None:
    for day, seconds in ((1, 5.0), (2, 1.0)):
        events = _run(StreamMaker(), {"as2d": seconds}).events
        record(f"run{day}", events, created=f"2026-01-0{day}T00:00:00Z")
    found = past_pace(RunStore(tmp_path), "a computer", "whisper-base", {"as2d"}, CancelToken())
    assert found is not None
    assert found.of("as2d") == pytest.approx(0.1)  # the newer one's
