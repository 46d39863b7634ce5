"""The helper for phones on stand-in phones: what it reads is what the phone's sensors say."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.phone.standin import profile
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.standin.sensors import Sensors
from tests.phone.waiting import until

from as2d.backend.paths import arm64_helper_path

HELPER = "/data/local/tmp/as2d-helper"


@contextmanager
def telemetry(adb: AdbServer, phone: StandIn) -> Iterator[Iterator[dict[str, Any]]]:
    """The telemetry of a helper that runs on the phone."""
    adb.connect(phone.address)
    assert adb.run("-s", phone.address, "push", arm64_helper_path(), HELPER).returncode == 0
    process = subprocess.Popen(
        adb.command("-s", phone.address, "shell", "-T", f"chmod 755 {HELPER}; exec {HELPER} serve"),
        env=adb.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def events(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
        for line in lines:
            event = json.loads(line)
            if event["event"] == "telemetry":
                yield event

    with process.stdout, process.stdin:
        yield events(iter(process.stdout))
    assert process.wait() == 0


@pytest.mark.parametrize(
    ("name", "discharging", "charging"),
    [
        ("snapdragon", -412000, 1088000),
        ("xiaomi_inverted", 300140, -1199860),
        ("milliamp", -350, 1150),
    ],
)
def test_the_gauge_speaks_the_phones_own_unit_and_sign(
    name: str,
    discharging: int,
    charging: int,
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
) -> None:
    phone = standin(name)
    with telemetry(adb_server, phone) as events:
        first = next(events)
        assert first["battery"]["current_raw"] == discharging
        assert (first["battery"]["status"], first["battery"]["charger"]) == ("Discharging", False)
        assert len(first["cpu_khz"]) == phone.profile.cpu_count
        assert first["gpu"] is not None
        phone.sensors.set_battery(charger_ma=1500, level=79)
        # A costly probe may be left out of a sample; one that was taken meanwhile may have old values too.
        told = (event for event in events if event["battery"] and event["battery"]["charger"])
        next(told)
        plugged = next(told)
        assert plugged["battery"]["current_raw"] == charging
        assert (plugged["battery"]["status"], plugged["battery"]["level"]) == ("Charging", 79)
    report = adb_server.run("-s", phone.address, "shell", "dumpsys battery").stdout.decode()
    assert "USB powered: true" in report
    assert "level: 79" in report


def test_a_phone_that_denies_everything_says_why(
    standin: Callable[..., StandIn], adb_server: AdbServer
) -> None:
    phone = standin("denied")
    with telemetry(adb_server, phone) as events:
        event = next(events)
    assert (event["battery"], event["gpu"], event["cpu_khz"], event["thermal"]) == (None, None, None, [])
    assert all("Permission denied" in why for why in event["missing"].values())
    assert set(event["missing"]) == {"battery", "gpu", "cpu_khz", "thermal"}


def test_sensors_can_move(standin: Callable[..., StandIn], adb_server: AdbServer) -> None:
    phone = standin()
    phone.sensors.start_moving()
    with telemetry(adb_server, phone) as events:
        first = next(events)

        def values(event: dict[str, Any]) -> dict[str, Any]:
            battery = event["battery"] or {}
            found = {name: battery.get(name) for name in ("current_raw", "charge_counter_raw")}
            return found | {name: event[name] for name in ("cpu_khz", "thermal")}

        # Sensors are written one after the other, and a sample may leave costly ones out.
        left = set(values(first))
        assert all(values(first).values())
        while left:
            event = values(next(events))
            left -= {name for name in left if event[name] and event[name] != values(first)[name]}


def test_what_the_battery_gives_is_missing_from_its_level(tmp_path: Path) -> None:
    phone = profile.load("snapdragon")
    small = phone.battery.model_copy(update={"charge_full_uah": 1000})
    sensors = Sensors(tmp_path, phone.model_copy(update={"battery": small}))
    file = tmp_path / "sys/class/power_supply/battery/capacity"
    assert int(file.read_text()) == small.level
    sensors.start_moving()
    until(lambda: int(file.read_text() or small.level) < small.level - 1, "two percent are used up")
    sensors.close()


def test_a_running_helper_finds_that_the_phone_has_slept(
    standin: Callable[..., StandIn], adb_server: AdbServer
) -> None:
    phone = standin()
    with telemetry(adb_server, phone) as events:
        before = next(events)
        phone.machine.sleep(60)
        after = next(e for e in events if e["suspended_ns"] >= 60_000_000_000)
        assert after["t"] - before["t"] >= 60_000_000_000
        phone.machine.sleep(40)
        assert next(e for e in events if e["suspended_ns"] >= 100_000_000_000)
    said = adb_server.run("-s", phone.address, "shell", "cat /proc/uptime").stdout
    assert float(said.split()[0]) >= 100


@pytest.mark.parametrize("name", profile.names())
def test_every_profile_tells_its_facts(
    name: str, standin: Callable[..., StandIn], adb_server: AdbServer
) -> None:
    phone = standin(name)
    adb_server.connect(phone.address)
    told = adb_server.run("-s", phone.address, "shell", "getprop").stdout.decode()
    for key in ("ro.serialno", "ro.product.model", "ro.build.version.release", "ro.build.version.sdk"):
        assert f"[{key}]: [{phone.profile.properties[key]}]\n" in told
    info = adb_server.run("-s", phone.address, "shell", "cat /proc/cpuinfo").stdout
    assert info.count(b"processor\t") == phone.profile.cpu_count
