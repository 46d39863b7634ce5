"""What a state means, and what adb says besides."""

from __future__ import annotations

from pathlib import Path

import pytest

from as2d.backend.devices.adb.program import server_did_not_start
from as2d.backend.devices.adb.states import WORDS, meaning_of, state_of, udev_rule
from as2d.backend.devices.adb.words import cause_of, lines_of
from as2d.backend.devices.phone import PhoneState, TransportKind

NO_RULES = (
    "no permissions (missing udev rules? user is in the plugdev group); "
    "see [http://developer.android.com/tools/device.html]"
)
NOT_MEMBER = "no permissions (user phone is not in the plugdev group); see [http://developer.android.com/tools/device.html]"


def test_every_state_but_ready_says_what_to_do() -> None:
    for words in (*WORDS, "no permissions", "teleporting"):
        sentence = meaning_of(state_of(words), words, TransportKind.USB, "usb:1-1")
        assert (sentence == "") == (words == "device")
        assert "\n" not in sentence
    assert "unlock it and accept" in meaning_of(PhoneState.UNAUTHORIZED, "", TransportKind.USB, "usb:1-1")
    assert "as2d reconnect" in meaning_of(PhoneState.OFFLINE, "offline", TransportKind.TCP, "1.2.3.4:5555")
    assert "'teleporting'" in meaning_of(PhoneState.UNKNOWN, "teleporting", TransportKind.USB, "usb:1-1")


def test_the_udev_rule_names_the_maker_of_the_phone(tmp_path: Path) -> None:
    place = tmp_path / "1-2"
    place.mkdir()
    (place / "idVendor").write_text("18d1\n")
    rule = 'SUBSYSTEM=="usb", ATTR{idVendor}=="18d1", MODE="0660", GROUP="plugdev", TAG+="uaccess"'
    assert udev_rule("usb:1-2", tmp_path) == rule
    sentence = meaning_of(
        PhoneState.NO_PERMISSIONS, NO_RULES, TransportKind.USB, "usb:1-2", usb_devices=tmp_path
    )
    assert f"write the line {rule} into /etc/udev/rules.d/" in sentence
    assert "add yourself" not in sentence
    other = meaning_of(
        PhoneState.NO_PERMISSIONS, NOT_MEMBER, TransportKind.USB, "usb:9-9", usb_devices=tmp_path
    )
    assert "add yourself to the group plugdev" in other
    assert 'ENV{DEVTYPE}=="usb_device"' in other


@pytest.mark.parametrize("place", ["", "????????????", "usb:../1-2", "usb:.", "usb:9-9"])
def test_an_unknown_place_gives_a_rule_for_every_maker(place: str, tmp_path: Path) -> None:
    assert 'ENV{DEVTYPE}=="usb_device"' in udev_rule(place, tmp_path)


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            "List of devices attached\nadb server version (40) doesn't match this client (41); killing...\n",
            "Two versions of adb (1.0.40 and 1.0.41) end each other's server on this computer",
        ),
        (
            "adb server is out of date.  killing...\n* daemon started successfully *\n",
            "different versions of adb",
        ),
        (
            "* daemon not running; starting now at tcp:5037\nADB server didn't ACK\n"
            "adb F 11-30 02:20:37  12  12 main.cpp:159] could not install *smartsocket* listener: "
            "Address already in use\n* failed to start daemon\n",
            "port of the adb server is held by another program",
        ),
        ("error: protocol fault (couldn't read status): Connection reset by peer", "ended in the middle"),
        ("adb: version `GLIBC_2.34' not found (required by adb)", "does not run on this computer"),
        ("mkdir '/nonexistent/.android' failed: Permission denied", "cannot keep its key"),
    ],
)
def test_causes_are_named_wherever_adb_tells_them(said: str, cause: str) -> None:
    sentence = cause_of(said)
    assert sentence is not None
    assert cause in sentence
    assert sentence.count("\n") == 0
    assert cause in server_did_not_start(5037, said).message


def test_what_is_only_noise_names_no_cause_and_is_no_answer() -> None:
    said = (
        "* daemon not running; starting now at tcp:5037\n* daemon started successfully\n"
        "connected to 1.2.3.4:5555\n"
    )
    assert cause_of(said) is None
    assert lines_of(said) == ["connected to 1.2.3.4:5555"]


def test_a_start_that_fails_for_an_unknown_reason_tells_adbs_own_words() -> None:
    assert "(adb: failed to start daemon)" in server_did_not_start(5037, "* failed to start daemon\n").message
