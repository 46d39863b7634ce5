"""The phone that a command talks about."""

from __future__ import annotations

from typing import Annotated

import typer

from as2d.backend.cli.devices import adb_server_of, announce_start
from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.choosing import ANY_PHONE, choose_device
from as2d.backend.errors import WrongUse

PhoneOption = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="PHONE",
        help="A phone: its nickname, serial number, address or model; default: the only one that is ready.",
    ),
]


def chosen_phone(device: str | None, adb_server: str | None) -> AdbTarget:
    """The phone that the options mean; raises as `server_and_phone`."""
    return server_and_phone(device, adb_server)[1]


def server_and_phone(device: str | None, adb_server: str | None) -> tuple[AdbServer, AdbTarget]:
    """The phone that the options mean, and the adb server that it is behind.

    Raises:
        WrongUse: this computer was named, or several phones are meant.
        HelperFailed: there is none, or it is not ready.
    """
    server = adb_server_of(adb_server)
    announce_start(server)
    phone = choose_device(device or ANY_PHONE, server=server)
    if phone is None:
        raise WrongUse("This command is about phones; this computer needs nothing brought or taken away.")
    return server, server.target(phone.best.target, phone.label)
