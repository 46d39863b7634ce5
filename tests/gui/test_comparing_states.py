"""What a comparison may do beside other work, and which plan it runs; nothing is decoded here."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtWidgets import QCheckBox, QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio

from as2d.app.compare.boxes import Boxes
from as2d.app.compare.panel import PLAN, TIMELINES
from as2d.app.viewmodels.choices import Choice
from as2d.app.window.main_window import StudioWindow
from as2d.backend.compare.plan import ComparePlan, Gate, read_plan, write_plan
from as2d.backend.compare.running.journal import Journal, RecordingRead

CLIP = "cv_en_651325.mp3"
Started = list[tuple[ComparePlan, Path]]


@pytest.fixture
def window(open_studio: OpenStudio, repository: Path) -> StudioWindow:
    window = open_studio(repository / "tests" / "data" / "speech" / CLIP, started_before=True)
    window.docks.show("compare")
    window.compare.show_page(PLAN)
    return window


@pytest.fixture
def started(window: StudioWindow, monkeypatch: pytest.MonkeyPatch) -> Started:
    """The plans that are run, and in which folders, instead of running them."""
    found: Started = []
    monkeypatch.setattr(window.comparisons, "start", lambda plan, folder: found.append((plan, folder)))
    return found


def _open_plan(window: StudioWindow, monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    window.registry.run("compare.plan_open")


def test_while_a_comparison_runs_it_is_followed_and_nothing_else_begins(
    window: StudioWindow, tmp_path: Path
) -> None:
    assert window.registry.action("longrun.start").isEnabled()
    window.studio.operations.closed = True  # its work does not begin
    window.comparisons.start(ComparePlan(methods=("as2d",), recordings=("a.wav",)), tmp_path)
    assert window.comparisons.running
    assert not window.registry.action("longrun.start").isEnabled()
    assert not window.registry.action("history.compare").isEnabled()
    assert window.compare.timelines.newest.isChecked()
    assert not window.compare.timelines.newest.isHidden()
    assert window.top_bar.chip.state.text() in ("", "● comparing")
    window.long_run_deeds.table()["longrun.start"]()
    assert not window.long_runs.running


def test_a_device_that_is_measured_is_not_compared_on(
    window: StudioWindow, qtbot: QtBot, started: Started
) -> None:
    done = threading.Event()
    run = window.registry.action("compare.run")
    assert run.isEnabled()
    window.works.begin(None, "Measuring", lambda _operation: done.wait(60), lambda _result: None, alone=True)
    qtbot.waitUntil(lambda: not run.isEnabled(), timeout=PATIENCE_MS)
    assert "Measuring" in window.compare.what.text()
    window.compare_deeds.table()["compare.run"]()
    assert started == []
    done.set()
    qtbot.waitUntil(run.isEnabled, timeout=PATIENCE_MS)


def test_an_opened_plan_is_run_as_it_is_until_the_form_is_changed(
    window: StudioWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: Started
) -> None:
    plan = ComparePlan(
        name="by hand", methods=("sd:5", "target-only"), admissions=("root", "text"),
        targets=("/own/target",), devices=("a phone",), recordings=("corpus",), split="test", limit=3,
        warm_up=0, language="de", gate=Gate(hottest_c=35.5, wait_s=7),
    )  # fmt: skip
    write_plan(tmp_path / "own.toml", plan)
    kept = window.settings.current.compare
    _open_plan(window, monkeypatch, tmp_path / "own.toml")
    assert window.settings.current.compare == kept
    assert [item.name for item in window.studio.recordings.items] == [CLIP]
    form = window.compare.form
    assert form is not None
    assert form.devices.chosen == ("a phone",)
    assert "as it was opened" in form.note.text()
    form.budgets.editingFinished.emit()
    window.registry.run("compare.run")
    assert started[0][0] == plan.model_copy(update={"recordings": (str(tmp_path / "corpus"),)})
    form.repeats.setValue(7)
    assert "as it was opened" not in form.note.text()
    window.registry.run("compare.run")
    assert started[1][0].repeats == 7
    assert started[1][0].recordings == tuple(str(path) for path in window.compare_deeds._paths())


def test_an_opened_comparison_goes_on_where_it_was_ended(
    window: StudioWindow, qtbot: QtBot, tmp_path: Path, started: Started
) -> None:
    plan = ComparePlan(methods=("as2d",), recordings=("a.wav",), warm_up=0)
    write_plan(tmp_path / "plan.toml", plan)
    with Journal(tmp_path, plan) as journal:
        journal.note(RecordingRead(recording="a.wav", windows=2))
    window.comparisons.open_folder(tmp_path)
    assert not window.registry.action("compare.run").isEnabled()
    qtbot.waitUntil(lambda: window.comparisons.shown.folder == tmp_path, timeout=PATIENCE_MS)
    qtbot.waitUntil(window.registry.action("compare.run").isEnabled, timeout=PATIENCE_MS)
    assert window.compare.button.text() == "Go on"
    assert window.compare.page == TIMELINES
    window.registry.run("compare.run")
    assert started == [(read_plan(tmp_path / "plan.toml"), tmp_path)]


def test_boxes_stay_when_phones_come_and_go(qtbot: QtBot) -> None:
    boxes = Boxes("Devices")
    qtbot.addWidget(boxes)
    here, phone = Choice("this-computer", "This computer"), Choice("p1", "Phone")
    boxes.show_choices([here], ["this-computer", "p1"])
    assert boxes.chosen == ("this-computer", "p1")
    before = boxes.findChildren(QCheckBox)
    boxes.show_choices([here, Choice("p1", "Phone (offline)", usable=False)], [])
    assert boxes.findChildren(QCheckBox) == before
    assert all(box.isEnabled() for box in before)  # so that it can be left out
    before[1].click()
    assert boxes.chosen == ("this-computer",)
    boxes.show_choices([here, phone, Choice("p2", "<b>Other</b>", "<b>Other</b>")], [])
    assert [box.text() for box in boxes.findChildren(QCheckBox)][1:] == ["Phone", "<b>Other</b>"]


@pytest.mark.parametrize("text", ["²", "3, x", "", "9" * 5000])
def test_what_is_no_budget_is_said(window: StudioWindow, text: str) -> None:
    form = window.compare.form
    assert form is not None
    form.budgets.setText(text)
    form.budgets.editingFinished.emit()
    assert form.note.text().startswith("A budget is")
