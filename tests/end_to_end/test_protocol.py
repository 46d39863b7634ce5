"""Every message of the protocol, exchanged with the real helper."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.end_to_end.helper_talk import Heard, prepare, request

from as2d.backend.audio import open_recording, write_wav
from as2d.backend.helper.child_channel import start_child_helper
from as2d.backend.helper.endings import HelperRefused
from as2d.backend.helper.process import HelperProcess
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import helper_path
from as2d.backend.protocol import decode_events, events, ops, trace_events
from as2d.backend.transcribe.methods import METHODS

Pcm = NDArray[np.int16]

DRAFTING = METHODS[1:]


@pytest.fixture(scope="module")
def pcm(clips: Path) -> Pcm:
    with open_recording(clips / "cv_en_651325.mp3") as recording:
        return next(recording.windows()).pcm


@pytest.fixture(scope="module")
def wav(pcm: Pcm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wav") / "clip.wav"
    write_wav(path, pcm)
    return path


@pytest.fixture(scope="module")
def heard() -> Heard:
    return Heard()


def _load(model: InstalledModel, role: ops.Role, name: str) -> ops.Load:
    return ops.Load(model=name, path=str(model.path), role=role, threads=2, shared_threads=1, logit_gap=1e-3)


@pytest.fixture(scope="module")
def helper(installed: dict[str, InstalledModel], heard: Heard) -> Iterator[HelperProcess]:
    with start_child_helper(helper_path()) as running:
        running.subscribe(heard)
        loaded = running.call(_load(installed["whisper-base"], "target", "t"), events.Loaded)
        assert (loaded.name, loaded.threads, loaded.shared_threads) == ("whisper-base", 2, 1)
        assert loaded.arithmetic["memory"] == "normal"
        drafter = running.call(_load(installed["whisper-tiny.en"], "drafter", "d"), events.Loaded)
        assert drafter.arithmetic["memory"] == "low"
        yield running


def test_a_window_from_its_samples_to_its_words(helper: HelperProcess, heard: Heard, pcm: Pcm) -> None:
    pending = helper.send(prepare("w1", language=None))
    for first in range(0, len(pcm), 16000):
        block = base64.b64encode(pcm[first : first + 16000].tobytes()).decode()
        helper.post(ops.Append(window="w1", pcm=block, last=first + 16000 >= len(pcm)))
    prepared = helper.wait(pending, events.Prepared)
    assert prepared.seconds == pytest.approx(len(pcm) / 16000)
    assert [event.language for event in heard.of(events.Language)] == ["en"]
    result = helper.call(request("w1", "r1", language=None), decode_events.Result)
    helper.call(ops.Release(window="w1"), events.Released)

    assert result.stop == "end_of_text"
    assert result.audit is not None
    assert (result.audit.differing, result.audit.tokens) == (0, result.counters.tokens)
    assert {stage.stage for stage in heard.of(decode_events.Stage)} == {
        "encoder",
        "cross",
        "language",
        "prefill",
    }
    commits = heard.of(decode_events.Commit, "r1")
    assert [token for commit in commits for token in commit.tokens][: len(result.tokens)] == list(
        result.tokens
    )
    assert "".join(commit.text for commit in commits) == result.text
    (words,) = heard.of(decode_events.Words, "r1")
    assert "".join(word.text for word in words.words) == result.text
    assert all(0 <= word.start <= word.end <= prepared.seconds for word in words.words)
    published = [token for event in heard.of(decode_events.Publish) for token in event.tokens]
    assert len(published) == heard.of(decode_events.Publish)[-1].length
    assert heard.of(decode_events.Draft)[-1].end_of_text


def test_counters_are_those_of_the_calls(helper: HelperProcess, heard: Heard, wav: Path) -> None:
    helper.call(prepare("w2", audio=str(wav)), events.Prepared)
    counters = helper.call(request("w2", "r2"), decode_events.Result).counters
    calls = heard.of(decode_events.Call, "r2")
    plain = [call for call in calls if call.kind != "guard"]
    assert (counters.calls, counters.guard_calls) == (len(plain), len(calls) - len(plain))
    assert counters.accepted == sum(call.accepted for call in plain) > 0
    assert counters.tokens == 1 + counters.calls + counters.accepted - counters.end_accepted
    assert counters.hits == sum(bool(call.candidates) for call in plain)
    for call in plain:
        assert call.k == len(call.candidates) + 1 == len(call.choices) == len(call.margins)
        assert call.candidates[: call.accepted] == call.choices[: call.accepted]
        assert call.start <= call.end
    helper.call(ops.Release(window="w2"), events.Released)


def test_a_kept_window_serves_any_number_of_requests(helper: HelperProcess, wav: Path) -> None:
    helper.call(prepare("w3", audio=str(wav), start_condition="request-start"), events.Prepared)
    results = [
        helper.call(request("w3", f"r3.{number}", producer_done=False, **changes), decode_events.Result)
        for number, changes in enumerate(
            [{}, {"method": "target-only", "budget": 0}, {"admission": "root", "budget": 7}, {"budget": 0}]
        )
    ]
    assert {result.tokens for result in results} == {results[0].tokens}
    assert results[1].counters.proposed == 0
    helper.call(ops.Release(window="w3"), events.Released)


@pytest.mark.parametrize("method", ["sd", "lookahead", "as2d-resync"])
def test_a_request_before_the_pre_draft_has_ended_takes_what_is_there(
    helper: HelperProcess, wav: Path, method: str
) -> None:
    pending = [
        helper.send(prepare("w10", audio=str(wav))),
        helper.send(request("w10", "r20", method=method, producer_done=False)),
        helper.send(request("w10", "r21", method="as2d")),
    ]
    helper.wait(pending[0], events.Prepared)
    first, second = (helper.wait(request, decode_events.Result) for request in pending[1:])
    helper.call(ops.Release(window="w10"), events.Released)
    assert first.audit is not None
    assert first.audit.differing == 0
    assert second.tokens == first.tokens
    assert second.counters.accepted > 0


def test_a_trace_holds_the_answer_and_what_the_drafter_says_after_each_beginning(
    helper: HelperProcess, wav: Path
) -> None:
    helper.call(prepare("w11", audio=str(wav), start_condition="request-start"), events.Prepared)
    alone = helper.call(request("w11", "r22", method="target-only", budget=0), decode_events.Result)
    trace = helper.call(ops.Trace(window="w11", language="en", task="transcribe"), trace_events.Traced)
    assert trace.tokens[:-1] == alone.tokens
    assert (trace.tokens[-1], trace.stop) == (trace.end_token, "end_of_text")
    assert len(trace.margins) == len(trace.tokens)
    assert trace.own[-1][3]
    after = [continuation.after for continuation in trace.continuations]
    assert after == sorted(set(after))
    assert all(continuation.pieces[-1][3] for continuation in trace.continuations)
    assert min(trace.prefill_ms, trace.call_ms, trace.encoder.target_ms, trace.encoder.drafter_ms) > 0
    with pytest.raises(HelperRefused, match="was not prepared"):
        helper.call(ops.Trace(window="w11", language="de", task="transcribe"), trace_events.Traced)
    helper.call(ops.Release(window="w11"), events.Released)


def test_a_cancelled_request_says_so_and_the_window_lives_on(
    helper: HelperProcess, wav: Path, watch: Any
) -> None:
    helper.call(prepare("w4", audio=str(wav)), events.Prepared)
    with watch.stopped(helper.pid):  # it hears of all three before it has done any
        first = helper.send(request("w4", "r4", method="target-only", budget=0))
        second = helper.send(request("w4", "r5", method="target-only", budget=0))
        helper.cancel("r5")
    assert helper.wait(first, decode_events.Result).stop == "end_of_text"
    assert helper.wait(second, decode_events.Result).stop == "cancelled"
    assert helper.call(request("w4", "r6"), decode_events.Result).stop == "end_of_text"
    helper.call(ops.Release(window="w4"), events.Released)


def test_a_draft_that_one_request_ended_is_there_again_for_the_next(helper: HelperProcess, wav: Path) -> None:
    # The first request ends the producer wherever it is.
    pending = [
        helper.send(prepare("w7", audio=str(wav), language=None)),
        helper.send(request("w7", "r10", method="target-only", budget=0, language=None)),
        helper.send(request("w7", "r11", language=None)),
    ]
    helper.wait(pending[0], events.Prepared)
    alone = helper.wait(pending[1], decode_events.Result)
    drafted = helper.wait(pending[2], decode_events.Result)
    helper.call(ops.Release(window="w7"), events.Released)
    assert drafted.tokens == alone.tokens
    assert drafted.counters.accepted > 0


def test_times_of_calls_and_the_self_test(helper: HelperProcess, wav: Path) -> None:
    measured = helper.call(
        ops.MeasureCalls(model="t", widths=(1, 3), context=20, threads=2, repeats=3), events.MeasuredCalls
    )
    assert [(row.k, len(row.ms)) for row in measured.rows] == [(1, 3), (3, 3)]
    assert all(ms > 0 for row in measured.rows for ms in row.ms)
    drafter = helper.call(
        ops.MeasureDrafter(model="d", widths=(1, 4), context=8, threads=1, repeats=3), events.MeasuredDrafter
    )
    assert [(row.k, len(row.ms)) for row in drafter.rows] == [(1, 3), (4, 3)]
    for model in ("t", "d"):
        encoder = helper.call(
            ops.MeasureEncoder(model=model, seconds=2, threads=1, repeats=2), events.MeasuredEncoder
        )
        assert len(encoder.ms) == len(encoder.cross_ms) == 2
        assert min(encoder.ms) > 0
    both = helper.call(
        ops.MeasureInterference(target="t", drafter="d", k=3, context=8, repeats=3),
        events.MeasuredInterference,
    )
    assert len(both.target_alone_ms) == len(both.target_beside_ms) == len(both.drafter_alone_ms) == 3
    assert both.drafter_beside_ms
    by_turns = ops.MeasureTurns(
        target="t", drafter="d", widths=(5, 1), step_widths=(3, 1), context=8, seconds=2, repeats=3
    )
    turns = helper.call(by_turns, events.MeasuredTurns).turns
    assert [(turn.k, turn.width) for turn in turns] == [(5, 3), (1, 1)]
    for times in (times for turn in turns for times in (turn.call_ms, *turn.steps_ms)):
        assert (len(times), min(times) > 0) == (3, True)
    tested = helper.call(ops.SelfTest(model="t", audio=str(wav), language="en"), events.SelfTested)
    assert tested.positions > 0
    assert 0 <= tested.logit_gap < 0.01


def test_another_task_or_language_spends_nothing_on_drafting(
    helper: HelperProcess, heard: Heard, wav: Path
) -> None:
    before = len(heard.of(decode_events.Draft))
    helper.call(prepare("w5", audio=str(wav), language="de"), events.Prepared)
    result = helper.call(request("w5", "r7", language="de", audit=False), decode_events.Result)
    helper.call(ops.Release(window="w5"), events.Released)
    assert (result.counters.proposed, len(heard.of(decode_events.Draft))) == (0, before)
    assert {call.reason for call in heard.of(decode_events.Call, "r7")} == {"producer-none"}


def test_drafting_begins_before_the_language_is_detected_and_is_dropped_where_it_was_another(
    helper: HelperProcess, heard: Heard, wav: Path, clips: Path, tmp_path: Path
) -> None:
    helper.call(prepare("w12", audio=str(wav), language=None), events.Prepared)
    english = helper.call(request("w12", "r30", language=None), decode_events.Result)
    stages = [stage for stage in heard.of(decode_events.Stage) if stage.window == "w12"]
    drafting = next(stage for stage in stages if stage.actor == "drafter")
    assert drafting.start < next(stage for stage in stages if stage.stage == "language").start
    helper.call(ops.Release(window="w12"), events.Released)
    assert english.counters.accepted > 0
    assert english.audit is not None
    assert english.audit.differing == 0

    with open_recording(clips / "BAC009S0764W0121.wav") as recording:
        write_wav(tmp_path / "chinese.wav", next(recording.windows()).pcm)
    helper.call(prepare("w13", audio=str(tmp_path / "chinese.wav"), language=None), events.Prepared)
    chinese = helper.call(request("w13", "r31", language=None), decode_events.Result)
    helper.call(ops.Release(window="w13"), events.Released)
    assert (chinese.language, chinese.counters.proposed) == ("zh", 0)
    assert {call.reason for call in heard.of(decode_events.Call, "r31")} == {"producer-none"}
    assert chinese.audit is not None
    assert chinese.audit.differing == 0


@pytest.mark.parametrize(
    "op",
    [
        ops.MeasureCalls(model="t", widths=(1,), context=8, threads=7, repeats=1),
        ops.MeasureDrafter(model="t", widths=(1,), context=8, threads=1, repeats=1),
        ops.MeasureEncoder(model="nobody", seconds=1, threads=1, repeats=1),
        ops.MeasureInterference(target="d", drafter="d", k=1, context=8, repeats=1),
        ops.Trace(window="w9", language="en", task="transcribe"),
        prepare("w9", target="nobody", audio="x.wav"),
        prepare("w9", audio="no such file.wav"),
        request("w9", "r9"),
        request("w9", "r9", method="magic"),
        ops.Unload(model="nobody"),
        ops.Load(model="x", path="no such folder", role="target", threads=1, shared_threads=1),
        ops.Append(window="w9", pcm="AAAA", last=True),
    ],
    ids=lambda op: op.op,
)
def test_what_cannot_be_done_is_refused_and_the_helper_goes_on(
    helper: HelperProcess, op: ops.Operation
) -> None:
    with pytest.raises(HelperRefused) as refused:
        helper.call(op, events.Pong, seconds=30)
    assert refused.value.message
    helper.call(ops.Ping(), events.Pong, seconds=30)


def test_a_line_that_is_no_op_is_answered_with_an_error(helper: HelperProcess, heard: Heard) -> None:
    class Strange(ops.Operation):
        op: str = "ping"
        colour: str = "blue"

    with pytest.raises(HelperRefused, match="colour"):
        helper.call(Strange(), events.Pong, seconds=30)
    before = len(heard.of(events.Failed))
    helper._write(b'{"op": nonsense\n\xff\xfe\n[]\n')
    helper.call(ops.Ping(), events.Pong, seconds=30)
    assert len(heard.of(events.Failed)) == before + 3


def test_a_drafter_that_fails_leaves_a_target_only_run_with_a_warning(
    helper: HelperProcess, heard: Heard, wav: Path, installed: dict[str, InstalledModel], tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(installed["whisper-tiny.en"].path, broken)
    # The encoder of a wider model: it loads, and fails when it is asked.
    for name in ("encoder.mnn", "model.json"):
        (broken / name).unlink()
    shutil.copyfile(installed["whisper-base"].path / "encoder.mnn", broken / "encoder.mnn")
    manifest = json.loads((installed["whisper-tiny.en"].path / "model.json").read_text())
    manifest["files"]["encoder"]["size"] = (broken / "encoder.mnn").stat().st_size
    (broken / "model.json").write_text(json.dumps(manifest))
    helper.call(
        ops.Load(model="broken", path=str(broken), role="drafter", threads=1, shared_threads=1), events.Loaded
    )
    helper.call(prepare("w6", drafter="broken", audio=str(wav)), events.Prepared)
    for number, method in enumerate(DRAFTING):
        result = helper.call(request("w6", f"r8.{number}", method=method), decode_events.Result)
        assert result.stop == "end_of_text"
        assert result.counters.proposed == 0
    assert heard.of(events.Warned)
    helper.call(ops.Release(window="w6"), events.Released)
    helper.call(ops.Unload(model="broken"), events.Unloaded)


def test_every_event_of_the_protocol_was_heard(helper: HelperProcess, heard: Heard) -> None:
    helper.call(ops.Ping(), events.Pong)
    members = set(get_args(get_args(events.HelperEvents)[0]))
    kinds = {type(event) for event in heard.events}
    # `hello` came before anyone could listen, `bye` comes last.
    assert members - kinds == {events.Hello, events.Bye}
    assert helper.hello.methods == METHODS
    numbers = [event.seq for event in heard.events]
    assert numbers == sorted(set(numbers))
