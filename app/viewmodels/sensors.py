"""Temperature and battery power out of telemetry, or the reason why there is none."""

from __future__ import annotations

from as2d.app.viewmodels.series import Series
from as2d.backend.protocol.telemetry import Telemetry

NO_SAMPLE = "no sample was taken yet"
NOT_CALIBRATED = "unit and sign of this device's current sensor are not calibrated"
_COLDEST, _HOTTEST = -40.0, 150.0
_MOST_SAMPLES = 400_000


class Sensors:
    """`temperature` in °C is that of the hottest plausible zone, else of the battery; `power` in W is what
    the battery gives. `…_missing` says why a counter has no samples, `temperature_of` whose it is.

    `amperes_per_raw` turns the raw current into amperes out of the battery; None: not calibrated.
    """

    def __init__(self, amperes_per_raw: float | None = None) -> None:
        self.amperes_per_raw = amperes_per_raw
        self.temperature = Series()
        self.power = Series()
        self.temperature_of = ""
        self.temperature_missing: str | None = NO_SAMPLE
        self.power_missing: str | None = NO_SAMPLE

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.temperature.nbytes + self.power.nbytes

    def take(self, event: Telemetry, t: int) -> None:
        """Take a reading."""
        self._take_temperature(event, t)
        self._take_power(event, t)
        for series in (self.temperature, self.power):
            if len(series) > 2 * _MOST_SAMPLES:
                series.thin(_MOST_SAMPLES)

    def _take_temperature(self, event: Telemetry, t: int) -> None:
        zones = [zone for zone in event.thermal if _COLDEST < zone.celsius < _HOTTEST]
        if zones:
            hottest = max(zones, key=lambda zone: zone.celsius)
            self.temperature_of = hottest.zone
            self.temperature.append(t, hottest.celsius)
        elif event.battery is not None and event.battery.temperature_c is not None:
            self.temperature_of = "battery"
            self.temperature.append(t, event.battery.temperature_c)
        elif not len(self.temperature):
            self.temperature_missing = event.missing.get("thermal", "the device reports no temperature")
            return
        self.temperature_missing = None

    def _take_power(self, event: Telemetry, t: int) -> None:
        battery = event.battery
        if battery is None or battery.current_raw is None or battery.voltage_uv is None:
            if not len(self.power):
                keys = ("battery", "battery.current_raw", "battery.voltage_uv")
                reasons = [event.missing[key] for key in keys if key in event.missing]
                self.power_missing = reasons[0] if reasons else "the device reports no battery"
        elif self.amperes_per_raw is None:
            self.power_missing = NOT_CALIBRATED
        else:
            self.power_missing = None
            self.power.append(t, battery.current_raw * self.amperes_per_raw * battery.voltage_uv / 1e6)
