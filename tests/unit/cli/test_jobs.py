"""The list of jobs leaves none out."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

from as2d.backend.cli.jobs import jobs
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.jobs.job import JobStore


def test_a_job_whose_file_cannot_be_read_is_named_and_can_be_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path))
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "20260101-a.json").write_text('{"format": 2}')
    (tmp_path / "jobs" / "20260102-b.json").write_text("no JSON")
    with pytest.raises(typer.Exit) as ended:
        jobs()
    assert ended.value.exit_code == InputRefused.exit_code
    said = " ".join(capsys.readouterr().err.split())
    assert "Error: The job 20260101-a is none that this version of AS²D knows (format must be 1)" in said
    assert "The job 20260102-b is none that this version of AS²D knows (it is not valid JSON)" in said
    assert "`as2d jobs --forget 20260102-b`" in said
    with pytest.raises(InputRefused):
        JobStore().find("20260102-b")
    with pytest.raises(typer.Exit):  # the other one is still there
        jobs(forget="20260101-a")
    jobs(forget="20260102-b")
    assert list((tmp_path / "jobs").iterdir()) == []
    with pytest.raises(WrongUse, match="There is no job '20260101-a'"):
        jobs(forget="20260101-a")
