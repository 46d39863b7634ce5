"""What a device's sensors say now: tiles for what goes on, rows for what can be read and why not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.app.translation import later, tr, tr_marked
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.protocol.telemetry import Battery, Telemetry

if TYPE_CHECKING:
    from as2d.app.viewmodels.sensors import Sensors
    from as2d.backend.devices.sensors import SensorRow

_COLDEST, _HOTTEST = -40.0, 150.0
_NAMES = {
    "processor clocks": later("Processor clocks"),
    "temperatures": later("Temperatures"),
    "battery current": later("Battery current"),
    "battery voltage": later("Battery voltage"),
    "battery level": later("Battery level"),
    "battery temperature": later("Battery temperature"),
    "charge counter": later("Charge counter"),
    "GPU load": later("GPU load"),
    "GPU clock": later("GPU clock"),
    "memory available": later("Memory available"),
}


@dataclass(frozen=True)
class Tile:
    """One live number: `value` with `unit`, `name` of it, and `note` about it."""

    name: str
    value: str
    unit: str
    note: str = ""


@dataclass(frozen=True)
class LiveState:
    """The newest of everything that a device says of itself; each may be missing."""

    telemetry: Telemetry | None = None
    reading: PhoneReading | None = None
    watts: float | None = None

    @property
    def battery(self) -> Battery | None:
        """The battery by the helper, else by Android."""
        if self.telemetry is not None and self.telemetry.battery is not None:
            return self.telemetry.battery
        return self.reading.battery if self.reading is not None else None

    @property
    def celsius(self) -> float | None:
        """The hottest plausible zone, else the battery."""
        zones = self.telemetry.thermal if self.telemetry is not None else ()
        if not zones and self.reading is not None:
            zones = self.reading.thermal
        told = [zone.celsius for zone in zones if _COLDEST < zone.celsius < _HOTTEST]
        if told:
            return max(told)
        battery = self.battery
        return battery.temperature_c if battery is not None else None


def watts_now(sensors: Sensors) -> float | None:
    """The newest power of the battery; None: there is none, or a charger feeds the device."""
    if sensors.power_missing is not None or not len(sensors.power):
        return None
    last = float(sensors.power.values[-1])
    return None if math.isnan(last) else last


def tiles(state: LiveState) -> list[Tile]:
    """The live numbers that there are."""
    found = []
    if (celsius := state.celsius) is not None:
        found.append(Tile(tr("Temperature"), f"{celsius:.1f}", "°C"))
    battery = state.battery
    if battery is not None and battery.level is not None:
        note = tr("charging") if battery.charger else ""
        found.append(Tile(tr("Battery"), f"{battery.level}", "%", note))
    if state.watts is not None:
        found.append(Tile(tr("Power"), f"{state.watts:.2f}", "W", tr("whole device")))
    telemetry = state.telemetry
    if telemetry is not None:
        clocks = [khz for khz in telemetry.cpu_khz or () if khz is not None]
        if clocks:
            value = f"{min(clocks) / 1e6:.2f}–{max(clocks) / 1e6:.2f}"
            found.append(Tile(tr("Clocks"), value, "GHz"))
        if telemetry.gpu is not None and telemetry.gpu.busy_percent is not None:
            found.append(Tile("GPU", f"{telemetry.gpu.busy_percent:.0f}", "%"))
        found.append(Tile(tr("Helper"), f"{telemetry.rss_bytes / 1e6:.0f}", "MB"))
        if telemetry.memory_available_bytes is not None:
            found.append(Tile(tr("Memory free"), f"{telemetry.memory_available_bytes / 1e9:.1f}", "GB"))
    return found


def sensor_name(row: SensorRow) -> str:
    """A sensor's name in the window's language."""
    return tr_marked(_NAMES.get(row.name, row.name))


def unreadable(rows: Sequence[SensorRow]) -> list[tuple[str, str]]:
    """The sensors that cannot be read, those with one reason together: names, and the reason."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        if row.value is None:
            by_reason.setdefault(row.reason or "", []).append(sensor_name(row))
    return [(", ".join(names), reason) for reason, names in by_reason.items()]


def chip_text(state: LiveState) -> str:
    """The numbers of the chip in the top bar; empty: none is known."""
    parts = []
    if (celsius := state.celsius) is not None:
        parts.append(f"{celsius:.0f} °C")
    if state.battery is not None and state.battery.level is not None:
        parts.append(f"{state.battery.level} %")
    if state.watts is not None:
        parts.append(f"{state.watts:.1f} W")
    return " · ".join(parts)
