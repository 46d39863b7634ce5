"""Commands that messages offer for pasting."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from as2d.backend.cli.hints import show_command


def test_a_run_below_the_current_folder_is_named_from_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / ".venv" / "bin" / "as2d"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    run = tmp_path / "build" / "state" / "runs" / "r1"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [".venv/bin/as2d"])
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert show_command(run) == ".venv/bin/as2d show build/state/runs/r1"
    monkeypatch.setenv("PATH", str(program.parent))
    assert show_command(run) == "as2d show build/state/runs/r1"
    assert show_command(Path("/elsewhere/my runs/r1")) == "as2d show '/elsewhere/my runs/r1'"
