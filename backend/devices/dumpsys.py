"""What Android's services say of battery and temperatures: the fallback where the kernel's files are denied.

Both reports are text for people; they are read by their own words, with any line ends that adb makes of them.
"""

from __future__ import annotations

import math
import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.protocol.telemetry import Battery, ZoneTemperature

BatteryStatus = Literal["Unknown", "Charging", "Discharging", "Not charging", "Full"]

_STATUSES: dict[int, BatteryStatus] = {
    1: "Unknown",
    2: "Charging",
    3: "Discharging",
    4: "Not charging",
    5: "Full",
}
_POWERED = ("AC powered", "USB powered", "Wireless powered", "Dock powered")
_FAKED = "UPDATES STOPPED"
_LARGEST_MILLIVOLTS = 20_000
_TEMPERATURE = re.compile(
    r"Temperature\{mValue=([^,]*), mType=(-?\d+), mName=(.*), mStatus=(-?\d+)\}", re.ASCII
)
_HAL_BLOCK = "Current temperatures from HAL:"
_CACHED_BLOCK = "Cached temperatures:"
_PLAUSIBLE = (-60.0, 200.0)
_THERMAL_STATUSES = ("none", "light", "moderate", "severe", "critical", "emergency", "shutdown")


class _Report(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BatteryReport(_Report):
    """`dumpsys battery`; null where the report has no such line.

    `faked`: someone ran `dumpsys battery unplug` or `set`, so the report says what they chose, not what is.
    The report has no current on most phones, so energy never comes from it.
    """

    status: BatteryStatus | None
    charger: bool | None
    level: int | None = Field(description="percent")
    voltage_uv: int | None
    temperature_c: float | None
    charge_counter_uah: int | None
    technology: str | None
    faked: bool

    def as_reading(self) -> Battery | None:
        """The report as the helper's probe would give it; null when it is faked or says nothing."""
        known = (self.status, self.charger, self.level, self.voltage_uv, self.temperature_c)
        if self.faked or all(value is None for value in known):
            return None
        return Battery(
            current_raw=None,
            voltage_uv=self.voltage_uv,
            level=self.level,
            temperature_c=self.temperature_c,
            status=self.status,
            charge_counter_raw=self.charge_counter_uah,
            charger=self.charger,
            current_source=None,
        )


class ThermalReport(_Report):
    """`dumpsys thermalservice`. `throttling` is Android's word for how far it slows the phone down.

    `source` says which block the temperatures come from: the HAL's are of now, the cached ones of some
    earlier moment. `missing` says why there are none.
    """

    throttling: str | None
    source: Literal["hal", "cached"] | None
    temperatures: tuple[ZoneTemperature, ...]
    missing: str | None


def parse_battery(text: str) -> BatteryReport:
    """Read `dumpsys battery`. A text that is no such report gives nulls."""
    lines = _lines(text)
    values = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    powered = [values[key] == "true" for key in _POWERED if key in values]
    status = _whole(values.get("status"))
    voltage = _whole(values.get("voltage"))
    tenths = _whole(values.get("temperature"))
    level, scale = _whole(values.get("level")), _whole(values.get("scale")) or 100
    counter = _whole(values.get("Charge counter"))
    return BatteryReport(
        status=_STATUSES.get(status) if status is not None else None,
        charger=any(powered) if powered else None,
        level=round(100 * level / scale) if level is not None and level >= 0 else None,
        voltage_uv=_microvolts(voltage),
        temperature_c=tenths / 10 if tenths else None,
        charge_counter_uah=counter if counter else None,
        technology=values.get("technology") or None,
        faked=any(_FAKED in line for line in lines),
    )


def parse_thermal(text: str) -> ThermalReport:
    """Read `dumpsys thermalservice`: the HAL's block, and the cached one only where the HAL gives nothing.

    A sensor at exactly 0.0, at no number or at no possible temperature is absent, not cold.
    """
    lines = _lines(text)
    status = next(
        (_whole(line.partition(":")[2]) for line in lines if line.startswith("Thermal Status:")), None
    )
    hal, cached = _block(lines, _HAL_BLOCK), _block(lines, _CACHED_BLOCK)
    missing = None
    if not hal and not cached:
        missing = _why_no_temperatures(lines)
    return ThermalReport(
        throttling=_throttling(status),
        source="hal" if hal else "cached" if cached else None,
        temperatures=tuple(hal or cached),
        missing=missing,
    )


def _why_no_temperatures(lines: list[str]) -> str:
    if "HAL Ready: false" in lines:
        return "dumpsys thermalservice: the phone's thermal HAL is not ready"
    if not lines:
        return "dumpsys thermalservice: no answer"
    if _CACHED_BLOCK not in lines and _HAL_BLOCK not in lines:
        return f"dumpsys thermalservice: {lines[0][:100]}"
    return "dumpsys thermalservice: no sensor has a temperature"


def _throttling(status: int | None) -> str | None:
    if status is None or not 0 <= status < len(_THERMAL_STATUSES):
        return None
    return _THERMAL_STATUSES[status]


def _block(lines: list[str], title: str) -> list[ZoneTemperature]:
    """The temperatures that follow a title, up to the next line that is none."""
    if title not in lines:
        return []
    found = []
    for line in lines[lines.index(title) + 1 :]:
        match = _TEMPERATURE.fullmatch(line)
        if match is None:
            break
        try:
            celsius = float(match[1])
        except ValueError:
            continue
        if celsius != 0 and math.isfinite(celsius) and _PLAUSIBLE[0] <= celsius <= _PLAUSIBLE[1]:
            found.append(ZoneTemperature(zone=match[3], celsius=round(celsius, 3)))
    return found


def _lines(text: str) -> list[str]:
    """Lines without the space around them; `\\r\\n` and the `\\r\\r\\n` of old shells end one line."""
    return [line.strip() for line in text.replace("\r", "\n").split("\n") if line.strip()]


def _whole(text: str | None) -> int | None:
    try:
        return int(text) if text is not None else None
    except ValueError:
        return None


def _microvolts(voltage: int | None) -> int | None:
    """The report is in mV; some phones print µV, and a battery has neither 20 kV nor 20 mV."""
    if not voltage or voltage < 0:
        return None
    return voltage * 1000 if voltage < _LARGEST_MILLIVOLTS else voltage
