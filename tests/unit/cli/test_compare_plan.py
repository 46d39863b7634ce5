"""What `as2d compare` is asked for: runs, recordings with methods, or a plan; what does not go together."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from as2d.backend.cli.compare_plan import PlanOptions, means_plan, named_runs, plan_of
from as2d.backend.compare.plan import PlannedReplay, read_plan, write_plan
from as2d.backend.errors import InputRefused, UserError, WrongUse
from as2d.backend.runs.store import RunStore


def test_options_become_a_plan_that_is_kept_and_found_again(tmp_path: Path) -> None:
    options = PlanOptions(
        methods="sd:5, as2d",
        budgets="4,7",
        drafters="one,two",
        devices="this-computer,Pixel",
        start_conditions="pre-drafted",
        preparing="ahead,isolated",
        language="English",
        repeats=5,
        a_a=False,
        start_temperature=38.5,
        battery=40,
    )
    plan = plan_of(["talks/one.mp3"], options, tmp_path)
    assert plan.methods == ("sd:5", "as2d")
    assert (plan.budgets, plan.drafters, plan.devices) == ((4, 7), ("one", "two"), ("this-computer", "Pixel"))
    assert plan.preparings == ("ahead", "isolated")
    assert (plan.language, plan.repeats, plan.a_a) == ("en", 5, False)
    assert (plan.gate.hottest_c, plan.gate.battery_percent, plan.gate.wait_s) == (38.5, 40, 600.0)
    assert plan.recordings == (str(Path.cwd() / "talks/one.mp3"),)
    write_plan(tmp_path / "plan.toml", plan)
    assert means_plan([], PlanOptions(), tmp_path)
    assert plan_of([], PlanOptions(), tmp_path) == plan


def test_a_plan_names_its_recordings_and_traces_from_its_own_folder(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'methods = ["as2d"]\nrecordings = ["a.wav"]\n[replay]\ntraces = ["t.jsonl"]\nprofiles = ["c.json"]\n'
    )
    plan = plan_of([str(path)], PlanOptions(), tmp_path / "comparison")
    assert plan.recordings == (str(tmp_path / "a.wav"),)
    assert plan.replay == PlannedReplay(
        traces=(str(tmp_path / "t.jsonl"),), profiles=(str(tmp_path / "c.json"),)
    )
    assert plan.machines == (str(tmp_path / "c.json"),)
    assert read_plan(path).recordings == ("a.wav",)


@pytest.mark.parametrize(
    ("inputs", "options", "reason"),
    [
        (["a.toml", "b.wav"], PlanOptions(), "names its recordings itself"),
        (["a.toml"], PlanOptions(repeats=2), "--repeats cannot be given beside the plan a.toml"),
        (["a.toml"], PlanOptions(), "a.toml cannot be read"),
        (["a.wav"], PlanOptions(repeats=2), "No method was named"),
        ([], PlanOptions(methods="as2d"), "No recording was named"),
        (["a.wav"], PlanOptions(methods=" , "), "No method was named"),
        (["a.wav"], PlanOptions(methods="as3d"), "no method 'as3d'"),
        (["a.wav"], PlanOptions(methods="as2d", devices=","), "--devices names nothing"),
        (["a.wav"], PlanOptions(methods="sd:5", budgets="7"), "--budgets 7 contradicts"),
        (["a.wav"], PlanOptions(methods="as2d", profile=[Path("c.json")]), "name traces with --replay"),
        (["a\udcff.wav"], PlanOptions(methods="as2d"), "no UTF-8"),
    ],
)
def test_what_does_not_go_together_is_refused_in_a_sentence(
    tmp_path: Path, inputs: list[str], options: PlanOptions, reason: str
) -> None:
    with pytest.raises((WrongUse, InputRefused), match=reason) as refused:
        plan_of(inputs, options, tmp_path)
    assert isinstance(refused.value, UserError)
    assert "\n" not in refused.value.message


def test_runs_and_recordings_are_not_mixed(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path))
    shutil.copytree(
        repository / "tests/data/runs/three-recordings", tmp_path / "runs" / "20260102-030405-abcd"
    )
    store = RunStore(tmp_path / "runs")
    clip = str(repository / "tests/data/speech/sonnet001.mp3")
    assert not means_plan(["20260102", "last"], PlanOptions(), tmp_path / "reports")
    assert [run.folder.name for run in named_runs(["20260102", "last"], store)] == [
        "20260102-030405-abcd"
    ] * 2
    with pytest.raises(WrongUse, match=r"sonnet001\.mp3 is no recorded run; .* --methods"):
        named_runs(["last", clip], store)
    with pytest.raises(WrongUse, match="There is no run '1999'"):
        named_runs(["last", "1999"], store)
    with pytest.raises(WrongUse, match="is a recorded run and no recording"):
        plan_of([clip, "20260102-030405-abcd"], PlanOptions(methods="as2d"), tmp_path)
