"""`--device`: which device decodes."""

from __future__ import annotations

from typing import Annotated

import typer

from as2d.backend.cli.phones import ChosenPhone, chosen_phone, named_phone
from as2d.backend.devices.adb.phone_device import PhoneDevice
from as2d.backend.devices.device import Device
from as2d.backend.devices.local import LocalDevice
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.paths import arm64_helper_path

DeviceOption = Annotated[
    str | None,
    typer.Option(
        "--device",
        help="The device: a phone's nickname, serial number, address or model, or 'phone' for the "
        "only one; default: this computer.",
    ),
]


def device_of(name: str | None, adb_server: str | None = None) -> Device:
    """The device that `--device` names; `adb_server` as `--adb-server` names it.

    Raises:
        UserError: there is no such device, it is not ready, or several are meant.
    """
    return phone_of(name, adb_server) or LocalDevice()


def phone_of(name: str | None, adb_server: str | None = None) -> PhoneDevice | None:
    """The phone that `--device` names; None: it names this computer. Raises as `device_of`."""
    chosen = named_phone(name, adb_server)
    return _device(chosen) if chosen is not None else None


def require_phone(
    name: str | None, why: str, adb_server: str | None = None, *, decodes: bool = True
) -> PhoneDevice:
    """The phone that `--device` names, the only one without a name; raises as `chosen_phone`.

    `decodes`: a helper will be started there, which must be at hand.
    """
    return _device(chosen_phone(name, adb_server, why), decodes=decodes)


def _device(chosen: ChosenPhone, *, decodes: bool = True) -> PhoneDevice:
    if decodes:  # else it would be missed after all models were installed
        arm64_helper_path()
    cpus = RememberedDevices().phone(chosen.phone.id).cpus
    return PhoneDevice(chosen.server, chosen.phone, cpus=cpus)
