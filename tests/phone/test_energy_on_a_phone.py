"""Energy of requests on stand-in phones whose batteries speak in different units and signs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.phone import waiting
from tests.phone.small_models import SmallPair
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn

from as2d.backend.cli.runs import show
from as2d.backend.cli.sensors_now import sensors
from as2d.backend.devices.adb.address import ServerAddress
from as2d.backend.devices.adb.phone_device import PhoneDevice
from as2d.backend.devices.adb.server import AdbServer as Server
from as2d.backend.devices.choosing import choose_device
from as2d.backend.energy.measure import Energy
from as2d.backend.energy.report import EnergyReport
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.telemetry import Telemetry
from as2d.backend.transcribe.engine import Engine
from as2d.backend.transcribe.service import Transcriber
from as2d.backend.transcribe.settings import TranscribeSettings

_SAMPLES = 6  # of the helper, which takes one twice a second


def _run(adb: AdbServer, phone: StandIn, pair: SmallPair, clip: Path, idle_seconds: float) -> PhoneDevice:
    """Decode a clip on the phone after it was idle."""
    server = Server(ServerAddress("127.0.0.1", adb.port))
    found = choose_device(phone.address, server=server)
    assert found is not None
    device = PhoneDevice(server, found)
    settings = TranscribeSettings(target=str(pair.target.path), drafter=str(pair.drafter.path), language="en")
    sampled = threading.Semaphore(0)

    def count(event: RecordedEvent) -> None:
        if isinstance(event, Telemetry):
            sampled.release()

    request = Engine.request

    def request_late(engine: Engine, *asked: Any) -> Result:
        """The time from the ready audio outlasts several renewals of the gauge, however fast the phone is."""
        while sampled.acquire(blocking=False):
            continue
        for _ in range(_SAMPLES):
            assert sampled.acquire(timeout=waiting.PATIENCE_SECONDS)
        return request(engine, *asked)

    transcriber = Transcriber(settings, device=device, idle_seconds=idle_seconds, observers=[count])
    transcriber.queue.add(clip)
    with pytest.MonkeyPatch.context() as late, transcriber:
        late.setattr(Engine, "request", request_late)
        assert [outcome.error for outcome in transcriber.outcomes()] == [None]
    return device


def _report(capsys: pytest.CaptureFixture[str]) -> EnergyReport:
    capsys.readouterr()
    show("last", telemetry=True, form="json")
    return EnergyReport.model_validate_json(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("profile", "unit", "sign"),
    [("snapdragon", "uA", -1), ("xiaomi_inverted", "uA", 1), ("milliamp", "mA", -1)],
)
def test_on_battery_a_request_has_its_energy_and_on_a_charger_none(
    profile: str,
    unit: str,
    sign: int,
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
    pair: SmallPair,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "data"))
    clip = repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"
    phone = standin(profile)
    adb_server.connect(phone.address)
    phone.sensors.start_moving()
    device = _run(adb_server, phone, pair, clip, 12)
    report = _report(capsys)
    assert report.calibrated_here
    assert (report.calibration.unit, report.calibration.discharging_sign) == (unit, sign)
    assert isinstance(report.idle, Energy), report.idle
    assert report.telemetry is not None
    assert report.telemetry.temperatures
    before = report.requests[0].from_audio_ready
    assert isinstance(before, Energy)
    # What it draws swings around the profile's current.
    usual = phone.profile.battery.draw_ma / 1000 * phone.profile.battery.voltage_uv / 1e6
    assert 0.5 * usual < before.mean_watts < 1.5 * usual
    known = device.battery_current()
    assert known is not None
    assert (known.unit, known.discharging_sign) == (unit, sign)

    phone.sensors.set_battery(charger_ma=1500)
    _run(adb_server, phone, pair, clip, 0)
    report = _report(capsys)
    assert not report.calibrated_here
    assert report.calibration == known
    assert str(report.requests[0].response) == "not measurable: charging"
    assert str(report.requests[0].from_audio_ready) == "not measurable: charging"


def test_what_the_kernel_denies_android_tells(
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
    pair: SmallPair,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "data"))
    phone = standin("denied")
    adb_server.connect(phone.address)
    clip = repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"
    _run(adb_server, phone, pair, clip, 8)
    report = _report(capsys)
    assert report.telemetry is not None
    assert report.telemetry.reports >= 1
    assert report.telemetry.battery_level is not None
    assert report.telemetry.battery_level.last == phone.profile.battery.level
    assert report.telemetry.battery_states == ("Discharging",)
    assert all("dumpsys" in zone for zone in report.telemetry.temperatures)
    assert {probe.probe for probe in report.telemetry.missing} == {"battery", "gpu", "cpu_khz", "thermal"}
    capsys.readouterr()
    sensors(phone.address, f"127.0.0.1:{adb_server.port}")
    level = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("battery level"))
    assert level.split(maxsplit=2)[2] == f"{phone.profile.battery.level} % (dumpsys)"
    # Android's report has no current, so there is no energy, and the reason is the kernel's.
    assert "Permission denied" in str(report.requests[0].response)
