"""The commands that find, name, connect and pair phones, against a scripted adb server."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.end_to_end.conftest import CommandLine
from tests.unit.devices.scripted_server import ScriptedServer, okay

Remember = Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]

PIXEL = {
    "ro.serialno": "PIX1",
    "ro.product.manufacturer": "Google",
    "ro.product.model": "Pixel 9",
    "ro.build.version.release": "15",
}
LIST = (
    "PIX1                   device usb:1-1 product:tokay model:Pixel_9 device:tokay transport_id:3\n"
    "192.168.1.20:5555      device product:tokay model:Pixel_9 device:tokay transport_id:4\n"
    "R58M                   unauthorized usb:1-2 transport_id:5\n"
    "c4aede4a0504           no permissions (missing udev rules? user is in the plugdev group); "
    "see [http://developer.android.com/tools/device.html] usb:99-1 transport_id:6\n"
)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """An adb server with a phone that is ready, one that is not accepted and one that may not be opened."""
    scripted = ScriptedServer()
    scripted.list = LIST
    scripted.properties = {"PIX1": PIXEL, "192.168.1.20:5555": PIXEL}
    yield scripted
    scripted.close()


@pytest.fixture
def phones(tmp_path: Path, server: ScriptedServer) -> CommandLine:
    """The command line with a data folder of its own and the scripted adb server."""
    command = CommandLine(tmp_path / "data")
    command.environment["AS2D_ADB_SERVER"] = f"127.0.0.1:{server.port}"
    return command


def test_all_devices_with_their_state_and_what_to_do(phones: CommandLine) -> None:
    done = phones.run("devices")
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert any(line.startswith("this computer: ") for line in lines)
    ready = next(line for line in lines if line.startswith("Pixel 9 "))
    assert ready.split() == (
        "Pixel 9 ready Google Pixel 9 15 PIX1 USB 1-1, network 192.168.1.20:5555".split()  # noqa: SIM905
    )
    assert "R58M has not accepted this computer; unlock it and accept" in done.out
    assert 'as root write the line SUBSYSTEM=="usb", ' in done.out
    assert done.err == ""

    told = json.loads(phones.run("devices", "--json").out)
    assert told["computer"]["state"] == "ready"
    assert [phone["id"] for phone in told["phones"]] == ["PIX1", "c4aede4a0504", "R58M"]
    assert told["phones"][0]["android"] == "15"
    assert told["phones"][0]["todo"] is None
    assert [way["kind"] for way in told["phones"][0]["transports"]] == ["usb", "tcp"]
    assert told["problem"] is None


def test_without_phones_it_says_how_to_get_one(phones: CommandLine, server: ScriptedServer) -> None:
    server.list = ""
    done = phones.run("devices")
    assert done.code == 0
    assert "No phone is connected" in done.err


def test_an_adb_server_that_cannot_be_reached_is_told_behind_this_computer(
    phones: CommandLine, server: ScriptedServer
) -> None:
    server.close()
    done = phones.run("devices")
    assert done.code == 3
    assert "this computer: " in done.out
    assert "No adb server answers at 127.0.0.1:" in done.err
    told = phones.run("devices", "--json")
    assert told.code == 3
    assert "No adb server answers" in json.loads(told.out)["problem"]
    assert phones.run("devices", "--adb-server", "no:port").code == 2


def test_a_nickname_is_used_from_then_on(phones: CommandLine) -> None:
    assert phones.run("nickname", "pixel 9", "desk").code == 0
    assert json.loads(phones.run("devices", "--json").out)["phones"][0]["name"] == "desk"
    assert phones.run("nickname", "R58M", "Desk").code == 2
    assert phones.run("nickname", "desk").code == 2
    assert phones.run("nickname", "nothing", "x").code == 2
    assert phones.run("phone", "status", "--device", "nothing").code == 2
    assert phones.run("nickname", "desk", "--remove").code == 0
    assert json.loads(phones.run("devices", "--json").out)["phones"][0]["name"] == "Pixel 9"


def test_connecting_by_address_and_by_name(phones: CommandLine, server: ScriptedServer) -> None:
    server.answers["host:connect:192.168.1.20:5555"] = okay("already connected to 192.168.1.20:5555")
    done = phones.run("connect", "192.168.1.20")
    assert done.code == 0
    assert "Connected: Pixel 9 (PIX1), Google Pixel 9, Android 15." in done.err
    assert phones.run("nickname", "PIX1", "desk").code == 0
    assert "Connected: desk (PIX1)" in phones.run("connect", "desk").err
    server.answers["host:connect:10.0.0.1:5555"] = okay(
        "failed to connect to '10.0.0.1:5555': Connection refused"
    )
    failed = phones.run("connect", "10.0.0.1")
    assert failed.code == 3
    assert "nothing listens there" in failed.err
    assert phones.run("connect", "a b").code == 2


def test_connecting_by_name_takes_no_other_phone(phones: CommandLine, server: ScriptedServer) -> None:
    address = "192.168.1.20:5555"
    assert phones.run("nickname", "PIX1", "desk").code == 0
    assert phones.run("devices").code == 0  # its address is remembered
    others = [line for line in LIST.splitlines(keepends=True) if "transport_id:4" not in line]
    server.list = "".join(others)
    server.properties[address] = {**PIXEL, "ro.serialno": "PIX2"}

    def come() -> bytes:
        server.list = LIST
        return okay(f"connected to {address}")

    def leave() -> bytes:
        server.list = "".join(others)
        return okay(f"disconnected {address}")

    server.answers[f"host:connect:{address}"] = come
    server.answers[f"host:disconnect:{address}"] = leave
    done = phones.run("connect", "desk")
    assert done.code == 3
    assert f"At {address} another phone answers, Pixel 9 (PIX2), not desk (PIX1)" in done.err
    assert "Connected:" not in done.err
    assert server.list == "".join(others)
    # One that was connected already stays so.
    server.list = LIST
    assert phones.run("connect", "desk").code == 3
    assert server.list == LIST


def test_a_missing_helper_of_this_computer_does_not_spoil_the_list(
    phones: CommandLine, tmp_path: Path
) -> None:
    phones.environment["AS2D_HELPER"] = str(tmp_path / "nothing")
    done = phones.run("devices")
    assert done.code == 0
    assert "no helper" in done.out
    assert "Pixel 9" in done.out
    assert "This computer cannot decode: The helper program" in done.err
    told = json.loads(phones.run("devices", "--json").out)
    assert "is not an executable file" in told["computer"]["problem"]
    assert told["problem"] is None


def test_disconnecting_the_only_one_in_the_network(phones: CommandLine, server: ScriptedServer) -> None:
    def leave() -> bytes:
        server.list = LIST.replace("192.168.1.20:5555      device", "192.168.1.21:5555      offline")
        return okay("disconnected 192.168.1.20:5555")

    server.answers["host:disconnect:192.168.1.20:5555"] = leave
    assert phones.run("disconnect", "R58M").code == 2
    done = phones.run("disconnect")
    assert done.code == 0, done.err
    assert "Disconnected: 192.168.1.20:5555." in done.err


def test_pairing_by_option_and_at_a_terminal(phones: CommandLine, server: ScriptedServer) -> None:
    def paired() -> bytes:
        server.list += "adb-PIX1-vWgJpq._adb-tls-connect._tcp device model:Pixel_9 transport_id:9\n"
        return okay("Successfully paired to 192.168.1.20:37123 [guid=adb-PIX1-vWgJpq]")

    address = "192.168.1.20:37123"
    server.answers[f"host:pair:123456:{address}"] = paired
    done = phones.run("pair", address, "--code", "123456")
    assert done.code == 0, done.err
    assert "Paired and connected: Pixel 9 (PIX1)" in done.err

    assert phones.run("pair", address).code == 2
    assert phones.run("pair", "192.168.1.20", "--code", "123456").code == 2
    assert phones.run("pair", address, "--code", "12").code == 2
    assert phones.run("pair", address, "--code", "654321").code == 3

    outer, inner = pty.openpty()
    asking = subprocess.Popen(
        [sys.executable, "-m", "as2d.backend.cli.entry", "pair", address],
        stdin=inner,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=phones.environment,
    )
    os.write(outer, b"123456\n")
    _, told = asking.communicate(timeout=300)
    os.close(outer)
    os.close(inner)
    assert asking.returncode == 0
    assert b"Pairing code" in told
    assert b"Paired and connected" in told


def test_reconnecting_what_does_not_answer(phones: CommandLine, server: ScriptedServer) -> None:
    server.list = LIST.replace("unauthorized", "offline")

    def revive() -> bytes:
        server.list = LIST.replace("unauthorized", "device").replace("transport_id:5", "transport_id:15")
        return okay("reconnecting R58M [offline]\n")

    server.answers["host-transport-id:5:reconnect"] = revive
    done = phones.run("reconnect")
    assert done.code == 0, done.err
    assert "Ready: R58M." in done.err
    assert "Every connected phone answers." in phones.run("reconnect").err


def test_watching_tells_every_change_until_it_is_interrupted(
    phones: CommandLine, server: ScriptedServer, processes: Remember
) -> None:
    server.list = ""
    watching = processes(phones.start("devices", "--watch", "--json"))
    assert watching.stdout is not None

    def told() -> list[Any]:
        line = watching.stdout.readline() if watching.stdout is not None else b"{}"
        return [(phone["id"], phone["state"]) for phone in json.loads(line)["phones"]]

    assert told() == []
    server.set_list("R58M                   unauthorized usb:1-2 transport_id:5\n")
    assert told() == [("R58M", "unauthorized")]
    server.set_list("R58M                   device usb:1-2 transport_id:5\n")
    assert told() == [("R58M", "ready")]
    server.set_list("")
    assert told() == []
    watching.send_signal(signal.SIGINT)
    _, said = watching.communicate(timeout=300)
    assert watching.returncode == 130
    assert said == b"Interrupted.\n"
