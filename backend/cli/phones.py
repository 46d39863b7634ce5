"""The phone that a command talks about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from as2d.backend.cli.devices import adb_server_of, announce_start
from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.choosing import ANY_PHONE, choose_device, means_this_computer
from as2d.backend.devices.phone import Phone
from as2d.backend.errors import WrongUse

PhoneOption = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="PHONE",
        help="A phone: its nickname, serial number, address or model; default: the only one that is ready.",
    ),
]


@dataclass(frozen=True)
class ChosenPhone:
    """A phone that is ready, and the adb server that it is behind."""

    server: AdbServer
    phone: Phone

    @property
    def target(self) -> AdbTarget:
        """The best way to it."""
        return self.server.target(self.phone.best.target, self.phone.label)


def named_phone(device: str | None, adb_server: str | None) -> ChosenPhone | None:
    """The phone that `--device` names; None: it names this computer, for which adb is not looked at.

    Raises:
        WrongUse: several phones are meant, or `--adb-server` names no address.
        HelperFailed: there is none, or it is not ready.
    """
    if means_this_computer(device):
        return None
    server = adb_server_of(adb_server)
    announce_start(server)
    phone = choose_device(device, server=server)
    return ChosenPhone(server, phone) if phone is not None else None


def chosen_phone(
    device: str | None, adb_server: str | None, why: str = "This command is about phones"
) -> ChosenPhone:
    """The phone that `--device` names, the only one that is ready without a name.

    Raises:
        WrongUse: this computer was named, which `why` refuses; else as `named_phone`.
        HelperFailed: as `named_phone`.
    """
    chosen = named_phone(device or ANY_PHONE, adb_server)
    if chosen is None:
        raise WrongUse(f"{why}; name a phone with --device.")
    return chosen
