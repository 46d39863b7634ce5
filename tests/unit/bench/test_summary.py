"""Benchmark tables follow the conventions."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.bench.arms import Arm, ArmOptions, ArmThreads, grouped, make_arms, rounds
from as2d.backend.bench.corpus import gather
from as2d.backend.bench.decodes import unsteady_arms
from as2d.backend.bench.peer import PeerTimes
from as2d.backend.bench.rows import page_rows
from as2d.backend.bench.summary import ArmSummary, best_budget, summarise
from as2d.backend.bench.tables import render_rows
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.metrics.fold import RunFold
from as2d.backend.transcribe.methods import parse_methods

THREADS = ArmThreads(2, 1)
ALONE = Arm("target-only", 0, "text", "request-start", THREADS)
AS2D = Arm("as2d", 4, "text", "pre-drafted", THREADS)
AS2D_AT_REQUEST = Arm("as2d", 4, "text", "request-start", THREADS)


@pytest.fixture
def requests(stream: Any, call: Any) -> list[Any]:
    """Two windows, two repeats: as2d halves the first window's time and doubles the second's."""
    stream.recording("a1", "talk.wav")
    for index in range(2):
        window = stream.window("a1", index, index * 10.0, index * 10.0 + 10.0)
        alone, drafted = stream.prepare(window, 1), stream.prepare(window, 2)
        for repeat in range(2):
            scalar = [call(0, 0, 10)] * 4
            wide = [call(4, 3, 20)] if index == 0 else [call(4, 3, 80)]
            tokens = [1, 2, 3, 4] if (index, repeat) != (1, 1) else [1, 2, 9]
            stream.request(alone, scalar, " x", tokens=[1, 2, 3, 4], arm=ALONE.label, repeat=repeat)
            stream.request(drafted, wide, " x", tokens=tokens, arm=AS2D.label, repeat=repeat)
    return list(RunFold.of(stream.events).finished_requests())


def test_an_arm_is_held_against_target_only(requests: list[Any]) -> None:
    alone, drafted = summarise([ALONE, AS2D], requests, {AS2D.label: 3.5})
    assert (alone.windows, alone.repeats, alone.speed_up, alone.differing) == (2, 2, 1.0, 0)
    assert alone.tps == pytest.approx(100.0)
    # Pooled: 16 tokens after the first in 200 ms; by window: twice and half as fast.
    assert drafted.tps == pytest.approx(16 / 0.200)
    assert drafted.speed_up == pytest.approx(0.8)
    assert drafted.change_median == pytest.approx((1.0 - 0.5) / 2)
    assert (drafted.slower_windows, drafted.slower_share) == (1, 0.5)
    assert (drafted.loss_median, drafted.loss_max) == (pytest.approx(0.5), pytest.approx(0.5))
    assert drafted.extra == drafted.accepted == 12
    assert drafted.differing == 2
    assert (alone.drop_to_transcript_s, drafted.drop_to_transcript_s) == (None, 3.5)
    assert best_budget([alone, drafted]) == drafted


def test_tables_hold_the_same_rows_in_each_form(requests: list[Any]) -> None:
    rows = [summary.model_dump(mode="json") for summary in summarise([ALONE, AS2D], requests, {})]
    lines = [json.loads(line) for line in render_rows(rows, "jsonl").splitlines()]
    assert lines == rows
    read = list(csv.DictReader(io.StringIO(render_rows(rows, "csv"))))
    assert [row["arm"] for row in read] == [ALONE.label, AS2D.label]
    markdown = render_rows(rows, "md").splitlines()
    assert len({line.count("|") for line in markdown}) == 1
    assert len(markdown) == 4


def test_a_table_for_readers_has_the_columns_that_tell_its_rows_apart(requests: list[Any]) -> None:
    summaries = summarise([ALONE, AS2D], requests, {})
    (alone, drafted) = page_rows(summaries)
    assert list(alone) == list(drafted) == [
        "method", "max K", "start", "windows", "tokens/s", "speed-up", "response ms", "accept.",
        "tokens/call", "calls", "slower", "differing",
    ]  # fmt: skip
    assert max(map(len, render_rows(page_rows(summaries), "md").splitlines())) < 150
    other = summaries[1].model_copy(update={"admission": "root", "threads": 4, "drop_to_transcript_s": 1.5})
    rows = page_rows([*summaries, other])
    assert [(row["admission"], row["threads"], row["drop s"]) for row in rows] == [
        (None, 2, None), ("text", 2, None), ("root", 4, 1.5)
    ]  # fmt: skip


def test_the_peers_figures_stand_in_the_columns_of_the_arms() -> None:
    assert PeerTimes("float32", 2).row().keys() - ArmSummary.model_fields.keys() == {"encode_s"}


def test_yes_and_no_are_written_as_in_json() -> None:
    rows = [{"a": True, "b": False}]
    assert render_rows(rows, "csv") == "a,b\ntrue,false\n"
    assert "| true | false |" in render_rows(rows, "md")
    assert render_rows(rows, "jsonl") == '{"a": true, "b": false}\n'


def test_decodes_of_a_busy_device_are_told_apart(stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 5.0))
    for ms in (10.0, 11.0, 12.0):
        stream.request(prepared, [call(0, 0, ms)] * 3, " x", arm="steady", repeat=0)
    for ms in (10.0, 11.0, 17.0):
        stream.request(prepared, [call(0, 0, ms)] * 3, " x", arm="varying", repeat=0)
    assert unsteady_arms(RunFold.of(stream.events).finished_requests()) == ["varying"]


def test_a_list_without_values_is_an_empty_field() -> None:
    rows: list[dict[str, object]] = [{"a": [None, None, None], "b": ()}, {"a": [0.5, 1.0], "c": None}]
    assert render_rows(rows, "csv") == "a,b,c\n,,\n0.5 1.0,,\n"


def test_a_manifest_gives_the_recordings_of_a_split_and_language(tmp_path: Path) -> None:
    entries = [
        {"path": "a.wav", "split": "dev", "language": "en", "extra": 1},
        {"path": "b.wav", "split": "test", "language": "en"},
        {"path": "c.wav", "split": "dev", "language": "zh"},
    ]
    manifest = tmp_path / "m.jsonl"
    manifest.write_text("\n".join(map(json.dumps, entries)) + "\n\n")
    assert [r.path.name for r in gather([manifest], "dev", None, None)] == ["a.wav", "c.wav"]
    (found,) = gather([manifest], "dev", "en", None)
    assert (found.path, found.language) == (tmp_path / "a.wav", "en")
    assert len(gather([manifest, Path("z.wav")], None, None, 2)) == 2
    with pytest.raises(WrongUse):
        gather([manifest], "dev", "fr", None)
    with pytest.raises(WrongUse):
        gather([Path("z.wav")], "dev", None, None)
    manifest.write_text('{"no": "path"}\n')
    with pytest.raises(InputRefused, match=r"Line 1 .*path is missing"):
        gather([manifest], None, None, None)
    manifest.write_text('{"path": "a.wav"}\n{"path": "b.wav", "split": "train"}\n')
    with pytest.raises(InputRefused, match=r"Line 2 .*split must be 'dev' or 'test'"):
        gather([manifest], None, None, None)


def test_sd_without_a_width_is_the_mean_of_its_widths(stream: Any, call: Any) -> None:
    options = ArmOptions([4], ["text"], ["request-start"], [THREADS], a_a=True)
    arms = make_arms(parse_methods("target-only,sd"), options)
    assert [arm.budget for arm in arms] == [0, 0, 4, 5, 6, 7]
    assert [len(members) for members in grouped(arms)] == [4]
    stream.recording("a1", "talk.wav")
    for index in range(2):
        window = stream.window("a1", index, index * 10.0, index * 10.0 + 10.0)
        prepared = stream.prepare(window, 1)
        for arm, ms in zip(arms, (10, 11, 8, 10, 20, 40), strict=True):
            # 4 tokens after the first in four calls, or in one of 4 x ms.
            calls = [call(4, 3, 4 * ms)] if arm.drafts else [call(0, 0, ms)] * 4
            stream.request(prepared, calls, " x", arm=arm.label, repeat=0)
    rows = summarise(arms, list(RunFold.of(stream.events).finished_requests()), {})
    assert [row.budget for row in rows] == [0, 0, 4, 5, 6, 7, None]
    again, mean = rows[1], rows[-1]
    assert again.again
    assert (again.slower_windows, again.change_median) == (2, pytest.approx(10 / 11 - 1))
    assert mean.tps == pytest.approx((125 + 100 + 50 + 25) / 4)
    assert (mean.tps_low, mean.tps_high) == (pytest.approx(25), pytest.approx(125))
    # The mean of the four speeds of each window, 75, is held against target-only's 100.
    assert mean.change_median == pytest.approx(-0.25)
    assert mean.speed_up == pytest.approx(0.75)
    assert (mean.slower_windows, mean.windows, mean.calls, mean.differing) == (2, 2, 2, 0)
    shown = page_rows(rows)
    assert shown[-1]["tokens/s"] == "75.0 (25.0–125.0)"
    assert shown[1]["method"] == "target-only again"
    assert "again" in again.arm


def test_what_makes_no_difference_makes_no_arm() -> None:
    options = ArmOptions([2, 4], ["root", "text"], ["request-start", "pre-drafted"], [THREADS], 0.4, 3)
    arms = make_arms(parse_methods("target-only,sd:5,as2d:8,specasr:8,as2d-resync:8"), options)
    assert len({arm.label for arm in arms}) == len(arms) == 1 + 2 + 4 + 2 + 4
    assert {arm.budget for arm in arms if arm.method == "as2d"} == {7}
    assert {arm.confidence for arm in arms} == {None, 0.4}
    assert {arm.patience for arm in arms if arm.method == "as2d-resync"} == {3}
    assert grouped(arms) == []


def test_every_arm_comes_early_and_late_and_the_second_target_only_in_between() -> None:
    options = ArmOptions([4], ["text"], ["request-start"], [THREADS], a_a=True)
    arms = make_arms(parse_methods("target-only,sd,as2d"), options)
    orders = dict(rounds(arms, 3))
    assert [len(order) for order in orders.values()] == [7, 7, 7]
    assert all(set(order) == set(arms) for order in orders.values())
    places = [order.index(AS2D_AT_REQUEST) for order in orders.values()]
    assert max(places) - min(places) >= 4
    for order in orders.values():
        alone, again = order.index(ALONE), next(i for i, arm in enumerate(order) if arm.again)
        assert min((again - alone) % 7, (alone - again) % 7) == 3
    assert [order[0] for order in dict(rounds(arms[:1], 5)).values()] == [ALONE] * 5
    # With fewer arms than repeats neighbours still change places each time.
    pair = [ALONE, AS2D]
    assert [order[0] for order in dict(rounds(pair, 4)).values()] == [ALONE, AS2D, ALONE, AS2D]
    assert list(rounds(arms, 0)) == []
