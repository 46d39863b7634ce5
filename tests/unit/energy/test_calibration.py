"""A battery current's unit and sign are found over a window, never from a small sample."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.energy.phones import S, SimulatedPhone, raw_series, series_of

from as2d.backend.energy.calibration import CurrentCalibration, calibrate, given_calibration, settled
from as2d.backend.energy.spans import Spans


def _load(at: float) -> float:
    """2 W idle, 8 W from the 30th to the 90th second."""
    return 8.0 if 30 <= at < 90 else 2.0


def _busy() -> Spans:
    busy = Spans()
    busy.add(130 * S, 190 * S)
    return busy


@pytest.mark.parametrize(
    ("phone", "unit", "sign"),
    [
        (SimulatedPhone(), "uA", -1),
        (SimulatedPhone(sign=1), "uA", 1),  # Xiaomi Mi A3: +300140 while discharging
        (SimulatedPhone(unit=1e-3), "mA", -1),  # Samsung S21, Huawei P Smart
        (SimulatedPhone(unit=1e-3, sign=1), "mA", 1),
        (SimulatedPhone(counter_unit=1e-3), "uA", -1),
        (SimulatedPhone(refresh_s=1.0), "uA", -1),
    ],
)
def test_unit_and_sign_of_several_phones(phone: SimulatedPhone, unit: str, sign: int) -> None:
    found = calibrate(series_of(phone.samples(_load, 120)), _busy())
    assert (found.unit, found.discharging_sign) == (unit, sign)
    assert found.confidence == ("high" if phone.counter_unit == 1e-6 else "medium")
    assert found.refresh_s == pytest.approx(phone.refresh_s, abs=0.2)
    if found.counter_ratio is not None:
        assert found.counter_ratio == pytest.approx(1, abs=0.1)
    assert any("load: median" in line for line in found.evidence)


@pytest.mark.parametrize("value", [976, -976, 350000, -350, 0])
def test_one_small_sample_decides_nothing(value: int) -> None:
    found = calibrate(raw_series([value]), Spans())
    assert (found.unit, found.discharging_sign, found.confidence) == (None, None, "none")
    # Nor do many of the same value, which may be a sensor that never changes.
    found = calibrate(raw_series([value] * 100), Spans())
    assert (found.unit, found.confidence) == (None, "none")


def test_currents_near_zero_on_a_charger_decide_nothing() -> None:
    # A Pixel 3a on USB power reads 976 and means microamperes.
    values = [976, 1020, -340, 976, 15, 2210] * 20
    for status, charger in (
        ("Charging", True),
        ("Discharging", True),
        ("Full", None),
        ("Not charging", None),
    ):
        found = calibrate(raw_series(values, status=status, charger=charger), Spans())
        assert (found.unit, found.confidence) == (None, "none")
        assert "on battery" in found.evidence[-1]


def test_windows_of_the_reported_values() -> None:
    shape = [1.0, 1.05, 0.98, 1.1, 1.02] * 12
    assert calibrate(raw_series([round(350000 * x) for x in shape]), Spans()).unit == "uA"
    assert calibrate(raw_series([round(-350 * x) for x in shape]), Spans()).unit == "mA"
    assert calibrate(raw_series([round(-350 * x) for x in shape]), Spans()).discharging_sign == -1


def test_what_may_be_either_unit_is_not_guessed() -> None:
    # 12 mA in µA, or 12 A in mA.
    found = calibrate(raw_series([11900, 12000, 12100, 12050] * 20), Spans())
    assert (found.unit, found.confidence) == (None, "none")
    assert "uA or mA" in found.evidence[0]


def test_a_current_of_both_signs_has_no_sign() -> None:
    found = calibrate(raw_series([300000, -300100, 300200, -300300] * 20), Spans())
    assert (found.unit, found.discharging_sign, found.confidence) == ("uA", None, "low")


def test_size_and_charge_counter_that_contradict_are_not_trusted() -> None:
    events = SimulatedPhone(unit=1e-3).samples(_load, 120)
    odd = [
        event.model_copy(
            update={
                "battery": event.battery.model_copy(update={"current_raw": event.battery.current_raw * 1000})
            }
        )
        for event in events
        if event.battery is not None and event.battery.current_raw is not None
    ]
    assert calibrate(series_of(odd), _busy()).unit == "uA"
    less = [
        event.model_copy(
            update={
                "battery": event.battery.model_copy(
                    update={
                        "charge_counter_raw": 3_500_000
                        - (3_500_000 - event.battery.charge_counter_raw) * 1000
                    }
                )
            }
        )
        for event in odd
        if event.battery is not None and event.battery.charge_counter_raw is not None
    ]
    found = calibrate(series_of(less), _busy())
    assert (found.unit, found.confidence) == (None, "none")
    assert any("contradict" in line for line in found.evidence)


def test_what_a_phone_is_remembered_by() -> None:
    sure = calibrate(series_of(SimulatedPhone().samples(_load, 120)), _busy())
    unsure = calibrate(raw_series([300000, -300100, 300200, -300300] * 20), Spans())
    nothing = calibrate(raw_series([]), Spans())
    assert settled(None, nothing) == nothing
    assert settled(nothing, unsure) == unsure
    assert settled(unsure, sure) == sure
    assert settled(sure, unsure) == sure
    assert settled(sure, nothing) == sure
    told = given_calibration("mA", 1)
    assert settled(told, sure) == told


_LOOKS = {
    "mA": calibrate(series_of(SimulatedPhone(unit=1e-3).samples(_load, 120)), _busy()),
    "uA": calibrate(series_of(SimulatedPhone().samples(_load, 120)), _busy()),
    "uA, other sign": calibrate(series_of(SimulatedPhone(sign=1).samples(_load, 120)), _busy()),
    "nothing": calibrate(raw_series([]), Spans()),
}


@pytest.mark.parametrize(
    ("looks", "unit", "sign"),
    [
        (["uA", "mA"], None, None),
        (["uA", "mA", "uA"], None, None),
        (["uA", "mA", "nothing", "mA"], "mA", -1),
        (["uA", "mA", "uA", "uA"], "uA", -1),
        (["uA", "uA, other sign"], None, None),
        (["uA", "uA, other sign", "uA, other sign"], "uA", 1),
        (["uA, other sign", "mA", "uA", "mA", "uA"], None, None),
    ],
)
def test_after_a_contradiction_two_runs_in_a_row_have_to_agree(
    looks: list[str], unit: str | None, sign: int | None
) -> None:
    known = None
    for look in looks:
        known = settled(known, _LOOKS[look])
    assert known is not None
    assert (known.unit, known.discharging_sign) == (unit, sign)
    assert known.confidence == ("none" if unit is None else "medium")
    assert any("earlier readings" in line for line in known.evidence) == (unit is None)
    assert CurrentCalibration.model_validate_json(known.model_dump_json()) == known


@settings(max_examples=40, deadline=None)
@given(
    unit=st.sampled_from([1e-6, 1e-3]),
    sign=st.sampled_from([1, -1]),
    idle=st.floats(0.4, 3.0),
    more=st.floats(0.0, 10.0),
    refresh=st.sampled_from([0.2, 0.25, 0.5, 1.0, 2.0]),
    counter_unit=st.sampled_from([1e-6, 1e-3]),
    seed=st.integers(0, 1000),
)
def test_no_phone_gets_a_wrong_unit_or_sign(
    unit: float, sign: int, idle: float, more: float, refresh: float, counter_unit: float, seed: int
) -> None:
    phone = SimulatedPhone(unit, sign, refresh, counter_unit, seed=seed)
    events = phone.samples(lambda at: idle + (more if 30 <= at < 90 else 0), 120)
    found = calibrate(series_of(events), _busy())
    assert found.unit in (None, "uA" if unit == 1e-6 else "mA")
    assert found.discharging_sign in (None, sign)
    if unit == 1e-6:
        assert found.unit == "uA"


@settings(deadline=None)
@given(
    st.lists(st.integers(-20_000_000, 20_000_000), max_size=60), st.sampled_from(["Discharging", "Full", "x"])
)
def test_no_readings_break_it(values: list[int], status: str) -> None:
    found = calibrate(raw_series(values, status=status, charger=None), Spans())
    assert found.unit is None or found.confidence != "none"
