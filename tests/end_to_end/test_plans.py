"""Comparisons by a plan with the real helper: run, ended by whatever, gone on with."""

from __future__ import annotations

import json
import random
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running import device_work
from as2d.backend.compare.running.service import open_comparison, run_plan
from as2d.backend.compare.running.shared import PlanProgress
from as2d.backend.runs.store import StoredRun

CLIP = "cv_en_651325.mp3"
Remember = Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]


@pytest.fixture
def corpus(clips: Path, tmp_path: Path) -> Path:
    """A manifest of one short recording with its text."""
    manifest = tmp_path / "talks.jsonl"
    entry = {"path": str(clips / CLIP), "language": "en", "reference": "What it says."}
    manifest.write_text(json.dumps(entry) + "\n")
    return manifest


def _cells(runs: list[StoredRun]) -> Counter[str]:
    """How often each cell was measured."""
    return Counter(
        request.cell for run in runs for request in run.fold().finished_requests() if request.cell is not None
    )


def _noted(folder: Path) -> list[str]:
    """The cells in the journal of a comparison that may be running."""
    try:
        lines = (folder / "journal.jsonl").read_bytes().split(b"\n")[:-1]
    except OSError:
        return []
    return [line["cell"] for line in map(json.loads, lines) if line["kind"] == "cell"]


def _lines(folder: Path) -> int:
    """How many lines the journal has, whatever they say."""
    journal = folder / "journal.jsonl"
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _wait_for_lines(watch: Any, folder: Path, more: int, child: subprocess.Popen[bytes]) -> None:
    """Wait until the journal has so many lines more: a recording that is read, a run that begins, a cell."""
    lines = _lines(folder) + more
    watch.wait_until(lambda: _lines(folder) >= lines or child.poll() is not None, f"{lines} lines")


def _wait_for_cells(watch: Any, folder: Path, cells: int, child: subprocess.Popen[bytes]) -> None:
    watch.wait_until(lambda: len(_noted(folder)) >= cells or child.poll() is not None, f"{cells} cells")


def test_a_plan_is_run_once_and_its_runs_say_what_they_are(as2d: Any, corpus: Path, tmp_path: Path) -> None:
    folder = tmp_path / "comparison"
    arguments = (
        "compare", "--methods", "sd:5,as2d", "--repeats", "2", "--start-conditions", "pre-drafted",
        "--output-dir", folder, corpus,
    )  # fmt: skip
    done = as2d.run(*arguments)
    assert done.code == 0, done.err
    assert "7 of 7 decodes gave target-only's tokens." in done.err
    assert "All 8 decodes are done, in 1 run" in done.err
    (run,) = open_comparison(folder)[1]
    assert set(_cells([run]).values()) == {1}
    assert len(_cells([run])) == 8
    manifest = run.manifest
    assert manifest.status == "done"
    assert [arm.method for arm in manifest.arms if arm.again] == ["target-only"]
    assert {arm.drafter for arm in manifest.arms} == {None, "whisper-tiny.en"}
    assert {request.arm for request in run.fold().finished_requests()} == {arm.label for arm in manifest.arms}
    (recording,) = manifest.recordings
    assert (recording.recording, recording.corpus, recording.reference, recording.language) == (
        "a1", "talks", "What it says.", "en",
    )  # fmt: skip
    again = as2d.run(*arguments)
    assert again.code == 0, again.err
    assert "All 8 decodes are done, in 1 run" in again.err
    assert "load" not in again.err
    other = as2d.run(*arguments[:-3], "--output-dir", folder, "--repeats", "3", corpus)
    assert (other.code, "by another plan" in other.err) == (1, True)


def test_a_plan_killed_at_ten_moments_loses_no_cell_and_doubles_none(
    as2d: Any, corpus: Path, tmp_path: Path, processes: Remember, watch: Any
) -> None:
    folder, moments = tmp_path / "comparison", random.Random(7)
    arguments = (
        "compare", "--methods", "target-only,as2d", "--repeats", "30", "--start-conditions", "request-start",
        "--output-dir", folder, corpus,
    )  # fmt: skip
    for _ in range(10):
        before = _noted(folder)
        child = processes(as2d.start(*arguments))
        _wait_for_lines(watch, folder, moments.randrange(1, 8), child)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        assert _noted(folder)[: len(before)] == before
    done = as2d.run(*arguments)
    assert done.code == 0, done.err
    plan, runs = open_comparison(folder)
    cells = _cells(runs)
    assert len(cells) == 3 * plan.repeats
    assert set(cells.values()) == {1}
    assert sorted(cells) == sorted(_noted(folder))


def test_an_interrupt_and_a_full_disk_are_told_and_gone_on_from(
    as2d: Any, corpus: Path, tmp_path: Path, processes: Remember, watch: Any
) -> None:
    folder = tmp_path / "comparison"
    arguments = (
        "compare", "--methods", "target-only,as2d", "--repeats", "14", "--start-conditions", "request-start",
        "--output-dir", folder, corpus,
    )  # fmt: skip
    child = processes(as2d.start(*arguments))
    _wait_for_cells(watch, folder, 2, child)
    helpers = watch.children_of(child.pid)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate()
    lines = said.decode().splitlines()
    assert (child.returncode, lines[-1]) == (130, "Interrupted.")
    assert lines[-2].endswith("of 42 decodes are done; the same command goes on with the next.")
    assert not any(map(watch.is_running, helpers))
    full = as2d.run(*arguments, file_bytes=14_000)
    assert full.code == 4, full.err
    assert "no space left" in full.err
    assert "the same command goes on" in full.err
    begun = len(_noted(folder))
    done = as2d.run(*arguments)
    assert done.code == 0, done.err
    goes_on = f"The comparison in {folder} goes on at window 1 of 1: {begun} of 42 decodes are done."
    assert goes_on in done.err.splitlines()
    # Nothing of the sessions that were ended is lost, and nothing says so.
    assert "incomplete" not in done.err
    assert "nothing that could be compared" not in done.err
    cells = _cells(open_comparison(folder)[1])
    assert (len(cells), set(cells.values())) == (3 * 14, {1})
    assert "goes on" not in as2d.run(*arguments).err


def test_a_long_comparison_is_spread_over_runs_that_are_read_by_themselves(
    data_folder: Path, clips: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(device_work, "REQUESTS_A_RUN", 4)
    plan = ComparePlan(
        methods=("target-only",),
        recordings=(str(clips / "sonnet001.mp3"), str(clips / CLIP)),
        language="en",
        repeats=2,
        warm_up=0,
    )
    report = run_plan(plan, tmp_path / "c")
    assert (report.cells, report.done, report.differing) == (12, 12, [])
    assert [run.manifest.status for run in report.runs] == ["done"] * 3
    assert [[used.recording for used in run.manifest.recordings] for run in report.runs] == [
        ["a1"],
        ["a1"],
        ["a2"],
    ]
    for run in report.runs:
        fold = run.fold()
        assert fold.hello is not None
        assert fold.loaded
        assert len(list(fold.finished_requests())) == 4
        assert run.stream().problem is None
    assert set(_cells(report.runs).values()) == {1}


def test_progress_names_the_device_and_counts_every_cell(
    data_folder: Path, clips: Path, tmp_path: Path
) -> None:
    plan = ComparePlan(
        methods=("as2d",),
        recordings=(str(clips / CLIP), str(clips / "missing.wav")),
        language="en",
        repeats=1,
        a_a=False,
        start_conditions=("request-start",),
    )
    told: list[PlanProgress] = []
    heard: Counter[str] = Counter()
    report = run_plan(
        plan, tmp_path / "c", [lambda device, _event: heard.update([device])], progress=told.append
    )
    assert (report.cells, report.done, report.checked, report.differing) == (2, 2, 1, [])
    assert [error.message for error in report.refused] == ["missing.wav was refused: there is no such file."]
    assert told[0].state == "reading"
    decoding = [at for at in told if at.state == "decoding"]
    assert [(at.device, at.done, at.total) for at in decoding] == [
        ("this-computer", 0, 2),
        ("this-computer", 1, 2),
    ]
    assert (told[-1].state, told[-1].done) == ("done", 2)
    assert set(heard) == {"this-computer"}
