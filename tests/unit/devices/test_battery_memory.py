"""What a phone's battery current means is learnt from runs on battery and kept."""

from __future__ import annotations

from typing import Any

from tests.unit.energy.phones import SimulatedPhone, raw_series, series_of

from as2d.backend.devices.battery_memory import current_of, keep_current, learn_current
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.energy.calibration import given_calibration
from as2d.backend.energy.series import BatterySeries
from as2d.backend.energy.spans import Spans


def _run(phone: SimulatedPhone, **options: Any) -> BatterySeries:
    return series_of(phone.samples(lambda at: 2 + (at > 30) * 6.0, 90, **options))


def test_a_run_on_battery_is_learnt_from(remembered: RememberedDevices) -> None:
    learn_current("A1", _run(SimulatedPhone(unit=1e-3)), Spans(), remembered)
    known = current_of(remembered.phone("A1"))
    assert known is not None
    assert (known.unit, known.discharging_sign) == ("mA", -1)
    assert current_of(remembered.phone("B2")) is None


def test_a_run_on_a_charger_changes_nothing(remembered: RememberedDevices) -> None:
    charging = _run(SimulatedPhone(), status="Charging", charger=True)
    learn_current("A1", charging, Spans(), remembered)
    learn_current("A1", raw_series([]), Spans(), remembered)
    assert not remembered.path.exists()


def test_what_the_user_says_is_kept_until_it_is_forgotten(remembered: RememberedDevices) -> None:
    keep_current("A1", given_calibration("uA", 1), remembered)
    learn_current("A1", _run(SimulatedPhone(unit=1e-3)), Spans(), remembered)
    assert current_of(remembered.phone("A1")) == given_calibration("uA", 1)
    keep_current("A1", None, remembered)
    assert current_of(remembered.phone("A1")) is None


def test_runs_that_contradict_leave_the_unit_open(remembered: RememberedDevices) -> None:
    for unit in (1e-6, 1e-3):
        learn_current("A1", _run(SimulatedPhone(unit=unit)), Spans(), remembered)
    known = current_of(remembered.phone("A1"))
    assert known is not None
    assert known.unit is None
    assert known.evidence[-1] == "earlier readings said uA, these say mA"


def test_a_record_of_another_form_is_measured_anew(remembered: RememberedDevices) -> None:
    odd = {"unit": "furlong"}
    remembered.change("A1", lambda phone: phone.model_copy(update={"battery": odd}))
    assert current_of(remembered.phone("A1")) is None
