"""`as2d connect`, `disconnect`, `pair` and `reconnect`: phones without a cable, and phones that went
silent.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from as2d.backend.cli.console import say
from as2d.backend.cli.devices import adb_server_of, announce_start, phone_line
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.devices.adb.address import parse_address
from as2d.backend.devices.wireless import (
    addresses_of,
    connect_phone,
    disconnect_phones,
    pair_phone,
    reconnect_phones,
)
from as2d.backend.errors import HelperFailed, WrongUse
from as2d.backend.transcribe.cancel import CancelToken


def connect(
    phone: Annotated[
        str,
        typer.Argument(
            metavar="HOST[:PORT]",
            help="Address of a phone in the network (port 5555 if none is given), or the nickname or serial "
            "number of one that was connected before.",
        ),
    ],
    adb_server: AdbServerOption = None,
) -> None:
    """Connect a phone in the network.

    On the phone, 'Wireless debugging' in the developer options shows the address; pair it once before, see
    `as2d pair --help`.
    """
    server = adb_server_of(adb_server)
    addresses_of(phone, "as2d connect")  # what is no address is told before a server is started
    announce_start(server)
    found = connect_phone(server, phone, CancelToken(), say, "as2d connect")
    say(f"Connected: {phone_line(found)}.")


def disconnect(
    phone: Annotated[
        str | None,
        typer.Argument(
            metavar="HOST[:PORT]",
            help="A phone in the network: its address, nickname, serial number or model; none: the only one.",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Disconnect all phones in the network.")] = False,
    adb_server: AdbServerOption = None,
) -> None:
    """Disconnect a phone in the network."""
    if phone is not None and everything:
        raise WrongUse("`as2d disconnect` takes a phone or --all, not both.")
    server = adb_server_of(adb_server)
    announce_start(server)
    for serial in disconnect_phones(server, phone, CancelToken(), everything=everything):
        say(f"Disconnected: {serial}.")


def pair(
    address: Annotated[
        str,
        typer.Argument(metavar="HOST:PORT", help="The address in the phone's pairing dialog."),
    ],
    code: Annotated[
        str | None, typer.Option(help="The six digits in that dialog; asked for on a terminal if not given.")
    ] = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Pair with a phone in the network, once, so that it accepts this computer (Android 11 and newer).

    On the phone: developer options, 'Wireless debugging', 'Pair device with pairing code'. The dialog shows
    an address and six digits, both new every time; keep it open.
    """
    server = adb_server_of(adb_server)
    parse_address(address, "as2d pair", None)  # a wrong one is told before the code is asked for
    digits = code if code is not None else _asked_code()
    announce_start(server)
    paired = pair_phone(server, address, digits, CancelToken(), "as2d pair")
    if paired.phone is not None:
        say(f"Paired and connected: {phone_line(paired.phone)}.")
        return
    say(
        f"Paired: {paired.name}. Connect it with `as2d connect {paired.host}:PORT`; the port stands on the "
        "phone's wireless debugging page and is not the one for pairing."
    )


def reconnect(
    phone: Annotated[
        str | None,
        typer.Argument(
            metavar="PHONE",
            help="A phone: its nickname, serial number, address or model; none: all that do not answer.",
        ),
    ] = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Try phones anew that do not answer, are offline or have not accepted this computer."""
    server = adb_server_of(adb_server)
    announce_start(server)
    tried, connected = reconnect_phones(server, phone, CancelToken())
    if not tried:
        say("Every connected phone answers." if connected else "No phone is connected.")
    failed = False
    for one in tried:
        if one.phone is None:
            say(f"{one.serial} is not connected any more; connect it again.")
        elif one.phone.ready:
            say(f"Ready: {phone_line(one.phone)}.")
        else:
            say(f"{one.phone.label} {one.phone.sentence}.")
        failed = failed or one.phone is None or not one.phone.ready
    if failed:
        raise typer.Exit(HelperFailed.exit_code)


def _asked_code() -> str:
    if not sys.stdin.isatty():
        raise WrongUse("The pairing code is missing; give the six digits in the phone's dialog with --code.")
    code: str = typer.prompt("Pairing code", err=True)
    return code
