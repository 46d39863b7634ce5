"""adb's own words for devices, from the sources of adb 28 to 36 and from field reports."""

from __future__ import annotations

import pytest

from as2d.backend.devices.adb.rows import parse_rows, real_serialno
from as2d.backend.devices.phone import PhoneState, TransportKind

LONG = """\
55090DLAQ0026D         device usb:1-1 product:tokay model:Pixel_9 device:tokay transport_id:3
R58MC0ABCDE            unauthorized usb:1-2 transport_id:4
HT7A1B2C3D4E           authorizing usb:1-3 transport_id:5
0123456789ABCDEF       offline usb:2-1 transport_id:6
FA6AB0301234           recovery usb:2-2 product:x model:Y device:z transport_id:7
FA6AB0305678           sideload transport_id:8
FA6AB0309999           bootloader transport_id:9
FA6AB030AAAA           rescue transport_id:10
ZZ12                   host transport_id:15
ZZ13                   connecting transport_id:17
ZZ14                   teleporting transport_id:16
emulator-5554          device product:sdk_gphone64 model:sdk_gphone64_arm64 device:emu64a transport_id:12
192.168.1.20:5555      device product:tokay model:Pixel_9 device:tokay transport_id:13
"""


def test_the_long_list_in_every_state() -> None:
    rows = parse_rows(LONG)
    assert [(row.serial, row.state.value) for row in rows] == [
        ("55090DLAQ0026D", "ready"),
        ("R58MC0ABCDE", "unauthorized"),
        ("HT7A1B2C3D4E", "authorizing"),
        ("0123456789ABCDEF", "offline"),
        ("FA6AB0301234", "recovery"),
        ("FA6AB0305678", "sideload"),
        ("FA6AB0309999", "bootloader"),
        ("FA6AB030AAAA", "rescue"),
        ("ZZ12", "host"),
        ("ZZ13", "connecting"),
        ("ZZ14", "unknown"),
        ("emulator-5554", "ready"),
        ("192.168.1.20:5555", "ready"),
    ]
    first = rows[0]
    assert (first.place, first.product, first.model, first.number) == ("usb:1-1", "tokay", "Pixel 9", 3)
    assert rows[10].words == "teleporting"
    assert [row.kind for row in rows[-3:]] == [TransportKind.USB, TransportKind.EMULATOR, TransportKind.TCP]


@pytest.mark.parametrize(
    "words",
    [
        "no permissions",
        "no permissions; see [http://developer.android.com/tools/device.html]",
        "no permissions (missing udev rules? user is in the plugdev group); "
        "see [http://developer.android.com/tools/device.html]",
        "no permissions (user in plugdev group; are your udev rules wrong?); "
        "see [http://developer.android.com/tools/device.html]",
        "no permissions (user phone is not in the plugdev group); "
        "see [http://developer.android.com/tools/device.html]",
        "no permissions (verify udev rules); see [http://developer.android.com/tools/device.html]",
    ],
)
def test_no_permissions_in_every_version_of_adb(words: str) -> None:
    for serial in ("c4aede4a0504", "????????????", "(no serial number)"):
        for line in (
            f"{serial}\t{words}\n",
            f"{serial:<22} {words} usb:3-1 transport_id:11\n",
            f"{serial:<22} {words}",
        ):
            (row,) = parse_rows(line)
            assert (row.serial, row.state, row.words) == (serial, PhoneState.NO_PERMISSIONS, words)
    assert parse_rows(f"ABC {words} usb:3-1 transport_id:11")[0].place == "usb:3-1"


def test_the_short_list_and_serials_with_spaces() -> None:
    rows = parse_rows("R58M\tdevice\nmy box 12\toffline\n\tdevice\n")
    assert [(row.serial, row.state.value) for row in rows] == [
        ("R58M", "ready"),
        ("my box 12", "offline"),
        ("(no serial number)", "ready"),
    ]
    (row,) = parse_rows("my box 12              device usb:1-3 product:a b c model:x device:y transport_id:9")
    assert (row.serial, row.product, row.number) == ("my box 12", "a b c", 9)


def test_what_adb_says_of_its_server_lists_no_phone() -> None:
    noise = (
        "adb server version (40) doesn't match this client (41); killing...\n"
        "* daemon not running; starting now at tcp:5037\n"
        "* daemon not running. starting it now on port 5037 *\n"
        "* daemon started successfully\n"
        "List of devices attached\n"
        "error: device offline\n"
        "adb: device offline\n"
        "adb server killed by remote request\n"
        "adb W 11-30 02:20:37  1234  1234 network.cpp:149] failed to connect to 'x:1': Connection refused\n"
        "\n"
    )
    assert parse_rows(noise) == []
    assert [row.serial for row in parse_rows(noise + "R5CT\tdevice\n" + noise)] == ["R5CT"]


@pytest.mark.parametrize(
    ("serial", "serialno"),
    [
        ("adb-55090DLAQ0026D-vWgJpq._adb-tls-connect._tcp", "55090DLAQ0026D"),
        ("adb-55090DLAQ0026D-vWgJpq._adb-tls-connect._tcp.", "55090DLAQ0026D"),
        ("adb-55090DLAQ0026D-vWgJpq (2)._adb-tls-connect._tcp", "55090DLAQ0026D"),
        ("adb-AB-CD-vWgJpq._adb-tls-connect._tcp", "AB-CD"),
        ("adb-AB-CDEFGH._adb._tcp", "AB-CDEFGH"),
    ],
)
def test_phones_found_in_the_network_tell_their_serial_number(serial: str, serialno: str) -> None:
    (row,) = parse_rows(f"{serial} device product:tokay model:Pixel_9 device:tokay transport_id:14\n")
    assert (row.serial, row.kind, row.serialno) == (serial, TransportKind.WIFI, serialno)


def test_serial_numbers_that_are_none() -> None:
    assert [real_serialno(text) for text in ("????????????", "0123456789ABCDEF", "unknown", "", "0000")] == [
        None
    ] * 5
    assert real_serialno(" R58M\r") == "R58M"
