"""Android's own reports, as phones of several makers print them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from as2d.backend.devices.dumpsys import parse_battery, parse_thermal

UNPLUGGED = """Current Battery Service state:
  AC powered: false
  USB powered: false
  Wireless powered: false
  Dock powered: false
  Max charging current: 0
  Max charging voltage: 0
  Charge counter: 3541000
  status: 3
  health: 2
  present: true
  level: 76
  scale: 100
  voltage: 4012
  temperature: 312
  technology: Li-poly
"""

SNAPDRAGON = """IsStatusOverride: false
ThermalEventListeners:
	callbacks: 3
	killed: false
	broadcasts count: -1
ThermalStatusListeners:
	callbacks: 1
	killed: false
	broadcasts count: -1
Thermal Status: 2
Cached temperatures:
	Temperature{mValue=38.1, mType=3, mName=AP, mStatus=0}
HAL Ready: true
HAL connection:
	ThermalHAL 2.0 connected: yes
Current temperatures from HAL:
	Temperature{mValue=44.800003, mType=0, mName=AP, mStatus=0}
	Temperature{mValue=0.0, mType=2, mName=SUBBAT, mStatus=0}
	Temperature{mValue=NaN, mType=-1, mName=disp_therm, mStatus=0}
	Temperature{mValue=-0.98, mType=-1, mName=USB-MINUS-CHARGER, mStatus=0}
	Temperature{mValue=-274.0, mType=4, mName=usb, mStatus=0}
	Temperature{mValue=30.5, mType=2, mName=battery, mStatus=0}
Current cooling devices from HAL:
	CoolingDevice{mValue=7964000, mType=2, mName=thermal-cpufreq-0}
Temperature static thresholds from HAL:
	TemperatureThreshold{mType=3, mName=AP, mHotThrottlingThresholds=[NaN, NaN, NaN, 45.0, NaN, NaN, 95.0]}
"""

NOT_READY = """IsStatusOverride: false
Thermal Status: 0
Cached temperatures:
HAL Ready: false
HAL connection:
"""


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
def test_a_battery_is_read_with_any_line_ends(end: str) -> None:
    report = parse_battery(UNPLUGGED.replace("\n", end))
    assert report.status == "Discharging"
    assert report.charger is False
    assert (report.level, report.voltage_uv, report.temperature_c) == (76, 4_012_000, 31.2)
    assert report.charge_counter_uah == 3_541_000
    assert report.technology == "Li-poly"
    reading = report.as_reading()
    assert reading is not None
    assert reading.current_raw is None
    assert reading.charger is False


def test_any_source_of_power_is_a_charger() -> None:
    report = parse_battery(UNPLUGGED.replace("USB powered: false", "USB powered: true").replace("3\n", "5\n"))
    assert report.charger is True


def test_a_faked_report_is_no_reading() -> None:
    faked = UNPLUGGED.replace("state:\n", "state:\n  (UPDATES STOPPED -- use 'reset' to restart)\n")
    report = parse_battery(faked)
    assert report.faked
    assert report.charger is False
    assert report.as_reading() is None


def test_microvolts_are_told_from_millivolts() -> None:
    assert parse_battery("  voltage: 4012000").voltage_uv == 4_012_000
    assert parse_battery("  voltage: 0").voltage_uv is None


def test_another_scale_than_percent() -> None:
    assert parse_battery("  level: 3\n  scale: 4\n").level == 75


@pytest.mark.parametrize(
    "text", ["", "Can't find service: battery\n", "error: device 'x' not found", "status: full\nlevel:\n"]
)
def test_what_is_no_battery_report_says_nothing(text: str) -> None:
    assert parse_battery(text).as_reading() is None


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r\r\n"])
def test_temperatures_of_now_come_before_cached_ones(end: str) -> None:
    report = parse_thermal(SNAPDRAGON.replace("\n", end))
    assert report.throttling == "moderate"
    assert report.source == "hal"
    found = {zone.zone: zone.celsius for zone in report.temperatures}
    # 0.0, no number and -274 are sensors that are not there; cooling devices are none.
    assert found == {"AP": 44.8, "USB-MINUS-CHARGER": -0.98, "battery": 30.5}
    assert report.missing is None


def test_without_the_hal_cached_temperatures_are_named_so() -> None:
    report = parse_thermal(SNAPDRAGON[: SNAPDRAGON.index("Current temperatures")])
    assert report.source == "cached"
    assert report.temperatures[0].celsius == 38.1


def test_a_hal_that_is_not_ready_is_told() -> None:
    report = parse_thermal(NOT_READY)
    assert report.temperatures == ()
    assert report.source is None
    assert report.missing is not None
    assert "not ready" in report.missing


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no answer"),
        ("Can't find service: thermalservice", "Can't find service"),
        ("HAL Ready: true\nCurrent temperatures from HAL:\n", "no sensor"),
    ],
)
def test_no_temperatures_have_a_reason(text: str, reason: str) -> None:
    missing = parse_thermal(text).missing
    assert missing is not None
    assert reason in missing


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from(list(SNAPDRAGON) + list("\r\x00é")), max_size=200))
def test_no_text_breaks_the_parsers(text: str) -> None:
    parse_battery(text)
    parse_thermal(text)
    parse_thermal(SNAPDRAGON + text)
