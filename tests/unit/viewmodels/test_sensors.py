"""Temperature and power, or why there is none."""

from __future__ import annotations

import numpy as np
import pytest

from as2d.app.viewmodels.run import RunViewModel
from as2d.app.viewmodels.selection import span_sums
from as2d.app.viewmodels.sensors import (
    NO_BATTERY,
    NO_TEMPERATURE,
    NOT_CALIBRATED,
    NOT_PERMITTED,
    ON_CHARGER,
)
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.energy.calibration import given_calibration
from as2d.backend.protocol.host_events import RunEnded
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.telemetry import Battery, Telemetry, ZoneTemperature

SECOND = 10**9


def sample(
    t: int,
    raw: int | None,
    *,
    charger: bool = False,
    zones: tuple[float, ...] = (),
    counter: int | None = None,
) -> Telemetry:
    """A reading of a phone with 4 V."""
    battery = Battery(
        current_raw=raw,
        voltage_uv=4_000_000,
        level=78,
        temperature_c=31.5,
        status="Charging" if charger else "Discharging",
        charge_counter_raw=counter,
        charger=charger,
        current_source="current_now",
    )
    missing = {} if raw is not None else {"battery.current_raw": "permission denied"}
    thermal = tuple(ZoneTemperature(zone=f"zone{n}", celsius=value) for n, value in enumerate(zones))
    return Telemetry(t=t, seq=0, rss_bytes=1, cpu_khz=None, thermal=thermal, battery=battery, missing=missing)


def test_power_is_read_by_the_phones_calibration_also_afterwards() -> None:
    model = TimelineModel()
    for n in range(5):
        model.feed(sample(n * SECOND, -500_000))
    assert model.sensors.power_missing == NOT_CALIBRATED
    model.calibrate(given_calibration("uA", -1))
    model.feed(sample(5 * SECOND, -250_000))
    assert model.sensors.power_missing is None
    assert model.sensors.power.values.tolist() == pytest.approx([2, 2, 2, 2, 2, 1])
    sums = span_sums(model, SECOND, 6 * SECOND)
    assert sums.joules == pytest.approx(4 * 2 + 1)


def test_energy_is_not_told_while_a_charger_feeds_the_phone() -> None:
    model = TimelineModel()
    model.calibrate(given_calibration("uA", -1))
    model.feed(sample(0, 300_000, charger=True))
    assert model.sensors.power_missing == ON_CHARGER
    model.feed(sample(SECOND, -500_000))
    assert model.sensors.power_missing is None
    assert np.isnan(model.sensors.power.values[0])
    assert span_sums(model, 0, 2 * SECOND).joules is None
    assert span_sums(model, SECOND, 2 * SECOND).joules == pytest.approx(2)


def test_the_reason_of_the_device_is_said_in_plain_words(run_events: list[RecordedEvent]) -> None:
    model = TimelineModel()
    model.feed(sample(0, None))
    assert model.sensors.power_missing == NOT_PERMITTED
    for reason, said in (
        ("/sys/class/power_supply/battery/current_now: No such file or directory", NO_BATTERY),
        ("/sys/class/power_supply/bms/current_now: Permission denied", NOT_PERMITTED),
        ("the phone's report names none", "the phone's report names none"),
    ):
        model.clear()
        model.feed(sample(0, None).model_copy(update={"missing": {"battery": reason, "thermal": reason}}))
        assert model.sensors.power_missing == said
    model.clear()
    bare = sample(0, None).model_copy(update={"battery": None})
    model.feed(bare.model_copy(update={"missing": {"thermal": "/sys/class/thermal: no thermal_zone"}}))
    assert model.sensors.temperature_missing == NO_TEMPERATURE
    first = next(event for event in run_events if isinstance(event, Telemetry))
    model.clear()
    model.feed(first.model_copy(update={"missing": {}}))
    assert model.sensors.power_missing == NO_BATTERY


def test_the_temperature_is_that_of_the_hottest_plausible_zone() -> None:
    model = TimelineModel()
    model.feed(sample(0, None))
    assert (model.sensors.temperature.at(0), model.sensors.temperature_of) == (31.5, "battery")
    model.feed(sample(SECOND, None, zones=(41.0, 55.5, 3000.0, -273.0)))
    assert (model.sensors.temperature.at(SECOND), model.sensors.temperature_of) == (55.5, "zone1")


def test_a_run_on_battery_tells_what_the_current_means_when_it_has_ended() -> None:
    run = RunViewModel()
    charge = 4_000_000.0
    for second in range(600):
        current = 500_000 + second % 7 * 10_000
        charge -= current / 3600
        run.feed([sample(second * SECOND, -current, counter=round(charge))])
    assert run.timeline.sensors.power_missing == NOT_CALIBRATED
    run.feed([RunEnded(t=600 * SECOND, status="done")])
    assert run.timeline.sensors.power_missing is None
    assert run.timeline.sensors.power.at(70 * SECOND) == pytest.approx(0.5 * 4)


def test_what_the_user_said_of_a_phone_stays() -> None:
    run = RunViewModel()
    given = given_calibration("mA", -1)
    run.timeline.calibrate(given)
    run.feed([sample(0, -500), RunEnded(t=SECOND, status="done")])
    assert run.timeline.calibration == given
    assert run.timeline.sensors.power.at(0) == pytest.approx(2)
