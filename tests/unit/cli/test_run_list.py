"""`as2d runs`, `as2d bundle` and `as2d open`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from as2d.backend.cli.main import app

RUN = "20261130-032604-4659"


@pytest.fixture(autouse=True)
def data(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with one run."""
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "data"))
    shutil.copytree(repository / "tests/data/runs/three-recordings", tmp_path / "data/runs" / RUN)
    return tmp_path / "data"


def run(*arguments: str) -> tuple[int, str]:
    """The exit status and all that was said."""
    result = CliRunner().invoke(app, list(arguments))
    error = result.exception
    return getattr(error, "exit_code", result.exit_code), result.output + getattr(error, "message", "")


def test_runs_are_named_tagged_and_found() -> None:
    assert run("runs", "rename", "last", "Speech of Monday") == (0, "")
    assert run("runs", "tag", RUN, "--add", "demo,old", "--add", "jfk") == (0, "")
    assert run("runs", "tag", RUN, "--remove", "OLD") == (0, "")
    code, shown = run("runs")
    assert code == 0
    assert "Speech of Monday" in shown
    assert "demo jfk" in shown
    code, shown = run("runs", "--search", "fellow amer")
    assert RUN in shown
    assert "fellow Americans" in shown
    assert RUN in run("runs", "--tag", "DEMO")[1]
    assert "No run fits." in run("runs", "--search", "nobody")[1]
    assert "No run fits." in run("runs", "--tag", "old")[1]


def test_a_search_keeps_the_order_of_the_list(data: Path) -> None:
    later = "20261130-232604-4659"
    shutil.copytree(data / "runs" / RUN, data / "runs" / later)
    manifest = data / "runs" / later / "manifest.json"
    made = json.loads(manifest.read_text()) | {"run": later, "created": "2026-11-30T23:26:04Z"}
    manifest.write_text(json.dumps(made))
    run("runs", "rename", RUN, "fellow fellow americans")  # said there most often
    for words in (["runs"], ["runs", "--search", "fellow americans"]):
        shown = run(*words)[1]
        assert 0 < shown.index(later) < shown.index(RUN)


def test_a_deleted_run_is_restored() -> None:
    code, said = run("runs", "delete", "2026")
    assert (code, f"`as2d runs restore {RUN}`" in said) == (0, True)
    assert "1 deleted run still on the disk, 0.04 MB" in run("runs")[1]
    assert run("runs", "restore", "2026") == (0, "")
    assert RUN in run("runs")[1]
    code, said = run("runs", "restore", "2026")
    assert (code, "there is no deleted run" in said) == (2, True)
    run("runs", "delete", RUN)
    assert run("runs", "empty") == (0, "0.04 MB were freed.\n")
    assert run("runs", "delete", RUN)[0] == 2


def test_restoring_takes_the_whole_name_before_a_beginning_and_none_where_one_is_wrong(data: Path) -> None:
    longer = data / "runs" / f"{RUN}-2"
    shutil.copytree(data / "runs" / RUN, longer)
    run("runs", "delete", RUN, longer.name)
    code, said = run("runs", "restore", RUN, "nothing")
    assert (code, "'nothing' is no deleted run" in said) == (2, True)
    assert list((data / "runs").glob("2*")) == []
    assert run("runs", "restore", "")[0] == 2
    assert run("runs", "restore", RUN, RUN)[0] == 0
    assert [folder.name for folder in (data / "runs").glob("2*")] == [RUN]


def test_only_runs_of_the_runs_folder_are_deleted_named_and_tagged(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted = data / "runs" / "20261130-032605-4659"
    backup = tmp_path / "backup" / RUN
    for copy in (deleted, backup):
        shutil.copytree(data / "runs" / RUN, copy)
    run("runs", "delete", deleted.name)
    for arguments in (
        ["delete", str(backup)],
        ["rename", str(backup), "x"],
        ["tag", str(backup), "--add", "x"],
    ):
        code, said = run("runs", *arguments)
        assert (code, "is not in the runs folder" in said) == (2, True), arguments
    assert not (backup / "labels.json").exists()

    monkeypatch.chdir(backup.parent)
    assert run("runs", "rename", RUN, "Monday") == (0, "")
    assert "Monday" in (data / "runs" / RUN / "labels.json").read_text()
    monkeypatch.chdir(data / "runs" / RUN)
    code, said = run("runs", "delete", ".")
    assert (code, f"`as2d runs restore {RUN}`" in said) == (0, True)
    assert sorted(folder.name for folder in (data / "runs" / ".aside").iterdir()) == [RUN, deleted.name]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rename", "last", "x" * 201], "at most 200 characters"),
        (["tag", "last"], "--add or --remove"),
        (["tag", "nothing", "--add", "x"], "There is no run 'nothing'"),
        (["--search", "x", "rename", "last", "y"], "do not go with"),
    ],
)
def test_wrong_use(arguments: list[str], message: str) -> None:
    code, said = run("runs", *arguments)
    assert code in (1, 2)
    assert message in said


def test_a_bundle_opens_in_another_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("runs", "rename", RUN, "Speech")
    path = tmp_path / "x.as2d"
    code, said = run("bundle", RUN, "-o", str(path), "--audio")
    assert code == 0
    assert path.is_file()
    assert run("bundle", RUN, "-o", str(path))[0] == 2
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "elsewhere"))
    code, said = run("open", str(path))
    assert (code, said.splitlines()[0]) == (0, RUN)
    code, shown = run("runs")
    assert "Speech" in shown
    assert "from x.as2d" in shown
    code, shown = run("show", RUN)
    assert "name     Speech; tags –\n" in shown
    assert "from     the bundle x.as2d, opened 2" in shown
    assert "fellow Americans" in run("show", RUN, "--format", "txt", "--recording", "a1")[1]
    assert run("open", str(tmp_path / "data"))[0] == 1


def test_a_bundle_that_is_refused_keeps_none_from_being_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, wrong = tmp_path / "x.as2d", tmp_path / "wrong.as2d"
    run("bundle", RUN, "-o", str(path))
    wrong.write_text("no bundle")
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "elsewhere"))
    code, said = run("open", str(wrong), str(path))
    assert (code, "Error: wrong.as2d cannot be opened" in said) == (1, True)
    assert RUN in run("runs")[1]


def test_runs_are_compared(data: Path) -> None:
    second = data / "runs" / "20261130-032605-4659"
    shutil.copytree(data / "runs" / RUN, second)
    manifest = second / "manifest.json"
    manifest.write_text(manifest.read_text().replace(RUN, second.name).replace('"budget": 4', '"budget": 7'))
    code, said = run("compare", RUN, second.name, "--format", "csv")
    assert code == 0
    assert "Not the same: settings budget (4, 7)" in said
    assert f"{second.name}, as2d: identical output." in said
    assert "speed_up" in said
    code, said = run("compare", RUN, second.name)
    assert "| 1.00 (1.00–1.00) | 0 %    |" in said
    code, said = run("compare", RUN)
    assert (code, "needs two runs" in said) == (2, True)
