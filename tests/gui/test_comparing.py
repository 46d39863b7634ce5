"""A comparison planned, run, stopped, gone on with and judged in the window."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QDesktopServices, QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio
from tests.phone.small_models import SmallPair, install_small_pair

from as2d.app.compare.panel import PLAN, PLOTS, TABLE, TIMELINES
from as2d.app.compare.strips import NAMES
from as2d.app.history.model import KIND
from as2d.app.window.main_window import StudioWindow
from as2d.backend.compare.plan import read_plan
from as2d.backend.compare.running.shared import PlanProgress

CLIPS = ("cv_en_651325.mp3", "sonnet001.mp3")


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    """Models that decode in moments."""
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture
def window(open_studio: OpenStudio, pair: SmallPair, repository: Path) -> StudioWindow:
    clips = [repository / "tests" / "data" / "speech" / name for name in CLIPS]
    target, drafter = str(pair.target.path), str(pair.drafter.path)
    return open_studio(
        *clips,
        started_before=True,
        decode={"target": target, "drafter": drafter, "language": "en"},
        compare={
            "targets": [target],
            "drafters": [drafter],
            "methods": ["target-only", "as2d"],
            "repeats": 2,
        },
    )


def _run(window: StudioWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(window.registry.action("compare.run").isEnabled, timeout=PATIENCE_MS)
    qtbot.mouseClick(window.compare.button, Qt.MouseButton.LeftButton)
    assert window.comparisons.running
    qtbot.waitUntil(lambda: not window.comparisons.running, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: window.comparisons.shown.judgement is not None, timeout=PATIENCE_MS)


def test_a_plan_is_run_watched_judged_and_exported(
    window: StudioWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = window.compare
    qtbot.keyClick(window, Qt.Key.Key_8, Qt.KeyboardModifier.ControlModifier)
    assert panel.page == PLAN
    assert panel.form is not None
    ways = (
        "Each window is decoded 6 times: 3 ways by turns, 2 times each. "
        "They are Target only × 2 (the second shows the noise); AS²D. On 2 recordings of the list"
    )
    note = panel.form.note
    qtbot.waitUntil(lambda: note.text().startswith(f"{ways}, 0:"), timeout=PATIENCE_MS)
    assert note.text().endswith(" of audio: at least 18 decodes.")  # nothing tells how long yet
    _run(window, qtbot)
    assert panel.page == TABLE
    assert panel.results.verdict.text().startswith("✓ Identical output in all")
    judgement = window.comparisons.shown.judgement
    assert judgement is not None
    assert panel.results.sides.rowCount() == len(judgement.sides) == 3
    assert [side.method for side in judgement.sides] == ["target-only", "target-only", "as2d"]

    panel.show_page(TIMELINES)
    strips = panel.timelines.strips
    qtbot.waitUntil(lambda: len(strips.rows) == 3, timeout=PATIENCE_MS)
    assert [row.strip.arm for row in strips.rows] == [side.arm for side in judgement.sides]
    # All begin with their request: it lies at the same place in each, whatever the zoom.
    for zoomed in (False, True):
        if zoomed:
            place = QPointF(NAMES + 60, 60)
            wheel = QWheelEvent(
                place, strips.mapToGlobal(place), place.toPoint(), place.toPoint() * 2,
                Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(strips.viewport(), wheel)
        for row in strips.rows:
            assert row.strip.origin is not None
            lane = row.lanes[-1]
            at = lane.pos().x() - NAMES + row.view.axis.x(row.strip.origin)
            assert at == pytest.approx(strips.axis.x(0), abs=1.5)

    panel.show_page(PLOTS)
    qtbot.waitUntil(lambda: panel.plots is not None, timeout=PATIENCE_MS)
    assert panel.plots is not None
    assert len(panel.plots.distribution.plotItem.listDataItems()) == 2
    for plot in (panel.plots.distribution, panel.plots.windows):
        for side in ("left", "bottom"):
            axis = plot.getAxis(side)
            title, room = axis.label.mapRectToParent(axis.label.boundingRect()).center(), axis.size()
            middle = (title.x(), room.width() / 2) if side == "bottom" else (title.y(), room.height() / 2)
            assert middle[0] == pytest.approx(middle[1], abs=1.5)

    begun: list[str] = []

    def choose(_parent: QWidget, _title: str, start: str) -> str:
        begun.append(start)
        return str(tmp_path)

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", choose)
    window.settings.change(last_folder=str(tmp_path.parent))
    window.registry.run("compare.export")
    assert begun == [str(tmp_path.parent)]  # not the program's own data
    exported = f"The comparison was exported to {tmp_path}."
    qtbot.waitUntil(lambda: window.status.what.text() == exported, timeout=PATIENCE_MS)
    assert (tmp_path / "comparison.as2d").is_file()
    assert not window.message_bar.isVisible()
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))
    qtbot.mouseClick(window.status.folder, Qt.MouseButton.LeftButton)
    assert opened == [str(tmp_path)]

    panel.show_page(PLAN)
    qtbot.waitUntil(lambda: "by what decoding took there before." in note.text(), timeout=PATIENCE_MS)
    assert re.search(r": at least 18 decodes, about \d+\u00a0(s|min) by", note.text())
    assert {"report.html", "table.csv", "table.md", "windows.jsonl", "trace.pftrace"} <= {
        path.name for path in tmp_path.iterdir()
    }


def test_a_comparison_is_opened_from_the_history_in_its_tab(
    window: StudioWindow, open_studio: OpenStudio, qtbot: QtBot, data_folder: Path
) -> None:
    _run(window, qtbot)
    verdict = window.compare.results.verdict.text()
    window.close()

    def open_from_history() -> StudioWindow:
        later = open_studio(started_before=True)
        later.docks.show("history")
        table = later.history.table
        qtbot.waitUntil(lambda: later.history.model.rowCount() == 1, timeout=PATIENCE_MS)
        assert later.history.model.index(0, KIND).data() == "Comparison"
        place = table.visualRect(table.model().index(0, 0)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        qtbot.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
        qtbot.waitUntil(lambda: later.docks.is_shown("compare"), timeout=PATIENCE_MS)
        assert later.compare.page == TABLE
        assert later.compare.results.verdict.text() == verdict
        strips = later.compare.timelines.strips
        later.compare.show_page(TIMELINES)
        qtbot.waitUntil(lambda: len(strips.rows) == 3, timeout=PATIENCE_MS)
        assert later.studio.recordings.items == []
        return later

    later = open_from_history()
    later.compare.show_page(PLAN)
    form = later.compare.form
    assert form is not None
    assert set(form.methods.chosen) == {"target-only", "as2d"}
    assert form.repeats.value() == 2
    assert later.comparisons.shown.complete
    later.close()
    shutil.rmtree(data_folder / "comparisons")  # as of one that was run elsewhere
    assert open_from_history().comparisons.shown.plan is None


@pytest.fixture
def looked_at(window: StudioWindow, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """The comparison waits for this in its middle, so that it is there still when it is looked at."""
    event, tell = threading.Event(), window.comparisons._tell

    def tell_and_wait(progress: PlanProgress) -> None:
        tell(progress)
        if progress.done > 3:
            event.wait()

    monkeypatch.setattr(window.comparisons, "_tell", tell_and_wait)
    yield event
    event.set()


def test_a_comparison_that_was_stopped_goes_on(
    window: StudioWindow, qtbot: QtBot, looked_at: threading.Event
) -> None:
    window.docks.show("compare")
    panel = window.compare
    assert panel.form is not None
    panel.form.repeats.setValue(3)
    qtbot.mouseClick(panel.button, Qt.MouseButton.LeftButton)
    assert panel.page == TIMELINES
    assert not window.registry.action("run.start").isEnabled()
    qtbot.waitUntil(lambda: window.comparisons.done_of_total[0] > 3, timeout=PATIENCE_MS)
    qtbot.waitUntil(lambda: len(panel.timelines.strips.rows) > 0, timeout=PATIENCE_MS)
    strips = window.comparisons.strips
    qtbot.waitUntil(lambda: panel.timelines.window_shown == strips.newest, timeout=PATIENCE_MS)
    assert not window.close()
    (question,) = window.findChildren(QMessageBox)
    assert re.fullmatch(r"A comparison is being run: \d+ of \d+ decodes are done\.", question.text())
    question.reject()
    qtbot.mouseClick(panel.button, Qt.MouseButton.LeftButton)
    assert panel.button.text() == "Stopping …"
    assert not panel.button.isEnabled()
    looked_at.set()
    qtbot.waitUntil(lambda: not window.comparisons.running, timeout=PATIENCE_MS)
    done, total = window.comparisons.done_of_total
    folder = window.comparisons.shown.folder
    assert done < total
    assert folder is not None
    assert panel.button.text() == "Go on"
    _run(window, qtbot)
    assert window.comparisons.shown.folder == folder
    assert window.comparisons.done_of_total == (total, total)
    assert panel.button.text() == "Compare"


def test_a_plan_is_saved_opened_and_what_is_missing_is_said(
    window: StudioWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.docks.show("compare")
    form = window.compare.form
    assert form is not None
    form.budgets.setText("3, 8")
    form.budgets.editingFinished.emit()
    form.preparings.tick(("isolated", "ahead"))
    file = tmp_path / "own.toml"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(file), ""))
    window.registry.run("compare.plan_save")
    assert read_plan(file).budgets == (3, 8)
    assert read_plan(file).methods == ("target-only", "as2d")
    assert read_plan(file).preparings == ("isolated", "ahead")
    form.preparings.tick(("isolated",))
    form.methods.tick(())
    assert form.note.text() == "Tick a method."
    window.registry.run("compare.run")
    assert not window.comparisons.running
    assert window.message_bar.isVisible()
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    window.registry.run("compare.plan_open")
    assert set(form.methods.chosen) == {"target-only", "as2d"}
    assert form.budgets.text() == "3, 8"
    assert form.preparings.chosen == ("isolated", "ahead")
