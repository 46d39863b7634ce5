"""Runs of the history are held against each other in the window."""

from __future__ import annotations

import shutil
from pathlib import Path

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio

from as2d.backend.compare.judging.judge import judge
from as2d.backend.runs.store import RunStore

RUNS = ("20261130-032604-4659", "20261130-032605-4659")


def test_two_selected_runs_are_compared(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path, data_folder: Path
) -> None:
    for run in RUNS:
        folder = data_folder / "runs" / run
        shutil.copytree(repository / "tests/data/runs/three-recordings", folder)
        manifest = folder / "manifest.json"
        manifest.write_text(manifest.read_text().replace(RUNS[0], run))
    second = data_folder / "runs" / RUNS[1] / "manifest.json"
    second.write_text(second.read_text().replace('"budget": 4', '"budget": 7'))
    window = open_studio()
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 2, timeout=PATIENCE_MS)
    assert not window.registry.action("history.compare").isEnabled()
    window.history.table.selectAll()
    window.registry.run("history.compare")
    panel = window.compare.results
    qtbot.waitUntil(lambda: panel.verdict.text() != "", timeout=PATIENCE_MS)
    assert window.docks.is_shown("compare")
    assert panel.verdict.text() == "✓ Identical output in all 4 windows"
    assert "Only 3 recordings were compared" in panel.cautions.text()
    assert panel.cautions.isVisible()
    assert panel.cautions.y() < panel.verdict.y()
    store = RunStore(data_folder / "runs")
    compared = judge([store.find(run) for run in RUNS])

    def cells(row: int) -> list[str]:
        found = (panel.sides.item(row, column) for column in range(panel.sides.columnCount()))
        return [cell.text() if cell is not None else "" for cell in found]

    assert cells(0)[:3] == [RUNS[0], "as2d", "reference"]
    assert cells(1)[2] == "1.00 × (1.00–1.00)"
    assert compared.sides[0].tps is not None
    assert cells(1)[4] == f"{compared.sides[0].tps:.1f}"
    item = panel.differences.item(0, 0)
    assert item is not None
    assert item.text() == "settings budget"
    assert panel.differences.rowCount() == 1


def test_the_captions_of_a_row_stand_at_one_height(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    window.docks.show("compare")
    qtbot.waitUntil(lambda: window.compare.form is not None, timeout=PATIENCE_MS)
    form = window.compare.form
    assert form is not None
    qtbot.waitUntil(form.isVisible, timeout=PATIENCE_MS)
    heights = {
        label.text(): label.mapTo(form, label.rect().center()).y()
        for label in form.findChildren(QLabel, "caption")
        if label.text() in ("Drafting starts", "Budgets", "Repeats", "Phones begin below", "Battery at least")
    }
    assert len(heights) == 5
    assert max(heights.values()) - min(heights.values()) <= 1, heights
