"""`--device`: which device decodes."""

from __future__ import annotations

from typing import Annotated

import typer

from as2d.backend.cli.devices import adb_server_of
from as2d.backend.devices.adb.phone_device import PhoneDevice
from as2d.backend.devices.choosing import ANY_PHONE, choose_device
from as2d.backend.devices.device import Device
from as2d.backend.devices.local import LocalDevice
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.errors import WrongUse

DeviceOption = Annotated[
    str | None,
    typer.Option(
        "--device",
        help="Which device decodes: a phone's nickname, serial number, address or model, or 'phone' for the "
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
    server = adb_server_of(adb_server)
    phone = choose_device(name, server=server)
    if phone is None:
        return None
    return PhoneDevice(server, phone, cpus=RememberedDevices().phone(phone.id).cpus)


def require_phone(name: str | None, why: str, adb_server: str | None = None) -> PhoneDevice:
    """The phone that `--device` names, the only one without a name; raises as `device_of`."""
    phone = phone_of(name or ANY_PHONE, adb_server)
    if phone is None:
        raise WrongUse(f"{why}; name a phone with --device.")
    return phone
