"""Judgements say what can be worked out by hand."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.compare.judging.judge import judge
from as2d.backend.compare.judging.judgement import Judgement, Side
from as2d.backend.compare.reports.markdown import markdown_page, output_lines, verdict
from as2d.backend.compare.reports.rows import page_rows, window_rows
from as2d.backend.errors import WrongUse
from as2d.backend.metrics.measures import measure
from as2d.backend.models.progress import Cancelled
from as2d.backend.runs.manifest import ComparisonUsed, ModelUsed, RecordingUsed, ReplayUsed
from as2d.backend.runs.store import RunStore, StoredRun

ALONE = "target-only (2 threads)"


def _copy(repository: Path, folder: Path, change: Any) -> StoredRun:
    """The recorded run with changed events and settings."""
    shutil.copytree(repository / "tests/data/runs/three-recordings", folder)
    stream = folder / "events.jsonl.gz"
    events = [json.loads(line) for line in gzip.decompress(stream.read_bytes()).splitlines()]
    manifest = json.loads((folder / "manifest.json").read_text())
    change(events, manifest)
    stream.write_bytes(gzip.compress(b"".join(json.dumps(event).encode() + b"\n" for event in events)))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return RunStore(folder.parent).find(str(folder))


def _unchanged(events: list[dict[str, Any]], manifest: dict[str, Any]) -> None:
    """As it was recorded."""


@pytest.fixture
def original(repository: Path, tmp_path: Path) -> StoredRun:
    return _copy(repository, tmp_path / "one", _unchanged)


def _twice_as_slow(events: list[dict[str, Any]], manifest: dict[str, Any]) -> None:
    manifest["settings"]["budget"] = 7
    manifest["versions"]["mnn"] = "3.7.0"
    for event in events:
        if event.get("event") == "result":
            times = event["times"]
            times["end"] = times["first_token"] + 2 * (times["end"] - times["first_token"])
            if event["request"].startswith("a2.w1"):
                event["tokens"][3] = 1
                event["text"] = " another text"


def test_what_differs_comes_first_then_the_numbers(
    original: StoredRun, repository: Path, tmp_path: Path
) -> None:
    slow = _copy(repository, tmp_path / "two", _twice_as_slow)
    judged = judge([original, slow])
    assert {(item.what, item.values) for item in judged.differences} == {
        ("settings budget", ("4", "7")),
        ("versions mnn", ("3.6.1", "3.7.0")),
    }
    first, second = judged.sides
    measures = measure(original.fold().finished_requests())
    for name in ("tps", "acceptance", "calls", "extra", "tokens_per_call", "hit_rate", "guard_calls"):
        assert getattr(first, name) == getattr(measures, name)
    assert measures.response_s is not None
    assert first.response_ms == pytest.approx(1000 * measures.response_s)
    assert first.acceptance_by_position == measures.acceptance_by_position
    assert first.first is None
    paired = second.first
    assert paired is not None
    assert (paired.speed_up, paired.low, paired.high) == (pytest.approx(0.5),) * 3
    assert second.tps == pytest.approx((first.tps or 0) / 2)
    assert (paired.windows, second.windows, paired.slower_share) == (4, 4, 1.0)
    assert second.identical is False
    assert second.difference is not None
    assert (second.difference.recording, second.difference.position) == ("sonnet001.mp3", 3)
    assert second.difference.text == " another text"
    assert second.difference.reference.startswith(" 1. From fairest")
    assert second.difference.reference_margin == pytest.approx(_margin_in_the_stream(original, 3), rel=1e-6)
    assert (second.differing, judged.identical) == (1, False)
    page = markdown_page(judged)
    assert (
        page.index("versions mnn (3.6.1, 3.7.0)")
        < page.index("The outputs of 1 side differ")
        < page.index("0.50")
    )


def _margin_in_the_stream(run: StoredRun, position: int) -> float:
    """How far the two best logits of a token of sonnet001.mp3's first window lay apart."""
    fold = run.fold(details=True)
    request = next(r for r in fold.requests.values() if r.request.startswith("a2.w1"))
    committed, found = 1, float("nan")
    for call in request.calls:
        if committed <= position < committed + len(call.margins):
            found = call.margins[position - committed]
        committed += call.accepted + 1
    return found


def test_the_same_run_twice_is_identical(original: StoredRun) -> None:
    judged = judge([original, original])
    assert judged.differences == ()
    assert judged.sides[1].identical is True
    assert judged.sides[1].first is not None
    assert judged.sides[1].first.speed_up == 1.0
    with pytest.raises(WrongUse, match="two runs"):
        judge([original])
    with pytest.raises(Cancelled):
        judge([original, original], lambda: True)


def _events(stream: Any, call: Any, repeats: int = 2) -> list[Any]:
    """Two recordings of one window each, decoded by every arm in the milliseconds that stand here."""
    speeds = {
        # ms of the whole decode in the first and in the second recording
        (ALONE, "target-only"): (40, 40),
        ("target-only again (2 threads)", "target-only"): (40, 44),
        ("sd budget 4 request-start (2 threads)", "sd"): (20, 80),
        ("sd budget 5 request-start (2 threads)", "sd"): (25, 80),
        ("sd budget 6 request-start (2 threads)", "sd"): (40, 80),
        ("sd budget 7 request-start (2 threads)", "sd"): (50, 80),
        ("specasr budget 4 request-start (2 threads)", "specasr"): (32, 160),
        ("as2d budget 4 text request-start (2 threads)", "as2d"): (16, 50),
    }
    for number, name in enumerate(("a1", "a2")):
        stream.recording(name, f"/data/{name}/audio.wav")
        preparation = stream.prepare(stream.window(name, 0, 0.0, 8.0))
        for repeat in range(repeats):
            for (label, method), ms in speeds.items():
                alone = method == "target-only"
                calls = [call(0, 0, ms[number] / 4)] * 4 if alone else [call(4, 3, ms[number])]
                stream.request(preparation, calls, " it is so", arm=label, method=method, repeat=repeat)
        stream.done(name, 8.0)
    return list(stream.events)


RECORDINGS = (
    RecordingUsed(
        recording="a1", audio="/data/a1/audio.wav", corpus="easy", reference="It is so!", language="en"
    ),
    RecordingUsed(
        recording="a2", audio="/data/a2/audio.wav", corpus="hard", reference="It was so.", language="en"
    ),
)


def _by_arm(judged: Judgement) -> dict[str, Side]:
    return {side.arm.partition(" (")[0]: side for side in judged.sides}


def test_a_comparison_by_hand(stream: Any, call: Any, record: Any, planned: Any) -> None:
    events = _events(stream, call)
    labels = dict.fromkeys(e.arm for e in events if getattr(e, "host", "") == "request_sent")
    arms = tuple(
        planned(
            label,
            label.split()[0],
            budget=int(label.split()[2]) if "budget" in label else 0,
            again="again" in label,
        )
        for label in labels
    )
    judged = judge([record("20260101-000000-aaaa", events, arms=arms, recordings=RECORDINGS)])
    sides = _by_arm(judged)
    assert [window.recording for window in judged.windows] == ["a1/audio.wav", "a2/audio.wav"]
    # 4 tokens after the first a decode: 16 in 4 x 40 ms.
    assert sides["target-only"].tps == pytest.approx(100.0)
    assert (sides["target-only"].tokens, sides["target-only"].calls, sides["target-only"].windows) == (
        20,
        16,
        2,
    )
    # A/A: 160 ms against 168 ms; one window as fast, one at 40/44.
    noise = sides["target-only again"].alone
    assert noise is not None
    assert (noise.slower, noise.faster) == (1, 0)
    assert noise.speed_up == pytest.approx((1 + 40 / 44) / 2)
    assert noise.gain == pytest.approx(160 / 168 - 1)
    # sd: the mean of 16 tokens in 200, 210, 240 and 260 ms; by window the mean of the four speeds.
    mean = sides["sd mean of K = 5, 6, 7, 8 request-start"]
    pooled = [16 / seconds for seconds in (0.200, 0.210, 0.240, 0.260)]
    assert mean.tps == pytest.approx(sum(pooled) / 4)
    assert (mean.tps_low, mean.tps_high) == (pytest.approx(pooled[3]), pytest.approx(pooled[0]))
    easy = (4 / 0.020 + 4 / 0.025 + 4 / 0.040 + 4 / 0.050) / 4
    assert mean.figures.tps == (pytest.approx(easy), pytest.approx(50.0))
    assert mean.alone is not None
    assert mean.alone.speed_up == pytest.approx((easy / 100 + 0.5) / 2)
    assert (mean.alone.slower, mean.alone.loss_max) == (1, pytest.approx(0.5))
    assert [judged.sides[member].max_k for member in mean.members] == [5, 6, 7, 8]
    # as2d: 40/16 and 40/50 as fast.
    drafted = sides["as2d budget 4 text request-start"]
    assert drafted.alone is not None
    assert drafted.alone.speed_up == pytest.approx((2.5 + 0.8) / 2)
    assert (drafted.alone.low, drafted.alone.high) == (pytest.approx(0.8), pytest.approx(2.5))
    assert (drafted.alone.slower, drafted.alone.loss_median) == (1, pytest.approx(0.2))
    assert (drafted.acceptance, drafted.tokens_per_call, drafted.hit_rate) == (0.75, 4.0, 1.0)
    assert drafted.acceptance_by_position == (1.0, 1.0, 1.0, 0.0)
    assert drafted.response_ms == pytest.approx(20 + (16 + 50) / 2)
    assert drafted.first_token_ms == pytest.approx(20.0)
    assert drafted.drop_ms == pytest.approx(700 + 20 + (16 + 50) / 2)
    assert (drafted.identical, drafted.compared, drafted.differing) == (True, 16, 0)
    # By corpus: on the easy one the best baseline is sd, on the hard one target-only, as in all.
    (table,) = judged.tables
    assert (table.columns, table.windows) == (("easy", "hard", "all"), (1, 1, 2))
    assert [judged.sides[best or 0].method for best in table.best] == ["sd", "target-only", "target-only"]
    row = next(row for row in table.rows if judged.sides[row.side] is drafted)
    assert row.tps == (pytest.approx(250.0), pytest.approx(80.0), pytest.approx(8 / 0.066))
    assert [gain.over_alone for gain in row.gains] == [
        pytest.approx(1.5), pytest.approx(-0.2), pytest.approx(80 / 66 - 1)
    ]  # fmt: skip
    assert row.gains[0].over_best == pytest.approx(250 / easy - 1)
    # The oracle takes as2d's easy window and target-only's hard one.
    assert table.oracle[2] == pytest.approx(8 / (0.016 + 0.040))
    assert [(regime.kind, regime.name) for regime in judged.regimes] == [
        ("corpus", "easy"),
        ("corpus", "hard"),
    ]
    # 'it is so' against 'It is so!' and 'It was so.': one of six words.
    assert drafted.wer is not None
    assert (drafted.wer.errors, drafted.wer.length, drafted.wer.recordings) == (1, 6, 2)
    assert verdict(judged).startswith("All outputs are identical: 0 of ")
    assert page_rows(judged)[0]["speed-up"] == "reference"
    assert len(list(window_rows(judged))) == 2 * 8


def test_sessions_of_a_plan_are_one_and_what_was_done_twice_counts_once(
    stream: Any, call: Any, record: Any
) -> None:
    plan = ComparisonUsed(name="night", plan="d" * 64)
    events = _events(stream, call)
    half = next(n for n, event in enumerate(events) if getattr(event, "recording", "") == "a2")
    made = {"recordings": RECORDINGS, "comparison": plan}
    whole = judge([record("20260101-000000-aaaa", events, **made)])
    # The second session repeats what the first one had not noted, and goes on; the first was killed.
    killed = record("20260101-000001-bbbb", events[:half], **made | {"status": "running"})
    again = record("20260101-000002-cccc", events, **made)
    sessions = judge([killed, again])
    assert sessions.names == ("night",)
    assert [side.model_copy(update={"run": "", "runs": ()}) for side in sessions.sides] == [
        side.model_copy(update={"run": "", "runs": ()}) for side in whole.sides
    ]
    assert sessions.sides[0].runs == (killed.manifest.run, again.manifest.run)


def test_comparisons_by_the_same_plan_are_held_against_each_other(
    stream: Any, call: Any, record: Any
) -> None:
    events = _events(stream, call)
    runs = [
        record(
            f"20260101-00000{number}-aaaa",
            events,
            recordings=RECORDINGS,
            comparison=ComparisonUsed(name="build", plan="d" * 64, comparison=str(number)),
        )
        for number in range(2)
    ]
    judged = judge(runs)
    both = [side.run for side in judged.sides]
    assert both == [run.manifest.run for run in runs for _ in range(len(both) // 2)]
    assert {side.windows for side in judged.sides} == {judged.sides[0].windows}


def test_cost_profiles_of_one_computer_are_places_of_their_own(stream: Any, call: Any, record: Any) -> None:
    events = _events(stream, call)
    runs = [
        record(
            f"20260101-00000{number}-aaaa",
            events,
            recordings=RECORDINGS,
            comparison=ComparisonUsed(name="build", plan="d" * 64, comparison="c"),
            replayed=ReplayUsed(device="a computer", measured=f"2026-01-01T00:00:0{number}Z"),
        )
        for number in range(2)
    ]
    judged = judge(runs)
    assert {side.run for side in judged.sides} == {run.manifest.run for run in runs}


def test_devices_and_targets_have_baselines_of_their_own(stream: Any, call: Any, record: Any) -> None:
    plan = ComparisonUsed(name="two", plan="d" * 64)
    events = _events(stream, call, repeats=1)
    here = record("20260101-000000-aaaa", events, recordings=RECORDINGS, comparison=plan)
    phone = here.manifest.device.model_copy(update={"name": "a phone", "kind": "phone"})
    there = record(
        "20260101-000001-bbbb", events, recordings=RECORDINGS, comparison=plan, device=phone,
        target=ModelUsed(name="another", digest="9" * 64),
    )  # fmt: skip
    judged = judge([here, there])
    assert judged.names == ("two, a computer, whisper-base", "two, a phone, another")
    assert ("target name", ("whisper-base", "another")) in [
        (item.what, item.values) for item in judged.differences
    ]
    half = len(judged.sides) // 2
    assert {side.alone.reference for side in judged.sides[1:half] if side.alone} == {0}
    assert {side.alone.reference for side in judged.sides[half + 1 :] if side.alone} == {half}
    assert [(table.device, table.target) for table in judged.tables] == [
        ("a computer", "whisper-base"), ("a phone", "another")
    ]  # fmt: skip
    # Tokens of another target are others: its text is held against the first one's.
    assert (judged.sides[half].identical, judged.sides[half].compared) == (True, 0)


def test_runs_that_cannot_be_paired_or_are_incomplete_are_told(
    stream: Any, call: Any, record: Any, original: StoredRun
) -> None:
    preparation = (stream.recording("a1", "other.wav"), stream.prepare(stream.window("a1", 0, 0.0, 8.0)))[1]
    stream.request(preparation, [call(0, 0, 10)] * 4, " it is so", method="target-only")
    other = record("20260101-000000-aaaa", stream.events)
    cut = other.folder / "events.jsonl.gz"
    cut.write_bytes(cut.read_bytes()[:-9])
    judged = judge([original, other])
    assert any("20260101-000000-aaaa is incomplete" in note for note in judged.notes)
    assert judged.identical is None
    assert (judged.sides[1].first, judged.sides[1].identical) == (None, None)
    assert "no window that" in output_lines(judged)[0]
    assert "nothing to hold against each other" in markdown_page(judged)
