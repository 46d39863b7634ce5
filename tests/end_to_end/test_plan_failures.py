"""Comparisons by a plan go on past a helper that dies or refuses, and end where it cannot work at all."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.descriptors import spoil_descriptor
from tests.end_to_end.failing_helper import failing_helper, starts_of
from tests.phone.small_models import SmallPair, install_small_pair

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.service import PlanReport, run_plan
from as2d.backend.devices.local import LocalDevice
from as2d.backend.paths import helper_path
from as2d.backend.protocol import decode_events, host_events
from as2d.backend.protocol.lines import RecordedEvent

CLIP = "cv_en_651325.mp3"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    """Small models that a decode of takes no time."""
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def real() -> Path:
    """The helper itself."""
    return helper_path()


@pytest.fixture
def run(pair: SmallPair, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs a plan of one short recording with the small models; fields of the plan can be given."""
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "data"))

    def run(helper: Path | None = None, observer: Any = None, **changes: Any) -> PlanReport:
        if helper is not None:
            monkeypatch.setenv("AS2D_HELPER", str(helper))
        fields: dict[str, Any] = {
            "methods": ("sd:5", "as2d"),
            "targets": (str(pair.target.path),),
            "drafters": (str(pair.drafter.path),),
            "recordings": (str(clips / CLIP),),
            "language": "en",
            "repeats": 1,
            "a_a": False,
        }
        plan = ComparePlan.model_validate(fields | changes)
        return run_plan(plan, tmp_path / "c", [] if observer is None else [observer])

    return run


def _given_up(report: PlanReport) -> list[str]:
    return sorted(cell.cell.rpartition(" | ")[2].split(" budget")[0] for cell in report.given_up)


def test_a_helper_that_dies_in_a_warm_up_costs_the_cell_whose_warm_up_it_was(
    run: Any, real: Path, tmp_path: Path
) -> None:
    helper = failing_helper(tmp_path / "helper", real, "die", op="request", method="sd")
    report = run(helper, start_conditions=("request-start",))
    assert (report.failures, report.done, report.cells) == ({}, 3, 3)
    assert _given_up(report) == ["sd"]
    assert "SIGKILL" in report.given_up[0].problem
    assert starts_of(helper) == 3


@pytest.mark.parametrize(
    "where", [{"op": "request", "method": "sd"}, {"op": "prepare", "start_condition": "pre-drafted"}]
)
def test_what_the_helper_refuses_is_given_up_and_the_others_go_on(
    run: Any, real: Path, tmp_path: Path, where: dict[str, str]
) -> None:
    helper = failing_helper(tmp_path / "helper", real, "refuse", **where)
    report = run(helper, start_conditions=("pre-drafted",), methods=("sd:5", "as2d"))
    assert (report.failures, report.done, report.cells) == ({}, 3, 3)
    assert _given_up(report) == (["sd"] if where["op"] == "request" else ["as2d", "sd"])
    (recorded,) = report.runs
    assert "target-only" in {request.result.method for request in recorded.fold().finished_requests()}


def test_a_helper_that_cannot_be_started_again_ends_the_device_s_part_and_costs_no_cell(
    run: Any, real: Path, tmp_path: Path
) -> None:
    helper = failing_helper(tmp_path / "helper", real, "die", starts=1, op="request", method="sd")
    report = run(helper, start_conditions=("request-start",), warm_up=0)
    assert "SIGKILL" in report.failures["this-computer"].message
    assert report.given_up == []
    assert starts_of(helper) == 3
    again = run(real, start_conditions=("request-start",), warm_up=0)
    assert (again.failures, again.done, again.given_up) == ({}, 3, [])


def test_what_drafts_beforehand_is_waited_for_before_anything_else_is_prepared(run: Any) -> None:
    order: list[str] = []
    ended: Counter[str] = Counter()

    def observe(_device: str, event: RecordedEvent) -> None:
        if isinstance(event, host_events.PrepareSent):
            order.append(event.preparation)
        elif isinstance(event, decode_events.Result):
            ended[event.window] += 1
            order.append(event.window)

    run(None, observe, methods=("as2d",), start_conditions=("pre-drafted", "request-start"))
    assert any(order[order.index(name) + 1] == name for name in ended)
    # That was its warm-up.
    assert sorted(ended.values()) == [2, 2, 2]


def test_a_language_that_no_model_knows_is_detected_and_its_text_is_kept(
    run: Any, clips: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "talks.jsonl"
    entries = [
        {"path": str(clips / CLIP), "language": language, "reference": f"Told in {language}."}
        for language in ("en+de", "en")
    ]
    corpus.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    report = run(recordings=(str(corpus),), language=None, warm_up=0, methods=("target-only",))
    assert (report.failures, report.done, report.cells) == ({}, 2, 2)
    (recorded,) = report.runs
    assert [used.reference for used in recorded.manifest.recordings] == ["Told in en+de.", "Told in en."]


def test_a_disk_that_fails_is_no_refused_recording(run: Any, tmp_path: Path) -> None:
    def observe(_device: str, event: RecordedEvent) -> None:
        if isinstance(event, host_events.RequestSent):
            spoil_descriptor(tmp_path / "c" / "journal.jsonl")

    report = run(None, observe, warm_up=0, methods=("target-only",))
    assert "journal of the comparison cannot be written" in report.failures["this-computer"].message
    assert (report.refused, report.done) == ([], 0)
    again = run(warm_up=0, methods=("target-only",))
    assert (again.failures, again.done) == ({}, 1)


def test_another_number_of_threads_later_changes_no_cell(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {"warm_up": 0, "methods": ("target-only",)}
    begun = run(**fields)
    monkeypatch.setattr(LocalDevice, "default_threads", lambda _: 3)
    assert run(**fields).done == begun.cells == 1
    assert len(run(**fields).runs) == 1
    (tmp_path / "data" / "runs" / "index.sqlite3").unlink(missing_ok=True)
    for recorded in begun.runs:
        shutil.rmtree(recorded.folder)
    again = run(**fields)
    assert (again.done, {arm.threads for arm in again.runs[0].manifest.arms}) == (
        1,
        {arm.threads for arm in begun.runs[0].manifest.arms},
    )
