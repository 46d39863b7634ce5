"""What counts of a sensor sample as the device's temperature and as its battery's power."""

from __future__ import annotations

from as2d.backend.energy.calibration import CurrentCalibration
from as2d.backend.energy.series import CHARGING
from as2d.backend.protocol.telemetry import Battery, Telemetry

_COLDEST, _HOTTEST = -40.0, 150.0


def temperature_of(event: Telemetry) -> tuple[str, float] | None:
    """The hottest plausible zone and its °C, else the battery's; None: the device told none."""
    zones = [zone for zone in event.thermal if _COLDEST < zone.celsius < _HOTTEST]
    if zones:
        hottest = max(zones, key=lambda zone: zone.celsius)
        return hottest.zone, hottest.celsius
    if event.battery is not None and event.battery.temperature_c is not None:
        return "battery", event.battery.temperature_c
    return None


def raw_power_of(event: Telemetry) -> float | None:
    """The battery's raw current times its voltage; not-a-number while a charger feeds the device, since the
    current is then the difference of charger and load; None: the device told none.
    """
    battery = event.battery
    if battery is None or battery.current_raw is None or battery.voltage_uv is None:
        return None
    return float("nan") if _is_charging(battery) else battery.current_raw * battery.voltage_uv / 1e6


def watts_per_raw(calibration: CurrentCalibration | None) -> float | None:
    """What `raw_power_of` is multiplied by to be the watts that the battery gives; None: not known."""
    if calibration is None or calibration.amperes is None or calibration.discharging_sign is None:
        return None
    return calibration.amperes * calibration.discharging_sign


def _is_charging(battery: Battery) -> bool:
    return battery.charger if battery.charger is not None else battery.status in CHARGING
