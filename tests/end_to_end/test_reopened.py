"""A recorded run is whole from any folder, and tells the same figures everywhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from as2d.app.viewmodels.run import RunViewModel
from as2d.backend.metrics.measures import measure
from as2d.backend.runs.recording_files import recording_file
from as2d.backend.runs.store import RunStore, StoredRun


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a recording is named without its folder."""
    return tmp_path_factory.mktemp("here")


@pytest.fixture(scope="module")
def stored(here: Path, data_folder: Path, repository: Path) -> StoredRun:
    """The run of a recording that was named so."""
    shutil.copy(repository / "resources/sample/jfk.flac", here / "talk.flac")
    command = [sys.executable, "-m", "as2d.backend.cli.entry", "transcribe", "talk.flac", "--language", "en"]
    environment = {**os.environ, "AS2D_DATA_DIR": str(data_folder), "PYTHONPATH": str(repository / "src")}
    subprocess.run(command, cwd=here, env=environment, check=True)
    return RunStore(data_folder / "runs").find("last")


def test_a_recording_named_from_its_folder_is_found_from_any_other(
    stored: StoredRun, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    used = stored.manifest.recordings[0]
    assert used.audio == "talk.flac"
    assert recording_file(stored, used.recording) == here / "talk.flac"


def test_the_windows_speed_is_that_of_the_command_line(stored: StoredRun) -> None:
    view = RunViewModel()
    view.feed(stored.events())
    shown = view.figures([used.recording for used in stored.manifest.recordings])
    assert shown.tps == pytest.approx(measure(stored.fold().finished_requests()).tps)
