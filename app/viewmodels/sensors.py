"""Temperature and battery power out of telemetry, or the reason why there is none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from as2d.app.translation import later
from as2d.app.viewmodels.series import Series
from as2d.backend.metrics.sensor_values import raw_power_of, temperature_of, watts_per_raw
from as2d.backend.protocol.telemetry import Telemetry

if TYPE_CHECKING:
    from as2d.backend.energy.calibration import CurrentCalibration

NO_SAMPLE = later("no sample was taken yet")
NO_TEMPERATURE = later("the device reports no temperature")
NOT_REPORTED = later("the device does not report it")
TOO_SLOW = later("reading it would take too much of the processor")
NO_BATTERY = later("the device reports no battery")
NOT_CALIBRATED = later("what this device's battery current means is not known yet")
NOT_PERMITTED = later("this device lets no program read it")
ON_CHARGER = later("a charger feeds the device")
_MOST_SAMPLES = 400_000
_LEFT_OUT = "left out of this sample"
"""What the helper says of a probe that it does not ask each time."""


class Sensors:
    """`temperature` in °C is that of the hottest plausible zone, else of the battery; `power` in W is what
    the battery gives, unknown while a charger feeds the device. `…_missing` says in plain words why a counter
    has no samples, `temperature_of` whose it is.
    """

    def __init__(self) -> None:
        self.temperature = Series()
        self.power = Series()
        self.temperature_of = ""
        self.temperature_missing: str | None = NO_SAMPLE
        self._no_reading: str | None = NO_SAMPLE
        self._raw = Series()
        self._watts_per_raw: float | None = None

    @property
    def nbytes(self) -> int:
        """Memory held."""
        return self.temperature.nbytes + self.power.nbytes + self._raw.nbytes

    @property
    def power_missing(self) -> str | None:
        """Why there is no power."""
        if self._no_reading is not None:
            return self._no_reading
        return NOT_CALIBRATED if self._watts_per_raw is None else None

    def calibrate(self, calibration: CurrentCalibration | None) -> None:
        """Read the raw current by this, the samples taken so far included; None: it is not known."""
        self._watts_per_raw = watts_per_raw(calibration)
        self.power = Series()
        if self._watts_per_raw is not None:
            watts = self._raw.values.astype(np.float64) * self._watts_per_raw
            self.power.extend(self._raw.times, watts.astype(np.float32))

    def take(self, event: Telemetry, t: int) -> None:
        """Take a reading."""
        self._take_temperature(event, t)
        self._take_power(event, t)
        for series in (self.temperature, self.power, self._raw):
            if len(series) > 2 * _MOST_SAMPLES:
                series.thin(_MOST_SAMPLES)

    def _take_temperature(self, event: Telemetry, t: int) -> None:
        found = temperature_of(event)
        if found is not None:
            self.temperature_of, celsius = found
            self.temperature.append(t, celsius)
        elif not len(self.temperature):
            self.temperature_missing = plain_reason(event.missing.get("thermal"), NO_TEMPERATURE)
            return
        self.temperature_missing = None

    def _take_power(self, event: Telemetry, t: int) -> None:
        raw = raw_power_of(event)
        if raw is None:
            if not len(self._raw):
                keys = ("battery", "battery.current_raw", "battery.voltage_uv")
                reasons = [event.missing[key] for key in keys if key in event.missing]
                self._no_reading = plain_reason(reasons[0] if reasons else None, NO_BATTERY)
            return
        if not math.isnan(raw):
            self._no_reading = None
        elif self._no_reading is not None:
            self._no_reading = ON_CHARGER
        self._raw.append(t, raw)
        if self._watts_per_raw is not None:
            # Of the value as it is kept, so that a run that is opened again has the very same watts.
            self.power.append(t, float(self._raw.values[-1]) * self._watts_per_raw)


def plain_reason(reason: str | None, nothing: str = NOT_REPORTED) -> str:
    """A probe's reason in words that `tr_marked` knows: one of the system's, behind the file that it is
    about, is `nothing` or that it may not be read.
    """
    if reason is None:
        return nothing
    if "ermission denied" in reason or "not permitted" in reason:
        return NOT_PERMITTED
    if reason.startswith(_LEFT_OUT):
        return TOO_SLOW
    return nothing if reason.startswith("/") else reason
