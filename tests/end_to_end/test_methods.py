"""Every method on real audio: the target's own tokens, and counters that add up."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from as2d.backend.audio import open_recording, write_wav
from as2d.backend.helper.child_channel import start_child_helper
from as2d.backend.helper.process import HelperProcess
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import helper_path
from as2d.backend.protocol import decode_events, events, ops
from as2d.backend.protocol.message import HelperEvent
from as2d.backend.protocol.trace_events import Traced
from as2d.backend.transcribe.methods import ALIGNING_METHODS, METHODS, TARGET_ONLY

CONDITIONS: tuple[ops.StartCondition, ...] = get_args(ops.StartCondition)
ADMISSIONS: tuple[ops.Admission, ...] = get_args(ops.Admission)


@dataclass
class Bench:
    """A helper with both models and the first window with speech of some recordings."""

    helper: HelperProcess
    heard: list[HelperEvent]
    windows: dict[str, Path]

    def preparation(
        self, name: str, window: str, condition: ops.StartCondition, language: str
    ) -> ops.Prepare:
        return ops.Prepare(
            window=name,
            target="t",
            drafter="d",
            audio=str(self.windows[window]),
            start_condition=condition,
            language=language,
            task="transcribe",
        )

    def prepare(self, name: str, window: str, condition: ops.StartCondition, language: str) -> None:
        self.helper.call(self.preparation(name, window, condition, language), events.Prepared)

    def request_op(self, window: str, **changes: Any) -> ops.Request:
        fields = {
            "request": f"{window}.{len(self.heard)}",
            "window": window,
            "method": "as2d",
            "budget": 4,
            "admission": "text",
            "task": "transcribe",
            "language": "en",
            "words": False,
            "audit": False,
            "producer_done": False,
        }
        return ops.Request.model_validate(fields | changes)

    def request(self, window: str, **changes: Any) -> decode_events.Result:
        return self.helper.call(self.request_op(window, **changes), decode_events.Result)

    def calls_of(self, result: decode_events.Result) -> list[decode_events.Call]:
        return [
            event
            for event in self.heard
            if isinstance(event, decode_events.Call)
            and event.request == result.request
            and event.kind != "guard"
        ]


@pytest.fixture(scope="module")
def bench(
    installed: dict[str, InstalledModel],
    clips: Path,
    tmp_path_factory: pytest.TempPathFactory,
    every_cpu: None,
) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("windows")
    windows = {}
    for name in ("cv_en_651325.mp3", "sonnet001.mp3", "BAC009S0764W0121.wav"):
        with open_recording(clips / name) as recording:
            windows[name] = folder / f"{name}.wav"
            write_wav(windows[name], next(recording.windows()).pcm)
    with start_child_helper(helper_path()) as helper:
        heard: list[HelperEvent] = []
        helper.subscribe(lambda _, event: heard.append(event))
        for name, role, model in (("t", "target", "whisper-base"), ("d", "drafter", "whisper-tiny.en")):
            path = str(installed[model].path)
            helper.call(
                ops.Load(model=name, path=path, role=role, threads=2, shared_threads=1, logit_gap=1e-3),
                events.Loaded,
            )
        yield Bench(helper, heard, windows)


def _check_counters(result: decode_events.Result, calls: list[decode_events.Call], budget: int) -> None:
    counters = result.counters
    assert counters.tokens == 1 + counters.calls + counters.accepted - counters.end_accepted
    assert counters.calls == len(calls)
    assert counters.accepted == sum(call.accepted for call in calls) <= counters.proposed
    assert counters.proposed == sum(len(call.candidates) for call in calls)
    assert counters.hits == sum(bool(call.candidates) for call in calls)
    pairs = zip(counters.accepted_by_position, counters.proposed_by_position, strict=True)
    assert all(accepted <= proposed for accepted, proposed in pairs)
    assert all(bool(call.candidates) == (call.reason == "candidates") for call in calls)
    assert max((len(call.candidates) for call in calls), default=0) <= budget


def test_the_helper_has_every_method(bench: Bench) -> None:
    assert set(bench.helper.hello.methods) == set(METHODS)


@pytest.mark.parametrize(
    ("recording", "budgets"), [("cv_en_651325.mp3", (0, 1, 4, 11)), ("sonnet001.mp3", (4,))]
)
def test_every_method_says_what_target_only_says(
    bench: Bench, recording: str, budgets: tuple[int, ...]
) -> None:
    for condition in CONDITIONS:
        window = f"{recording}.{condition}"
        bench.prepare(window, recording, condition, "en")
        alone = bench.request(window, method=TARGET_ONLY, budget=0)
        assert alone.stop == "end_of_text"
        for method, admission, budget in itertools.product(METHODS, ADMISSIONS, budgets):
            if admission == "root" and method not in ALIGNING_METHODS:
                continue
            result = bench.request(
                window,
                method=method,
                admission=admission,
                budget=budget,
                producer_done=condition == "pre-drafted",
            )
            what = f"{method} {condition} {admission} budget {budget}"
            assert (result.tokens, result.stop) == (alone.tokens, alone.stop), what
            _check_counters(result, bench.calls_of(result), budget if method != TARGET_ONLY else 0)
            # Beside the target a short answer may be there before the first drafts are.
            beside = method in ("as2d", "as2d-resync") and condition == "request-start"
            if method != TARGET_ONLY and budget == 4 and not beside:
                assert result.counters.accepted > 0, what
        bench.helper.call(ops.Release(window=window), events.Released)


def test_no_method_drafts_what_the_drafter_cannot_say(bench: Bench) -> None:
    bench.prepare("zh", "BAC009S0764W0121.wav", "request-start", "zh")
    alone = bench.request("zh", method=TARGET_ONLY, budget=0, language="zh")
    before = sum(isinstance(event, decode_events.Draft) for event in bench.heard)
    for method in METHODS:
        result = bench.request("zh", method=method, language="zh")
        assert result.tokens == alone.tokens
        assert result.counters.proposed == 0
    assert sum(isinstance(event, decode_events.Draft) for event in bench.heard) == before
    trace = bench.helper.call(ops.Trace(window="zh", language="zh", task="transcribe"), Traced)
    assert (trace.tokens[:-1], trace.own, trace.continuations) == (alone.tokens, (), ())
    bench.helper.call(ops.Release(window="zh"), events.Released)


def test_confidence_and_patience_change_the_work_and_not_the_text(bench: Bench) -> None:
    bench.prepare("settings", "sonnet001.mp3", "request-start", "en")
    alone = bench.request("settings", method=TARGET_ONLY, budget=0)
    careful, bold = (
        bench.request("settings", method="specasr", budget=11, confidence=confidence)
        for confidence in (0.95, 0.0)
    )
    assert careful.tokens == bold.tokens == alone.tokens
    assert careful.counters.proposed < bold.counters.proposed
    assert (careful.confidence, bold.confidence) == (pytest.approx(0.95), 0.0)
    for patience in (0, 3):
        result = bench.request("settings", method="as2d-resync", patience=patience)
        assert (result.tokens, result.patience) == (alone.tokens, patience)
    bench.helper.call(ops.Release(window="settings"), events.Released)


def test_drafters_catch_up_where_the_method_follows_the_answer(bench: Bench) -> None:
    for method, follows in (("sd", True), ("without-td", True), ("as2d", False), ("as2d-serial", False)):
        window = f"catch-up.{method}"
        bench.prepare(window, "sonnet001.mp3", "request-start", "en")
        before = len(bench.heard)
        bench.request(window, method=method, budget=7)
        drafts = [event for event in bench.heard[before:] if isinstance(event, decode_events.Draft)]
        assert drafts
        assert any(draft.width > 1 for draft in drafts[1:]) == follows, method
        bench.helper.call(ops.Release(window=window), events.Released)


@pytest.mark.parametrize("method", ["sd", "lookahead"])
def test_a_request_cancelled_while_the_drafter_is_busy_touches_nothing_of_it(
    bench: Bench, method: str, watch: Any
) -> None:
    window = f"busy.{method}"
    op = bench.request_op(window, request=window, method=method, producer_done=True)
    with watch.stopped(bench.helper.pid):  # it hears of all three before it has drafted anything
        prepared = bench.helper.send(bench.preparation(window, "sonnet001.mp3", "pre-drafted", "en"))
        pending = bench.helper.send(op)
        bench.helper.cancel(window)
    bench.helper.wait(prepared, events.Prepared)
    cancelled = bench.helper.wait(pending, decode_events.Result)
    assert (cancelled.stop, cancelled.tokens) == ("cancelled", ())
    after = bench.request(window, producer_done=True, audit=True)
    assert after.audit is not None
    assert (after.audit.differing, after.counters.accepted > 0) == (0, True)
    bench.helper.call(ops.Release(window=window), events.Released)
