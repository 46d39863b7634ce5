"""Energy of spans, and every reason why there is none."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.energy.phones import XIAOMI, S, SimulatedPhone, raw_series, series_of

from as2d.backend.energy.calibration import given_calibration
from as2d.backend.energy.measure import Energy, NotMeasured, energy_between
from as2d.backend.energy.series import BatterySeries
from as2d.backend.protocol.telemetry import Telemetry

MICRO = given_calibration("uA", -1)


def _wave(at: float) -> float:
    return 8 + 3 * math.sin(at / 3)


def _measured(found: Energy | NotMeasured) -> Energy:
    assert isinstance(found, Energy), found
    return found


def _missing(found: Energy | NotMeasured) -> NotMeasured:
    assert isinstance(found, NotMeasured), found
    return found


def test_the_papers_target_only_row() -> None:
    # 10.47 W over 32.64 s are 341.7 J, and 1.335 J for each of 256 tokens.
    series = series_of(SimulatedPhone(noise=0.0).samples(lambda _: 10.47, 60))
    found = _measured(energy_between(series, 110 * S, int(142.64 * S), MICRO, 256))
    assert found.joules == pytest.approx(341.7, abs=0.1)
    assert found.mean_watts == pytest.approx(10.47, abs=0.001)
    assert found.seconds == pytest.approx(32.64)
    assert found.joules_per_token == pytest.approx(1.335, abs=0.001)
    assert XIAOMI in found.sensor


@settings(max_examples=60, deadline=None)
@given(
    start=st.floats(2, 20),
    seconds=st.floats(5, 30),
    unit=st.sampled_from([1e-6, 1e-3]),
    sign=st.sampled_from([1, -1]),
    refresh=st.sampled_from([0.2, 0.5, 1.0]),
)
def test_the_truth_lies_within_the_uncertainty(
    start: float, seconds: float, unit: float, sign: int, refresh: float
) -> None:
    phone = SimulatedPhone(unit, sign, refresh, noise=0.0)
    series = series_of(phone.samples(_wave, 60))
    told = given_calibration("uA" if unit == 1e-6 else "mA").model_copy(update={"refresh_s": refresh})
    begin, end = int((100 + start) * S), int((100 + start + seconds) * S)
    found = _measured(energy_between(series, begin, end, told))
    truth = 8 * seconds + 9 * (math.cos(start / 3) - math.cos((start + seconds) / 3))
    assert abs(found.joules - truth) <= found.uncertainty_joules
    assert found.mean_watts * found.seconds == pytest.approx(found.joules)


@pytest.mark.parametrize(
    ("status", "charger"),
    [("Charging", True), ("Discharging", True), ("Full", None), ("Not charging", False), ("Unknown", True)],
)
def test_with_a_charger_there_is_no_number(status: str, charger: bool | None) -> None:
    series = series_of(SimulatedPhone().samples(_wave, 30, status=status, charger=charger))
    found = _missing(energy_between(series, 105 * S, 115 * S, MICRO))
    assert str(found) == "not measurable: charging"


def test_a_charger_that_comes_within_the_span_counts() -> None:
    unplugged = SimulatedPhone().samples(_wave, 10)
    plugged = SimulatedPhone().samples(_wave, 10, start_s=110.2, status="Charging", charger=True)
    series = series_of(unplugged + plugged)
    assert _missing(energy_between(series, 105 * S, 115 * S, MICRO)).obstacle == "charging"
    _measured(energy_between(series, 102 * S, 109 * S, MICRO))


def test_a_phone_that_hides_its_charger_has_no_number() -> None:
    series = series_of(SimulatedPhone().samples(_wave, 30, status="Unknown", charger=None))
    found = _missing(energy_between(series, 105 * S, 115 * S, MICRO))
    assert "does not tell whether a charger" in found.reason


def test_sleep_within_the_span_makes_it_invalid() -> None:
    series = series_of(SimulatedPhone().samples(_wave, 30, slept=lambda at: 4.5 if at > 10 else 0.0))
    found = _missing(energy_between(series, 105 * S, 115 * S, MICRO))
    assert str(found) == "not measurable: the phone slept 4.5 s of it"
    _measured(energy_between(series, 112 * S, 120 * S, MICRO))


def test_gaps_are_not_bridged() -> None:
    events = SimulatedPhone().samples(_wave, 30)
    series = series_of([event for event in events if not 108 * S < event.t < 111 * S])
    assert _missing(energy_between(series, 105 * S, 115 * S, MICRO)).obstacle == "gap"
    assert _missing(energy_between(series, 128 * S, 140 * S, MICRO)).obstacle == "gap"
    _measured(energy_between(series, 112 * S, 120 * S, MICRO))


def test_no_unit_no_number() -> None:
    unknown = MICRO.model_copy(update={"unit": None, "evidence": ("only 3 readings",)})
    found = _missing(energy_between(raw_series([100] * 100), 2 * S, 9 * S, unknown))
    assert found.reason == "the unit of the battery current is not known: only 3 readings"


def test_a_current_into_the_battery_is_not_this_phones_load() -> None:
    assert _missing(energy_between(raw_series([300_000] * 100), 2 * S, 9 * S, MICRO)).obstacle == "sign"


def test_a_sensor_that_is_slower_than_the_response() -> None:
    slow = MICRO.model_copy(update={"refresh_s": 30.0})
    found = _missing(energy_between(raw_series([-300_000] * 100), 2 * S, 9 * S, slow))
    assert found.reason == "the battery current is renewed every 30.00 s, the span is 7.00 s"


def test_what_the_phone_denies_is_the_reason() -> None:
    series = BatterySeries()
    why = {"battery": "/sys/class/power_supply: Permission denied"}
    series.add(Telemetry(t=1, seq=0, rss_bytes=1, cpu_khz=None, missing=why))
    found = _missing(energy_between(series, 2, 9 * S, MICRO))
    assert found.reason == "no battery current (/sys/class/power_supply: Permission denied)"


def test_a_phone_whose_clock_began_anew_tells_no_energy() -> None:
    phone = SimulatedPhone()
    before = phone.samples(lambda _: 5.0, 60, start_s=1000)
    after = phone.samples(lambda _: 9.0, 60, start_s=20)
    assert (
        _missing(energy_between(series_of(before + after), 1010 * S, 1040 * S, MICRO)).obstacle == "restarted"
    )
    series = series_of([*before, before[-2]])
    assert _measured(energy_between(series, 1010 * S, 1040 * S, MICRO)).mean_watts == pytest.approx(
        5.0, rel=0.02
    )
