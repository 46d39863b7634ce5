"""Comparisons whose windows are prepared one by one and ahead, held apart and gone on with."""

from __future__ import annotations

import signal
import statistics
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.failing_helper import failing_helper, starts_of
from tests.end_to_end.test_preparing_ahead import CLIP, WINDOWS, Told, make_talk
from tests.phone.small_models import SmallPair, install_small_pair

from as2d.app.viewmodels.comparison import comparison_view
from as2d.app.viewmodels.comparison_plots import series_of
from as2d.backend.compare.judging.judge import judge
from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.reports.rows import corpus_title, page_rows
from as2d.backend.compare.running.cells import window_of
from as2d.backend.compare.running.service import PlanReport, open_comparison, run_plan
from as2d.backend.paths import helper_path
from as2d.backend.protocol import events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.transcribe.tries import MOST_DEATHS


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    """Small models that a decode of takes no time."""
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def talk(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of several windows."""
    return make_talk(clips, tmp_path_factory.mktemp("talk"))


@pytest.fixture
def run(pair: SmallPair, talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a plan of the recording with the small models; fields of the plan can be given."""
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "data"))

    def run(told: Told, helper: Path | None = None, **changes: Any) -> PlanReport:
        monkeypatch.setenv("AS2D_HELPER", str(helper or helper_path()))
        fields: dict[str, Any] = {
            "methods": ("as2d",),
            "targets": (str(pair.target.path),),
            "drafters": (str(pair.drafter.path),),
            "recordings": (str(talk),),
            "language": "en",
            "repeats": 1,
            "warm_up": 0,
            "a_a": False,
            "preparings": ("isolated", "ahead"),
        }

        def observe(_device: str, event: RecordedEvent) -> None:
            told(event)

        return run_plan(ComparePlan.model_validate(fields | changes), tmp_path / "c", [observe])

    return run


def test_both_conditions_are_decoded_alike_and_reported_apart(run: Any) -> None:
    told = Told()
    report = run(told)
    assert (report.failures, report.given_up, report.differing) == ({}, [], [])
    assert report.done == report.cells
    assert report.checked > 0
    assert told.left == set()

    windows = {sent.preparation: sent.window for sent in told.of(host_events.PrepareSent)}
    assert not told.of(host_events.RecordingWarned)
    besides = Counter(beside for beside in told.beside.values() if beside is not None)
    counted = [sent for sent in told.of(host_events.RequestSent) if not sent.warm_up]
    last = max(windows.values())
    for sent in counted:
        ahead = "prepared ahead" in sent.arm and windows[sent.preparation] != last
        assert besides[sent.request] == ahead

    judgement = judge(report.runs)
    sides = judgement.sides
    assert {side.preparing for side in sides} == {"isolated", "ahead"}
    for side in sides:
        assert side.preparing == ("ahead" if "prepared ahead" in side.arm else "isolated")
        assert side.identical is not False
        assert None not in side.figures.drop_ms
        if side.alone is not None:
            assert sides[side.alone.reference].preparing == side.preparing
    assert {(table.start_condition, table.preparing) for table in judgement.tables} == {
        (start, preparing)
        for start in ("request-start", "pre-drafted")
        for preparing in ("isolated", "ahead")
    }
    assert not [told for told in judgement.cautions if "second window" in told]
    view, series = comparison_view(judgement), series_of(judgement)
    for number, (side, row) in enumerate(zip(sides, page_rows(judgement), strict=True)):
        held = judgement.held(number)
        if side.method == "target-only":
            assert (held, row["speed-up"], view.rows[number][2]) == (None, "reference", "reference")
        else:
            assert held is not None
            reference = sides[held.reference]
            assert (reference.method, reference.preparing) == ("target-only", side.preparing)
            assert str(row["speed-up"]).startswith(f"{held.speed_up:.2f}")
            assert view.rows[number][2].startswith(f"{held.speed_up:.2f} ×")
            assert held.speed_up == pytest.approx(statistics.median(series.pop(0).speed_ups))
        assert bool(row["to the first row"]) == (side.preparing == "ahead") == (view.rows[number][-1] != "–")
    assert not series
    titles = [corpus_title(judgement, table) for table in judgement.tables]
    assert len(set(titles)) == len(titles)


def test_that_nothing_could_be_prepared_ahead_is_said_before_any_number(run: Any, clips: Path) -> None:
    (recorded,) = run(Told(), recordings=(str(clips / CLIP),)).runs
    (caution,) = [told for told in judge([recorded]).cautions if "second window" in told]
    assert caution.startswith("No recording has a second window")


def test_of_a_window_prepared_ahead_only_the_rest_of_that_is_in_its_time(run: Any) -> None:
    told = Told()
    (recorded,) = run(told, methods=("target-only",), preparings=("ahead",), a_a=True).runs
    prepared = {event.window: event for event in told.of(events.Prepared)}
    made_beside = {beside: prepared[name] for name, beside in told.beside.items() if beside is not None}
    for side in judge([recorded]).sides:
        before = None
        own = [request for request in recorded.fold().finished_requests() if request.arm == side.arm]
        for request, drop in zip(own, side.figures.drop_ms, strict=True):
            times = request.result.times
            if before is None:
                preparation = prepared[request.preparation.name]
                waited = preparation.end - preparation.start
            else:
                waited = max(made_beside[before.request].end - before.result.times.end, 0)
            assert drop == pytest.approx((waited + times.end - times.request) / 1e6)
            before = request


def test_a_window_that_ends_the_helper_ahead_of_its_turn_costs_no_cell(run: Any, tmp_path: Path) -> None:
    helper = failing_helper(tmp_path / "helper", helper_path(), "die", op="prepare", window="a1.w2.ahead1")
    report = run(Told(), helper, start_conditions=("request-start",))
    assert (report.failures, report.given_up, report.differing) == ({}, [], [])
    assert report.done == report.cells


def test_a_window_that_always_ends_the_helper_ahead_of_its_turn_costs_few_restarts(
    run: Any, tmp_path: Path
) -> None:
    helper = failing_helper(tmp_path / "helper", helper_path(), "die", op="prepare", window="a1.w2.ahead*")
    told = Told()
    report = run(told, helper, start_conditions=("request-start",), repeats=3)
    assert (report.failures, report.given_up, report.differing) == ({}, [], [])
    assert report.done == report.cells
    assert starts_of(helper) == 1 + MOST_DEATHS
    besides = Counter(told.beside.values())
    alone = [
        sent
        for sent in told.of(host_events.RequestSent)
        if "prepared ahead" in sent.arm
        and sent.preparation.startswith("a1.w1")
        and sent.request not in besides
    ]
    warned = told.of(host_events.RecordingWarned)
    assert {warning.recording for warning in warned} == {"a1"}
    assert len(warned) == len(alone) > 0
    assert all("Window 1 " in warning.message for warning in warned)


def test_a_window_that_is_refused_ahead_of_its_turn_costs_no_cell(run: Any, tmp_path: Path) -> None:
    helper = failing_helper(tmp_path / "helper", helper_path(), "refuse", op="prepare", window="a1.w2.ahead1")
    told = Told()
    report = run(told, helper, start_conditions=("request-start",))
    assert (report.failures, report.given_up, report.differing) == ({}, [], [])
    assert report.done == report.cells
    assert told.left == set()


def test_a_killed_plan_goes_on_with_both_conditions(
    as2d: Any,
    pair: SmallPair,
    talk: Path,
    tmp_path: Path,
    processes: Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]],
    watch: Any,
) -> None:
    folder = tmp_path / "comparison"
    arguments = (
        "compare", "--methods", "as2d", "--repeats", "2", "--start-conditions", "pre-drafted", "--preparing",
        "isolated,ahead", "--no-a-a", "--language", "en", "--targets", pair.target.path, "--drafters",
        pair.drafter.path, "--output-dir", folder, talk,
    )  # fmt: skip

    def lines() -> int:
        journal = folder / "journal.jsonl"
        return journal.read_bytes().count(b"\n") if journal.exists() else 0

    for more in (4, 9):
        wanted = lines() + more
        child = processes(as2d.start(*arguments))
        watch.wait_until(lambda: lines() >= wanted or child.poll() is not None, f"{wanted} lines")  # noqa: B023
        child.send_signal(signal.SIGKILL)
        child.communicate()
    done = as2d.run(*arguments)
    assert done.code == 0, done.err
    _, runs = open_comparison(folder)
    cells = Counter(
        request.cell for run in runs for request in run.fold().finished_requests() if request.cell is not None
    )
    assert set(cells.values()) == {1}
    windows = {window_of(cell) for cell in cells if cell is not None}
    assert len(windows) >= WINDOWS
    assert len(cells) == len(windows) * 4 * 2
    assert sum("prepared ahead" in cell for cell in cells) == len(cells) // 2
