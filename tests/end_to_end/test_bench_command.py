"""The command `as2d bench` as a program."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.bench.arms import ArmOptions, ArmThreads, make_arms
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.decoding import decodes_of_window
from as2d.backend.bench.drop_parts import PARTS
from as2d.backend.bench.service import BenchChoices, run_bench
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol.decode_events import Call, Result
from as2d.backend.protocol.host_events import RequestSent
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.methods import METHODS, parse_methods
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET


def test_a_benchmark_as_a_table_and_the_budget_it_keeps(as2d_alone: Any, clips: Path) -> None:
    done = as2d_alone.run(
        "bench", clips / "cv_en_651325.mp3", clips / "libri_198-209-0000.ogg", "--language", "en",
        "--budgets", "2", "--repeats", "1",
        "--start-conditions", "pre-drafted", "--drop-repeats", "1", "--format", "csv", "--save-budget",
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [(row["method"], row["budget"], row["max_k"]) for row in rows] == [
        ("target-only", "0", "1"),
        ("as2d", "2", "3"),
    ]
    assert [row["differing"] for row in rows] == ["0", "0"]
    assert all(float(row["tps"]) > 0 and float(row["drop_to_transcript_s"]) > 0 for row in rows)
    assert "Budget 2 is kept" in done.err
    arms = make_arms(
        parse_methods("target-only,as2d"),
        ArmOptions([2], ["text"], ["pre-drafted"], [ArmThreads(2, 1, 2, 1)]),
    )
    decodes = Counter(
        event.preparation.rpartition(".p")[0]
        for event in RunStore(as2d_alone.folder / "runs").find("last").events()
        if isinstance(event, RequestSent)
    )
    assert [decodes["a1.w1"], decodes["a2.w1"]] == [
        decodes_of_window(arms, 1, first=first) for first in (True, False)
    ]
    used = as2d_alone.run("transcribe", clips / "cv_en_651325.mp3", "--language", "en", "--format", "json")
    assert json.loads(used.out)["max_k"] == 3


def test_a_benchmark_of_every_method_with_an_a_a_arm(as2d: Any, clips: Path) -> None:
    done = as2d.run(
        "bench", clips / "cv_en_651325.mp3", "--language", "en", "--methods", f"{','.join(METHODS)},as2d:8",
        "--start-conditions", "request-start", "--repeats", "1", "--format", "jsonl", "--a-a",
        "--drafter-threads", "2",
    )  # fmt: skip
    assert done.code == 0, done.err
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert {row["method"] for row in rows} == set(METHODS)
    assert {row["differing"] for row in rows} == {0}
    assert [row["again"] for row in rows if row["method"] == "target-only"] == [False, True]
    assert [row["max_k"] for row in rows if row["method"] == "sd"] == [5, 6, 7, 8, None]
    assert [row["max_k"] for row in rows if row["method"] == "as2d"] == [5, 8]
    assert {row["drafter_threads"] for row in rows if row["method"] == "sd"} == {2}
    assert all(len(row["acceptance_by_third"]) == 3 for row in rows)
    shown = as2d.run("show", "last", "--width", "100")
    assert "hit rate" in shown.out
    assert "target-only,sd and 6 more" in as2d.run("runs").out


def test_a_cancelled_benchmark_ends_with_its_request_and_its_run_says_so(
    data_folder: Path, clips: Path, watch: Any
) -> None:
    children = watch.children_of(os.getpid())
    cancel = CancelToken()
    heard: list[RecordedEvent] = []

    def listen(event: RecordedEvent) -> None:
        heard.append(event)
        if isinstance(event, Call):
            cancel.cancel()

    arms = make_arms(
        parse_methods("target-only,as2d"),
        ArmOptions([4], ["text"], ["request-start"], [ArmThreads(2, 1, 2, 1)]),
    )
    recording = BenchRecording(clips / "sonnet001.mp3", "en", None, None)
    choices = BenchChoices(arms, [recording], 100, DEFAULT_TARGET, DEFAULT_DRAFTER)
    with pytest.raises(Cancelled):
        run_bench(choices, [listen], cancel)
    assert sum(isinstance(event, Result) for event in heard) <= 1
    assert RunStore(data_folder / "runs").find("last").manifest.status == "cancelled"
    assert set(watch.children_of(os.getpid())) <= set(children)


def test_times_of_single_calls(as2d: Any) -> None:
    calls = as2d.run(
        "bench", "calls", "--widths", "1,4", "--threads", "1,2", "--repeats", "3", "--format", "jsonl"
    )
    assert calls.code == 0, calls.err
    lines = [json.loads(line) for line in calls.out.splitlines()]
    assert [line["threads"] for line in lines] == [1, 2]
    assert all(line["K=4"] > 0 for line in lines)


def test_the_way_from_a_dropped_file_to_its_text_in_parts_that_add_up(as2d_alone: Any, clips: Path) -> None:
    clip = clips / "cv_en_651325.mp3"
    done = as2d_alone.run("bench", "drop", clip, "--repeats", "2", "--format", "jsonl")
    assert done.code == 0, done.err
    alone, drafting = [json.loads(line) for line in done.out.splitlines()]
    for row in (alone, drafting):
        parts = {name: row[f"{name}_s"] for name in PARTS}
        assert sum(parts.values()) == pytest.approx(row["whole_s"])
        # Nobody said the language; one clock tells all times, so that none is counted twice.
        assert min(parts.values()) >= 0
        assert {name for name, seconds in parts.items() if not seconds} <= {"load_drafter", "drafter"}
    assert (alone["method"], drafting["method"]) == ("target-only", "as2d")
    assert (alone["load_drafter_s"], drafting["load_drafter_s"] > 0) == (0, True)
    assert alone["tokens"] == drafting["tokens"]

    fold = RunStore(as2d_alone.folder / "runs").find("last").fold()
    drops = list(fold.recordings.values())
    assert [drop.status for drop in drops] == ["done"] * 6  # two arms, twice and a warm-up
    assert len({request.text for request in fold.requests.values()}) == 1
    # The same clock tells of every decode of an arm: what the row says is that of one of them.
    spent = [
        (request.result.times.end - request.result.times.first_token) / 1e9
        for request in fold.finished_requests()
        if request.result is not None and request.arm == drafting["arm"]
    ]
    assert any(drafting["decode_s"] == pytest.approx(seconds) for seconds in spent)
    assert len(spent) == 2


def test_a_drop_of_a_broken_file_is_told_and_the_others_are_timed(
    as2d: Any, clips: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.mp3"
    broken.write_text("not a recording", encoding="utf-8")
    done = as2d.run(
        "bench", "drop", broken, clips / "cv_en_651325.mp3", "--methods", "target-only", "--repeats", "1",
        "--format", "jsonl",
    )  # fmt: skip
    assert done.code == 1
    assert "broken.mp3" in done.err
    (row,) = [json.loads(line) for line in done.out.splitlines()]
    assert row["recordings"] == 1
    assert row["tokens"] > 0
