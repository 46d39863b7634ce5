"""Which sensors of a device can be read, their values now, and why others cannot be read."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from as2d.backend.devices.device import Device
from as2d.backend.errors import HelperFailed
from as2d.backend.helper.process import HelperProcess
from as2d.backend.models.progress import Progress
from as2d.backend.protocol.events import Hello
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.protocol.message import HelperEvent
from as2d.backend.protocol.telemetry import Battery, Telemetry
from as2d.backend.transcribe.cancel import CancelToken

_SAMPLE_SECONDS = 30.0
_NO_REASON = "not told"


@dataclass(frozen=True)
class SensorRow:
    """A sensor: its value as text, with its unit, or null and the reason why it cannot be read."""

    name: str
    value: str | None
    reason: str | None = None


@dataclass(frozen=True)
class SensorsSeen:
    """One sample, and who took it."""

    hello: Hello
    telemetry: Telemetry


def look_at_sensors(device: Device, progress: Progress, cancel: CancelToken) -> SensorsSeen:
    """Start a helper on the device, take its first sample, and end it.

    Raises:
        UserError: the device or its helper cannot be used, the helper ended, or nothing was sampled for half
            a minute.
        Cancelled: cancelled meanwhile.
    """
    device.make_ready(progress, cancel)
    arrived = threading.Event()
    samples: list[Telemetry] = []
    endings: list[str] = []

    def take(_line: bytes, event: HelperEvent) -> None:
        if isinstance(event, Telemetry):
            samples.append(event)
            arrived.set()

    def end(_code: int | None, message: str) -> None:
        endings.append(message)
        arrived.set()

    with HelperProcess.start(device.helper_name, device.open_channel) as helper:
        helper.subscribe(take)
        helper.on_end(end)
        with cancel.calling(arrived.set):
            arrived.wait(_SAMPLE_SECONDS)
        cancel.check()
        if not samples and endings:
            raise HelperFailed(endings[0])
        if not samples:
            raise HelperFailed(f"The {device.helper_name} sampled no sensor; try again.")
        return SensorsSeen(helper.hello, samples[-1])


def sensor_rows(telemetry: Telemetry, reading: PhoneReading | None = None) -> list[SensorRow]:
    """The sensors of a sample, with what Android says where the helper cannot read it."""
    rows = [
        SensorRow("processor clocks", _clocks(telemetry.cpu_khz), _why(telemetry, "cpu_khz")),
        _temperatures(telemetry, reading),
        *_battery(telemetry, reading),
    ]
    gpu = telemetry.gpu
    busy = f"{gpu.busy_percent:.0f} %" if gpu is not None and gpu.busy_percent is not None else None
    clock = f"{gpu.khz / 1000:.0f} MHz" if gpu is not None and gpu.khz is not None else None
    rows.append(SensorRow("GPU load", busy, _why(telemetry, "gpu.busy_percent", "gpu")))
    rows.append(SensorRow("GPU clock", clock, _why(telemetry, "gpu.khz", "gpu")))
    free = telemetry.memory_available_bytes
    rows.append(
        SensorRow(
            "memory available",
            f"{free / 1e9:.1f} GB" if free is not None else None,
            _why(telemetry, "memory_available_bytes", "memory_available"),
        )
    )
    return [SensorRow(row.name, row.value, None if row.value is not None else row.reason) for row in rows]


def _battery(telemetry: Telemetry, reading: PhoneReading | None) -> Iterator[SensorRow]:
    kernel = telemetry.battery
    android = reading.battery if reading is not None else None
    raw = kernel.current_raw if kernel is not None else None
    yield SensorRow(
        "battery current",
        f"{raw} raw" if raw is not None else None,
        _why(telemetry, "battery.current_raw", "battery"),
    )
    for name, field, unit, scale, digits in (
        ("battery voltage", "voltage_uv", "V", 1e-6, 3),
        ("battery level", "level", "%", 1, 0),
        ("battery temperature", "temperature_c", "°C", 1, 1),
        ("charge counter", "charge_counter_raw", "raw", 1, 0),
    ):
        value, said = _told(kernel, field), ""
        if value is None and (value := _told(android, field)) is not None:
            said = " (dumpsys)"
        yield SensorRow(
            name,
            f"{value * scale:.{digits}f} {unit}{said}" if value is not None else None,
            _why(telemetry, f"battery.{field}", "battery"),
        )


def _told(battery: Battery | None, field: str) -> float | None:
    value: float | None = getattr(battery, field) if battery is not None else None
    return value


def _temperatures(telemetry: Telemetry, reading: PhoneReading | None) -> SensorRow:
    zones, said = telemetry.thermal, ""
    if not zones and reading is not None and reading.thermal:
        zones, said = reading.thermal, f" (dumpsys, {reading.thermal_source})"
    if not zones:
        return SensorRow("temperatures", None, _why(telemetry, "thermal"))
    low, high = min(zone.celsius for zone in zones), max(zone.celsius for zone in zones)
    count = "1 zone" if len(zones) == 1 else f"{len(zones)} zones"
    return SensorRow("temperatures", f"{count}, {low:.1f} to {high:.1f} °C{said}")


def _clocks(clocks: Sequence[int | None] | None) -> str | None:
    told = [khz for khz in clocks or () if khz is not None]
    if not told:
        return None
    offline = len(clocks or ()) - len(told)
    away = f", {offline} offline" if offline else ""
    return f"{min(told) / 1e6:.2f} to {max(told) / 1e6:.2f} GHz{away}"


def _why(telemetry: Telemetry, *probes: str) -> str:
    return next((telemetry.missing[probe] for probe in probes if probe in telemetry.missing), _NO_REASON)
