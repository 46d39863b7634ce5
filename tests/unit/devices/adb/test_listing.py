"""One phone is one entry, two phones are two, and a phone that hangs holds nobody up."""

from __future__ import annotations

import json

import pytest
from tests.unit.devices.scripted_server import ScriptedServer, okay

from as2d.backend.devices.adb import listing
from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.choosing import choose_device, choose_phone, find_phone
from as2d.backend.devices.phone import PhoneState, TransportKind
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.errors import HelperFailed, WrongUse
from as2d.backend.transcribe.cancel import CancelToken

PIXEL = {"ro.serialno": "PIX1", "ro.product.manufacturer": "Google", "ro.product.model": "Pixel 9"}
MDNS = "adb-PIX1-vWgJpq._adb-tls-connect._tcp"


def test_one_phone_by_cable_wifi_and_address_is_one(
    scripted: ScriptedServer, remembered: RememberedDevices
) -> None:
    scripted.list = (
        "192.168.1.20:5555      device product:tokay model:Pixel_9 device:tokay transport_id:1\n"
        f"{MDNS} device product:tokay model:Pixel_9 device:tokay transport_id:2\n"
        "PIX1                   device usb:1-1 product:tokay model:Pixel_9 device:tokay transport_id:3\n"
    )
    properties = {**PIXEL, "ro.build.version.release": "15"}
    scripted.properties = dict.fromkeys(("192.168.1.20:5555", MDNS, "PIX1"), properties)
    (phone,) = list_phones(scripted.server, remembered=remembered)
    assert [way.kind for way in phone.transports] == [
        TransportKind.USB,
        TransportKind.WIFI,
        TransportKind.TCP,
    ]
    assert (phone.id, phone.best.serial, phone.full_model, phone.android) == (
        "PIX1",
        "PIX1",
        "Google Pixel 9",
        "15",
    )
    assert phone.ready
    assert phone.sentence == ""
    assert choose_phone(None, [phone]) is phone
    for name in ("PIX1", "pix1", "192.168.1.20:5555", "192.168.1.20", MDNS, "Pixel 9", "google pixel_9"):
        assert find_phone(name, [phone]) is phone
    assert remembered.phone("PIX1").addresses == ("192.168.1.20:5555",)


def test_the_cable_gives_way_to_what_is_ready(
    scripted: ScriptedServer, remembered: RememberedDevices
) -> None:
    scripted.list = (
        "PIX1                   unauthorized usb:1-1 transport_id:3\n"
        f"{MDNS} device model:Pixel_9 transport_id:2\n"
    )
    scripted.properties = {MDNS: PIXEL}
    (phone,) = list_phones(scripted.server, remembered=remembered)
    assert (phone.state, phone.best.serial) == (PhoneState.READY, MDNS)
    assert phone.transports[1].state is PhoneState.UNAUTHORIZED


def test_two_of_the_same_model_are_two(scripted: ScriptedServer, remembered: RememberedDevices) -> None:
    scripted.list = (
        "PIX1                   device usb:1-1 product:tokay model:Pixel_9 device:tokay transport_id:1\n"
        "PIX2                   device usb:1-2 product:tokay model:Pixel_9 device:tokay transport_id:2\n"
    )
    scripted.properties = {"PIX1": PIXEL, "PIX2": {**PIXEL, "ro.serialno": "PIX2"}}
    phones = list_phones(scripted.server, remembered=remembered)
    assert [phone.id for phone in phones] == ["PIX1", "PIX2"]
    with pytest.raises(
        WrongUse, match=r"There are 2 phones: Pixel 9 \(PIX1\) and Pixel 9 \(PIX2\); name one"
    ):
        choose_phone(None, phones)
    with pytest.raises(WrongUse, match=r"'pixel 9' means Pixel 9 \(PIX1\) and Pixel 9 \(PIX2\)"):
        choose_phone("pixel 9", phones)
    assert choose_phone("PIX2", phones).id == "PIX2"
    remembered.set_nickname("PIX2", "Left")
    named = list_phones(scripted.server, remembered=remembered)
    assert choose_phone("left", named).id == "PIX2"


@pytest.mark.parametrize("serial", ["0123456789ABCDEF", "BOX"])
def test_two_cables_are_two_phones_whatever_their_maker_called_them(
    serial: str, scripted: ScriptedServer, remembered: RememberedDevices
) -> None:
    scripted.list = (
        f"{serial:<22} device usb:1-1 product:box model:Box device:box transport_id:1\n"
        f"{serial:<22} device usb:1-2 product:box model:Box device:box transport_id:2\n"
    )
    properties = {"ro.serialno": serial}
    scripted.properties = {"usb:1-1": properties, "usb:1-2": properties}
    phones = list_phones(scripted.server, remembered=remembered)
    assert sorted(phone.best.target for phone in phones) == ["usb:1-1", "usb:1-2"]
    assert all(phone.ready for phone in phones)
    assert len({phone.id for phone in phones}) == 2


def test_a_phantom_is_listed_and_never_chosen(
    scripted: ScriptedServer, remembered: RememberedDevices
) -> None:
    scripted.list = (
        "Ucamera001             offline usb:3-1 transport_id:1\n"
        "PIX1                   device usb:1-1 product:tokay model:Pixel_9 device:tokay transport_id:3\n"
    )
    scripted.properties = {"PIX1": PIXEL}
    phones = list_phones(scripted.server, remembered=remembered)
    assert [phone.id for phone in phones] == ["PIX1", "Ucamera001"]
    assert choose_phone(None, phones).id == "PIX1"
    with pytest.raises(HelperFailed, match="The phone Ucamera001 does not answer; `as2d reconnect`"):
        choose_phone("Ucamera001", phones)
    with pytest.raises(HelperFailed, match="The phone Ucamera001 does not answer"):
        choose_phone(None, phones[1:])


def test_no_phone_is_ready(scripted: ScriptedServer, remembered: RememberedDevices) -> None:
    with pytest.raises(HelperFailed, match="No phone is connected"):
        choose_device("phone", server=scripted.server, remembered=remembered)
    scripted.list = "A1 unauthorized usb:1-1 transport_id:1\nB2 recovery usb:1-2 transport_id:2\n"
    with pytest.raises(HelperFailed, match="No phone is ready: A1 is unauthorized, B2 is recovery"):
        choose_device("phone", server=scripted.server, remembered=remembered)
    with pytest.raises(WrongUse, match=r"no phone 'C3' \(connected: A1 and B2\)"):
        choose_device("C3", server=scripted.server, remembered=remembered)
    remembered.set_nickname("C3", "far")
    with pytest.raises(HelperFailed, match=r"The phone 'far' is not connected"):
        choose_device("far", server=scripted.server, remembered=remembered)


def test_this_computer_needs_no_adb(scripted: ScriptedServer) -> None:
    for name in (None, "this-computer"):
        assert choose_device(name, server=scripted.server) is None
    assert scripted.asked == []


def test_a_phone_that_hangs_is_told_and_holds_nobody_up(
    scripted: ScriptedServer, remembered: RememberedDevices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "ASK_SECONDS", 3.0)
    scripted.list = (
        "HANGS                  device usb:1-1 product:x model:X device:x transport_id:1\n"
        "PIX1                   device usb:1-2 product:tokay model:Pixel_9 device:tokay transport_id:3\n"
    )
    scripted.properties = {"HANGS": None, "PIX1": PIXEL}
    phones = list_phones(scripted.server, remembered=remembered)
    assert [(phone.id, phone.ready) for phone in phones] == [("PIX1", True), ("HANGS", False)]
    assert "does not answer" in phones[1].sentence
    assert choose_phone(None, phones).id == "PIX1"


def test_a_phone_last_seen_at_an_address_is_known_there_while_it_is_offline(
    scripted: ScriptedServer, remembered: RememberedDevices
) -> None:
    scripted.list = "192.168.1.20:5555      device model:Pixel_9 transport_id:1\n"
    scripted.properties = {"192.168.1.20:5555": PIXEL}
    list_phones(scripted.server, remembered=remembered)
    remembered.set_nickname("PIX1", "mine")
    scripted.list = "192.168.1.20:5555      offline transport_id:1\n"
    (phone,) = list_phones(scripted.server, remembered=remembered)
    assert (phone.id, phone.nickname, phone.state) == ("PIX1", "mine", PhoneState.OFFLINE)
    assert phone.model == "Pixel 9"


def test_a_damaged_memory_costs_only_the_nicknames(
    scripted: ScriptedServer, remembered: RememberedDevices
) -> None:
    remembered.path.write_text("{", encoding="utf-8")
    scripted.list = "192.168.1.20:5555      device model:Pixel_9 transport_id:1\n"
    scripted.properties = {"192.168.1.20:5555": PIXEL}
    (phone,) = list_phones(scripted.server, remembered=remembered)
    assert phone.ready
    assert remembered.path.read_text(encoding="utf-8") == "{"


def test_a_listing_waits_for_phones_that_are_being_connected(
    scripted: ScriptedServer, remembered: RememberedDevices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing.settled_rows, "__defaults__", (60.0,))  # as long as this takes
    connecting = "PIX1                   connecting usb:1-1 transport_id:3\n"
    scripted.list = connecting
    token = CancelToken()
    seen = iter(
        [connecting, connecting, "PIX1                   device usb:1-1 model:Pixel_9 transport_id:3\n"]
    )
    scripted.answers["host:devices-l"] = b""

    def answer() -> bytes:
        scripted.list = next(seen)
        return b"OKAY" + b"%04x" % len(scripted.list) + scripted.list.encode()

    scripted.answers["host:devices-l"] = answer
    scripted.properties = {"PIX1": PIXEL}
    (phone,) = list_phones(scripted.server, token, remembered)
    assert phone.ready


def test_what_is_remembered_is_plain_json(remembered: RememberedDevices) -> None:
    remembered.set_nickname("PIX1", "Left")
    assert json.loads(remembered.path.read_text())["phones"]["PIX1"]["nickname"] == "Left"


def test_a_server_of_another_version_is_used_and_not_ended(
    scripted: ScriptedServer, remembered: RememberedDevices
) -> None:
    scripted.answers["host:version"] = okay("0028")
    scripted.list = (
        "PIX1                   device product:tokay model:Pixel_9 device:tokay\n"  # no numbers yet
    )
    scripted.properties = {"PIX1": PIXEL}
    assert scripted.server.version() == 40
    (phone,) = list_phones(scripted.server, remembered=remembered)
    assert (phone.id, phone.ready, phone.best.kind) == ("PIX1", True, TransportKind.USB)
    assert "host:kill" not in scripted.asked
