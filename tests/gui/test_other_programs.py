"""What other programs do while the window is open, as the command line, is seen in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio
from tests.phone.small_models import SmallPair, install_small_pair

from as2d.backend.bundles.writing import write_bundle
from as2d.backend.paths import models_dir
from as2d.backend.runs.manifest import MANIFEST_NAME
from as2d.backend.runs.store import RunStore


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    """Models that are measured in moments."""
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own in which there is nothing yet, beside the folder of the real models."""
    folder = tmp_path / "data"
    (tmp_path / "installed").symlink_to(models_dir())
    monkeypatch.setenv("AS2D_DATA_DIR", str(folder))
    return folder


def by_command(*words: str) -> None:
    """Run `as2d` as another program on the same data folder."""
    subprocess.run(
        [sys.executable, "-m", "as2d.backend.cli.entry", *words], check=True, env=os.environ.copy()
    )


def take_in(repository: Path, runs: Path, name: str) -> None:
    """Put a recorded run into a folder of runs under a name of its own."""
    folder = runs.parent / name
    shutil.copytree(repository / "tests/data/runs/three-recordings", folder)
    manifest = json.loads((folder / MANIFEST_NAME).read_text()) | {"run": name}
    (folder / MANIFEST_NAME).write_text(json.dumps(manifest))
    runs.mkdir(exist_ok=True)
    folder.rename(runs / name)


def test_runs_that_the_command_line_takes_in_and_deletes_come_into_the_history_and_go(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, tmp_path: Path
) -> None:
    folder = repository / "tests/data/runs/three-recordings"
    bundle = tmp_path / "taken.as2d"
    write_bundle([RunStore(folder.parent).find(str(folder))], bundle, audio=False)
    window = open_studio(started_before=True)
    qtbot.waitUntil(lambda: not window.studio.operations.running(), timeout=PATIENCE_MS)
    assert window.history.model.rowCount() == 0
    by_command("open", str(bundle))
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 1, timeout=PATIENCE_MS)
    by_command("runs", "rename", "last", "seen from elsewhere")
    qtbot.waitUntil(
        lambda: window.history.model.index(0, 1).data() == "seen from elsewhere", timeout=PATIENCE_MS
    )
    by_command("runs", "delete", "last")
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 0, timeout=PATIENCE_MS)


def test_the_selection_of_the_history_outlives_a_run_that_comes(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, data_folder: Path
) -> None:
    runs = data_folder / "runs"
    for number in (1, 2):
        take_in(repository, runs, f"2026110{number}-000000-aaaa")
    window = open_studio(started_before=True)
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 2, timeout=PATIENCE_MS)
    window.history.table.selectAll()
    take_in(repository, runs, "20261103-000000-aaaa")
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 3, timeout=PATIENCE_MS)
    chosen = [row.run for row in window.history.selected()]
    assert sorted(chosen) == ["20261101-000000-aaaa", "20261102-000000-aaaa"]


def test_what_the_command_line_measures_comes_into_the_device_tab(
    open_studio: OpenStudio, qtbot: QtBot, pair: SmallPair
) -> None:
    target, drafter = str(pair.target.path), str(pair.drafter.path)
    decode = {"target": target, "drafter": drafter, "language": "en"}
    window = open_studio(started_before=True, decode=decode)
    window.docks.show("device")
    qtbot.waitUntil(lambda: window.knowledge.of(None).seen is not None, timeout=PATIENCE_MS)
    page = window.device.page()
    assert page is not None
    assert page.costs.plot.isHidden()
    by_command("calibrate", "--quick", "--target", target, "--drafter", drafter)
    qtbot.waitUntil(lambda: not page.costs.plot.isHidden(), timeout=PATIENCE_MS)


def test_models_that_are_installed_meanwhile_are_known_as_such(
    open_studio: OpenStudio, qtbot: QtBot, data_folder: Path, tmp_path: Path
) -> None:
    window = open_studio(started_before=True)
    window.docks.show("device")
    qtbot.waitUntil(lambda: window.knowledge.of(None).measured is not None, timeout=PATIENCE_MS)
    assert window.knowledge.of(None).measured.missing == "whisper-base"  # type: ignore[union-attr]
    assert "is installed at the first run" in window.top_bar.target.toolTip()
    (tmp_path / "installed").rename(data_folder / "models")
    qtbot.waitUntil(lambda: "(installed)" in window.top_bar.target.toolTip(), timeout=PATIENCE_MS)
    qtbot.waitUntil(
        lambda: window.knowledge.of(None).measured.missing is None,  # type: ignore[union-attr]
        timeout=PATIENCE_MS,
    )
