"""Phones come and go: their states in words, adding one by its address, files pushed, seen and taken away."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QMessageBox, QPushButton, QWidget
from tests.gui.phone.conftest import Desk, MakeDesk

from as2d.app.device.dialogs import BatteryDialog, CpusDialog, FormDialog, NicknameDialog
from as2d.app.device.pairing_dialog import PairingDialog
from as2d.backend.audio.folders import FoundRecording
from as2d.backend.devices.battery_memory import remembered_current
from as2d.backend.devices.phone_service import PhoneService
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.jobs.job import JobStore
from as2d.backend.jobs.sending import JobSender
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.settings import TranscribeSettings

D = TypeVar("D", bound=QWidget)


def _dialog(kind: type[D]) -> D:
    found = [
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, kind) and widget.isVisible()
    ]
    assert len(found) == 1
    return found[0]


def _accept(desk: Desk, dialog: FormDialog) -> None:
    desk.qtbot.mouseClick(dialog.buttons.buttons()[0], Qt.MouseButton.LeftButton)


def test_the_picker_says_what_to_do_and_follows_the_phone(make_desk: MakeDesk) -> None:
    desk = make_desk(authorized=False)
    picker = desk.window.top_bar.device
    desk.until(lambda: "(not accepted yet)" in picker.itemText(1))  # it is offline for a moment before
    assert picker.count() == 2
    assert "accept the question about USB debugging" in picker.itemData(1, Qt.ItemDataRole.ToolTipRole)
    desk.window.docks.show("device")
    desk.window.device.choose(desk.window.phones.now[0].id)
    page = desk.window.device.page()
    assert page is not None
    assert page.state.text() == "not accepted yet"
    assert "accept the question about USB debugging" in page.sentence.text()
    assert not desk.window.registry.action("device.measure").isEnabled()
    desk.phone.authorize()
    desk.until_listed()
    assert picker.itemText(picker.findData(desk.key)) == desk.window.phones.now[0].name
    assert picker.itemData(picker.findData(desk.key), Qt.ItemDataRole.ToolTipRole).startswith(
        "Ready, by network"
    )
    desk.show()
    assert desk.page.state.text() == "ready"
    desk.phone.unplug()
    desk.until(lambda: not any(phone.ready for phone in desk.window.phones.now))
    assert desk.page.state.text() != "ready"
    assert desk.page.sentence.isVisible()


def test_a_phone_is_added_by_its_address_and_errors_are_sentences(make_desk: MakeDesk) -> None:
    desk = make_desk(connect=False)
    desk.qtbot.keyClick(
        desk.window, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    dialog = _dialog(PairingDialog)
    desk.qtbot.keyClicks(dialog.pair_address, "nonsense")
    desk.qtbot.keyClicks(dialog.code, "12ab34")
    assert dialog.code.text() == "1234"  # only digits can be typed
    desk.qtbot.keyClick(dialog.code, Qt.Key.Key_Return)
    desk.until(lambda: "takes HOST:PORT" in dialog.state.text())
    dialog.pair_address.setText("127.0.0.1:1")
    desk.qtbot.mouseClick(dialog.pair_button, Qt.MouseButton.LeftButton)
    desk.until(lambda: "six digits" in dialog.state.text())
    desk.qtbot.keyClicks(dialog.code, "56")
    desk.qtbot.mouseClick(dialog.pair_button, Qt.MouseButton.LeftButton)
    desk.until(lambda: dialog.pair_button.isEnabled() and "127.0.0.1:1" in dialog.state.text())
    assert dialog.state.text().endswith(".")
    assert dialog.pair_address.hasFocus()
    for label in dialog.findChildren(QLabel):  # the dialog has room for all that it says
        assert label.height() >= label.heightForWidth(label.width())
    dialog.address.setText("127.0.0.1:1")
    desk.qtbot.keyClick(dialog.address, Qt.Key.Key_Return)
    desk.until(lambda: dialog.connect_button.isEnabled())
    assert "127.0.0.1:1" in dialog.state.text()
    dialog.address.setText(desk.phone.address)
    desk.qtbot.keyClick(dialog.address, Qt.Key.Key_Return)
    desk.until(lambda: dialog.state.text().startswith("Connected: "))
    dialog.close()
    desk.until_listed()
    desk.window.device.choose(desk.key)
    desk.window.registry.run("phone.disconnect")
    desk.until(lambda: not desk.window.phones.now)


def test_models_are_pushed_seen_and_cleaned_after_a_question(desk: Desk) -> None:
    assert "Nothing of AS²D is on it." in desk.page.storage.lead.text()
    told: list[str] = []
    desk.window.works.changed.connect(lambda _key: told.append(desk.page.work.text.text()))
    desk.run_works("phone.push")
    assert any("MB/s" in text or "pushing" in text for text in told)
    contents = desk.window.knowledge.of(desk.key).contents
    assert contents is not None
    assert {model.digest for model in contents.models} == {desk.pair.target.digest, desk.pair.drafter.digest}
    assert desk.pair.target.name in desk.page.as_text()
    desk.window.registry.run("phone.clean")
    box = _dialog(QMessageBox)
    assert "the next run pushes them again" in box.informativeText()
    desk.qtbot.mouseClick(box.defaultButton(), Qt.MouseButton.LeftButton)
    assert desk.phone.files()
    desk.window.registry.run("phone.clean")
    (delete,) = [button for button in _dialog(QMessageBox).buttons() if button.text() == "Delete"]
    desk.qtbot.mouseClick(delete, Qt.MouseButton.LeftButton)
    desk.until(lambda: desk.window.works.of(desk.key) is None)
    assert not desk.phone.files()
    assert "Nothing of AS²D is on it." in desk.page.storage.lead.text()


def test_what_is_chosen_of_a_phone_is_kept_as_the_command_line_keeps_it(desk: Desk) -> None:
    automatic = desk.window.knowledge.of(desk.key).placed
    assert automatic is not None
    desk.window.registry.run("phone.cpus")
    cpus = _dialog(CpusDialog)
    cpus.target.setText("0-99")
    _accept(desk, cpus)
    assert "names processors that the phone does not have" in cpus.error.text()
    cpus.target.setText("7")
    cpus.drafter.setText("3")
    _accept(desk, cpus)
    kept = RememberedDevices().phone(desk.key).cpus
    assert kept is not None
    assert (kept.target, kept.drafter) == ((7,), (3,))
    desk.until(lambda: desk.window.knowledge.of(desk.key).placed != automatic)
    assert "7 target" in desk.page.placement.row.accessibleName()

    desk.window.registry.run("phone.battery")
    battery = _dialog(BatteryDialog)
    battery.unit.setCurrentIndex(battery.unit.findData("mA"))
    battery.sign.setCurrentIndex(battery.sign.findData(-1))
    _accept(desk, battery)
    current = remembered_current(desk.key)
    assert current is not None
    assert (current.unit, current.discharging_sign, current.confidence) == ("mA", -1, "given")
    desk.until(lambda: "given by you" in desk.page.as_text())

    desk.window.registry.run("phone.nickname")
    name = _dialog(NicknameDialog)
    name.name.setText("phone")
    _accept(desk, name)
    assert "means something else" in name.error.text()
    name.name.setText("Desk phone")
    _accept(desk, name)
    desk.until(lambda: [phone.name for phone in desk.window.phones.now] == ["Desk phone"])
    assert desk.page.name.text() == "Desk phone"


def test_the_page_tells_the_hardware_and_which_sensors_cannot_be_read(make_desk: MakeDesk) -> None:
    desk = make_desk(named="denied")
    desk.until_listed()
    desk.show()
    text = desk.page.as_text()
    for told in (desk.phone.profile.properties["ro.product.model"], "Cortex", "Android", "GPU driver"):
        assert told in text
    desk.run_works("device.sensors")
    seen = desk.window.knowledge.of(desk.key).seen
    assert seen is not None
    assert seen.telemetry.missing
    reasons = [reason for reason in seen.telemetry.missing.values() if reason in desk.page.as_text()]
    assert reasons


def test_a_detached_job_is_listed_and_collected(desk: Desk, clip: Path) -> None:
    settings = TranscribeSettings(
        target=str(desk.pair.target.path), drafter=str(desk.pair.drafter.path), language="en"
    )
    device = PhoneService().device(desk.key, CancelToken())
    sent = JobSender(settings, device).send([FoundRecording(clip)], lease_seconds=600)
    while (state := device.job_state(sent.job.job, CancelToken())) is not None and state.running:
        continue
    desk.window.registry.run("device.refresh")
    desk.until(lambda: bool(desk.window.knowledge.of(desk.key).jobs))
    assert "ended, 1 of 1 windows" in desk.page.as_text()
    (button,) = [
        one for one in desk.page.jobs.findChildren(QPushButton) if sent.job.job in one.accessibleName()
    ]
    desk.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    desk.until(lambda: JobStore().all() == [])
    desk.until(lambda: desk.window.transcript.text is not None)
    desk.until(lambda: not desk.window.knowledge.of(desk.key).jobs)


@pytest.mark.parametrize("language", ["zh_CN"])
def test_the_page_speaks_chinese(make_desk: MakeDesk, language: str) -> None:
    desk = make_desk(language=language)
    desk.until_listed()
    desk.show()
    text = desk.page.as_text()
    for word in ("硬件", "目标模型调用的开销", "预算", "传感器", "手机上", "就绪"):
        assert word in text
