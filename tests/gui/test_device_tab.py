"""The Device tab with this computer: hardware, sensors, measured costs and budget with their evidence."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio
from tests.phone.small_models import SmallPair, install_small_pair

from as2d.app.device.page import DevicePage
from as2d.app.window.main_window import StudioWindow
from as2d.backend.calibration.cost_profile import CostProfiles
from as2d.backend.calibration.plan import QUICK
from as2d.backend.devices.this_computer import this_computer
from as2d.backend.transcribe.profile import BudgetEntry, BudgetKey, DeviceProfile


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    """Models that are measured in moments."""
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own, in which nothing was measured."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("AS2D_DATA_DIR", str(folder))
    return folder


def _open(open_studio: OpenStudio, pair: SmallPair, *files: Path) -> StudioWindow:
    decode = {"target": str(pair.target.path), "drafter": str(pair.drafter.path), "language": "en"}
    window = open_studio(*files, started_before=True, decode=decode)
    window.device_deeds.plan = QUICK
    window.device_deeds.budget_repeats = 1
    return window


def _page(window: StudioWindow, qtbot: QtBot) -> DevicePage:
    qtbot.keyClick(window, Qt.Key.Key_5, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: window.knowledge.of(None).seen is not None, timeout=PATIENCE_MS)
    page = window.device.page()
    assert page is not None
    return page


def _work(window: StudioWindow, qtbot: QtBot, command: str) -> None:
    window.registry.run(command)
    assert window.works.of(None) is not None
    assert not window.registry.action(command).isEnabled()
    qtbot.waitUntil(lambda: window.works.of(None) is None, timeout=PATIENCE_MS)


def crushed(page: DevicePage) -> list[str]:
    """Cards that are lower than their texts need, and texts that are lower than they need."""
    cards = [card for card in page.flow.cards if card.isVisible()]
    low = [card.title for card in cards if card.height() < card.heightForWidth(card.width())]
    for card in cards:
        for label in card.findChildren(QLabel):
            needed = (
                label.heightForWidth(label.width()) if label.wordWrap() else label.minimumSizeHint().height()
            )
            if label.isVisible() and label.height() < needed:
                low.append(f"{card.title}: {label.text()}")
    return low


def test_the_tab_tells_the_hardware_and_the_sensors_in_the_helpers_words(
    open_studio: OpenStudio, qtbot: QtBot, pair: SmallPair
) -> None:
    window = _open(open_studio, pair)
    page = _page(window, qtbot)
    known = window.knowledge.of(None)
    assert known.seen is not None
    assert known.report is not None
    text = page.as_text()
    qtbot.waitUntil(lambda: crushed(page) == [], timeout=PATIENCE_MS)
    window.resize(900, 700)
    window.docks.show("history")
    window.resize(1280, 800)
    window.docks.show("device")
    qtbot.waitUntil(lambda: crushed(page) == [], timeout=PATIENCE_MS)
    assert this_computer().cpu in text
    assert str(known.report.helper) in text
    assert "Not measured on this device" in page.costs.lead.text()
    assert page.budget.number.text() == "4"
    assert "default" in page.budget.headline.text()
    for probe in ("battery", "thermal", "battery.current_raw"):
        reason = known.seen.telemetry.missing.get(probe)
        assert reason is None or reason in text
    window.registry.run("device.copy")
    assert QApplication.clipboard().text() == text


def test_measuring_shows_each_width_with_the_file_that_says_so(
    open_studio: OpenStudio, qtbot: QtBot, pair: SmallPair, data_folder: Path
) -> None:
    window = _open(open_studio, pair)
    page = _page(window, qtbot)
    stages: list[str] = []
    window.works.changed.connect(lambda _key: stages.append(page.work.text.text()))
    _work(window, qtbot, "device.measure")
    assert any(" of " in stage for stage in stages)
    qtbot.waitUntil(
        lambda: not page.costs.plot.isHidden() and page.costs.plot.drawn is not None, timeout=PATIENCE_MS
    )
    found = CostProfiles(data_folder / "profiles").newest(
        pair.target.digest, pair.drafter.digest, this_computer().cpu
    )
    assert found is not None
    path, profile = found
    text = page.as_text()
    for cost in profile.target_calls:
        if cost.threads == profile.threads and cost.context == 60:
            assert f"{cost.ms_median:.1f} ms" in text
    assert path.name in text
    assert hashlib.sha256(path.read_bytes()).hexdigest()[:12] in text
    # As the command line says it, a worse measurement does not replace a better one.
    better = profile.model_copy(update={"repeats": 99})
    CostProfiles(data_folder / "profiles").store(better)
    _work(window, qtbot, "device.measure")
    assert "it has 99 repeats" in window.message_bar.text.text()


def test_measuring_holds_runs_back_can_be_cancelled_and_keeps_nothing(
    open_studio: OpenStudio, qtbot: QtBot, pair: SmallPair, data_folder: Path, repository: Path
) -> None:
    window = _open(open_studio, pair, repository / "resources" / "sample" / "jfk.flac")
    window.device_deeds.plan = None
    page = _page(window, qtbot)
    window.registry.run("device.measure")
    assert window.works.of(None) is not None
    window.studio.start()
    assert not window.studio.running  # what is measured beside a run is no measurement
    assert "This computer is busy (Measuring); run when" in window.message_bar.text.text()
    qtbot.mouseClick(page.work.button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.works.of(None) is None, timeout=PATIENCE_MS)
    assert page.work.isHidden()
    assert not list((data_folder / "profiles").glob("cost-*"))
    assert window.registry.action("device.measure").isEnabled()


def test_an_answer_about_models_that_are_not_chosen_any_more_is_left_aside(
    open_studio: OpenStudio, qtbot: QtBot, pair: SmallPair, data_folder: Path
) -> None:
    key = BudgetKey(
        target=pair.target.digest, drafter=pair.drafter.digest, threads=1, cpu=this_computer().cpu
    )
    entry = BudgetEntry(key=key, budget=5, tps=60.0, windows=12, measured="2026-11-30T05:00:00Z")
    DeviceProfile(data_folder / "profiles").store(entry)
    window = _open(open_studio, pair)
    _page(window, qtbot)
    measured = window.knowledge.of(None).measured
    assert measured is not None
    assert [kept.entry.budget for kept in measured.budgets] == [5]
    window.knowledge.look(None)
    window.settings.change_decode(drafter=None)
    window.top_bar.changed.emit()
    qtbot.waitUntil(lambda: not window.knowledge.asking, timeout=PATIENCE_MS)
    measured = window.knowledge.of(None).measured
    assert measured is not None
    assert measured.budgets == ()


def test_a_chosen_budget_tells_what_it_beat_and_decodes_from_then_on(
    open_studio: OpenStudio, qtbot: QtBot, pair: SmallPair, data_folder: Path, repository: Path
) -> None:
    clip = repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"
    window = _open(open_studio, pair, clip)
    page = _page(window, qtbot)
    _work(window, qtbot, "device.budget")
    qtbot.waitUntil(lambda: not page.budget.bars.isHidden(), timeout=PATIENCE_MS)
    (kept,) = DeviceProfile(data_folder / "profiles").budgets_of(
        pair.target.digest, pair.drafter.digest, this_computer().cpu
    )
    entry = kept.entry
    assert len(entry.rates) == 7
    assert entry.tps == max(rate.tps for rate in entry.rates)
    text = page.as_text()
    assert page.budget.number.text() == str(entry.budget)
    assert kept.path.name in text
    assert kept.digest[:12] in text
    assert str(entry.run) in text
    assert "few windows" in page.budget.weak.text()
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 1, timeout=PATIENCE_MS)
    window.registry.run("run.start")
    qtbot.waitUntil(lambda: not window.studio.running, timeout=PATIENCE_MS)
    run = window.studio.shown
    assert run is not None
    (request,) = list(run.fold.finished_requests())
    assert request.result is not None
    assert request.result.budget == entry.budget
