"""A phone chosen in the picker decodes; a pulled cable pauses the run, and the text stays the same."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget
from tests.gui.conftest import HoldBehind, wait_for_end
from tests.gui.phone.conftest import Desk, MakeDesk

from as2d.app.recordings.words import details_of
from as2d.app.viewmodels.recordings import RecordingItem
from as2d.app.viewmodels.run import RunViewModel
from as2d.backend.devices.battery_memory import keep_current
from as2d.backend.energy.calibration import given_calibration
from as2d.backend.protocol.host_events import RecordingOpened, RequestSent


def _text(desk: Desk) -> str:
    text = desk.window.transcript.text
    assert text is not None
    return text.text()


def _live(desk: Desk) -> RunViewModel:
    live = desk.window.studio.live
    assert live is not None
    return live


def pull_when_opened(desk: Desk, hold_behind: HoldBehind) -> None:
    """Unplug the phone when its next recording is begun, once: before it has decoded anything of it."""
    opened = hold_behind(lambda event: isinstance(event, RecordingOpened))

    def pull(item: RecordingItem | None) -> None:
        if item is not None and item.status == "active" and not opened.is_set():
            desk.phone.unplug()
            opened.set()

    desk.window.studio.recordings.listen(pull)


def test_a_pulled_cable_pauses_the_run_in_the_window_and_the_text_is_the_same(
    make_desk: MakeDesk, clip: Path, hold_behind: HoldBehind
) -> None:
    desk = make_desk(clip)
    desk.until_listed()
    desk.decode_here()
    desk.window.registry.run("run.start")
    wait_for_end(desk.window, desk.qtbot)
    whole = _text(desk)
    assert whole

    pull_when_opened(desk, hold_behind)
    desk.window.registry.run("recordings.again")
    desk.window.registry.run("run.start")
    desk.until(lambda: _live(desk).paused)
    chip = desk.window.top_bar.chip
    assert chip.isVisible()
    assert chip.state.text() == "● paused, away"
    assert desk.window.status.what.text().startswith("Paused")
    (item,) = desk.window.studio.recordings.items
    assert details_of(item).endswith("paused, the device is away")
    assert "The run is paused" in desk.window.message_bar.text.text()
    desk.phone.plug_in()
    desk.until(lambda: desk.window.studio.live is None or not desk.window.studio.live.paused)
    assert not desk.window.message_bar.isVisible()
    wait_for_end(desk.window, desk.qtbot)
    assert [item.status for item in desk.window.studio.recordings.items] == ["done"]
    assert _text(desk) == whole

    pull_when_opened(desk, hold_behind)
    desk.window.registry.run("recordings.again")
    desk.window.registry.run("run.start")
    desk.until(lambda: _live(desk).paused)
    assert desk.window.message_bar.isVisible()
    desk.window.registry.run("run.cancel")
    wait_for_end(desk.window, desk.qtbot)
    assert not desk.window.message_bar.isVisible()  # nothing is paused any more


def test_watts_are_live_where_the_current_is_known_and_the_same_when_opened_again(
    make_desk: MakeDesk, clip: Path, hold_behind: HoldBehind
) -> None:
    desk = make_desk(clip)
    desk.until_listed()
    desk.show()
    keep_current(desk.key, given_calibration("uA", -1))
    desk.phone.sensors.start_moving()
    desk.decode_here()
    sent = hold_behind(lambda event: isinstance(event, RequestSent))
    desk.window.registry.run("run.start")
    desk.until(lambda: len(_live(desk).timeline.sensors.power) > 1)
    assert " W" in desk.window.top_bar.chip.button.text()
    assert desk.window.top_bar.chip.state.text() == "● decoding"
    picker = desk.window.top_bar.device
    name = picker.currentText()
    picker.setCurrentIndex(picker.findData(None))
    picker.activated.emit(picker.currentIndex())
    assert desk.window.status.device.text().startswith(name)  # what decodes, not what is chosen for the next
    desk.decode_here()
    desk.until(lambda: not desk.page.live.isHidden())
    names = [tile.accessibleName() for tile in desk.page.live.findChildren(QWidget)]
    assert any(name.startswith("Power: ") and name.endswith(" W") for name in names)
    assert any(name.startswith("Clocks: ") and name.endswith(" GHz") for name in names)
    sent.set()
    wait_for_end(desk.window, desk.qtbot)
    live = desk.window.studio.shown
    assert live is not None
    assert live.folder is not None
    desk.window.studio.open_run(live.folder)
    desk.until(lambda: desk.window.studio.shown is not live)
    opened = desk.window.studio.shown
    assert opened is not None
    assert opened.timeline.calibration == given_calibration("uA", -1)
    assert list(opened.timeline.sensors.power.values) == list(live.timeline.sensors.power.values)
