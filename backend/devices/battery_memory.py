"""What a phone's battery current means, kept in its record once a run on battery has shown it."""

from __future__ import annotations

from pydantic import ValidationError

from as2d.backend.devices.remembered import RememberedDevices, RememberedPhone
from as2d.backend.energy.calibration import CurrentCalibration, calibrate, settled
from as2d.backend.energy.series import BatterySeries
from as2d.backend.energy.spans import Spans
from as2d.backend.errors import InputRefused


def current_of(phone: RememberedPhone) -> CurrentCalibration | None:
    """The calibration in a phone's record; null where there is none that this version understands."""
    if phone.battery is None:
        return None
    try:
        return CurrentCalibration.model_validate(phone.battery)
    except ValidationError:  # of a later version, or edited: the next run on battery measures anew
        return None


def remembered_current(name: str | None) -> CurrentCalibration | None:
    """What is known of a battery current, by the device's serial number or nickname; null where nothing
    is, or the record cannot be read.
    """
    if name is None:
        return None
    try:
        phones = RememberedDevices().read().phones
    except InputRefused:  # told where it is written
        return None
    wanted = name.casefold()
    for serialno, phone in phones.items():
        if wanted in (serialno.casefold(), (phone.nickname or "").casefold()):
            return current_of(phone)
    return None


def keep_current(
    serialno: str, calibration: CurrentCalibration | None, remembered: RememberedDevices | None = None
) -> None:
    """Keep what is given as it is; None forgets. Raises as `RememberedDevices.change`."""
    battery = calibration.model_dump(mode="json") if calibration is not None else None

    def change(before: RememberedPhone) -> RememberedPhone:
        return before.model_copy(update={"battery": battery})

    (remembered or RememberedDevices()).change(serialno, change)


def learn_current(
    serialno: str, series: BatterySeries, busy: Spans, remembered: RememberedDevices | None = None
) -> None:
    """Hold a run's readings against the phone's record, and keep what is surer.

    Raises as `RememberedDevices.change`. Readings that say nothing, as on a charger, change nothing.
    """
    found = calibrate(series, busy)
    if found.unit is None:
        return

    def change(before: RememberedPhone) -> RememberedPhone:
        now = settled(current_of(before), found)
        return before.model_copy(update={"battery": now.model_dump(mode="json")})

    (remembered or RememberedDevices()).change(serialno, change)
