"""`as2d connect`, `disconnect`, `pair` and `reconnect`: phones without a cable, and phones that went
silent.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from as2d.backend.cli.console import say
from as2d.backend.cli.devices import adb_server_of, announce_start, phone_line
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.devices.adb import pairing
from as2d.backend.devices.adb.address import PHONE_PORT, Address, parse_address
from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.choosing import find_phone
from as2d.backend.devices.phone import Phone, TransportKind
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.errors import HelperFailed, UserError, WrongUse
from as2d.backend.transcribe.cancel import CancelToken

_NETWORK = (TransportKind.WIFI, TransportKind.TCP)


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
    server, token = adb_server_of(adb_server), CancelToken()
    known = _remembered_addresses(phone)
    if not known:
        known = [(None, parse_address(phone, "as2d connect", PHONE_PORT))]
    announce_start(server)
    failed: UserError | None = None
    for serialno, address in known:
        try:
            found = _connected(server, address, serialno, phone, token)
        except HelperFailed as error:
            failed = failed or error
            continue
        say(f"Connected: {phone_line(found)}.")
        return
    if failed is not None:
        raise failed


def disconnect(
    phone: Annotated[
        str | None,
        typer.Argument(
            metavar="[HOST[:PORT]]",
            help="A phone in the network: its address, nickname, serial number or model; none: the only one.",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Disconnect all phones in the network.")] = False,
    adb_server: AdbServerOption = None,
) -> None:
    """Disconnect a phone in the network."""
    if phone is not None and everything:
        raise WrongUse("`as2d disconnect` takes a phone or --all, not both.")
    server, token = adb_server_of(adb_server), CancelToken()
    announce_start(server)
    phones = list_phones(server, token)
    serials = _serials_in_network(phone, everything, phones)
    for serial in serials:
        pairing.disconnect(server, serial, token)
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
    server, token = adb_server_of(adb_server), CancelToken()
    where = parse_address(address, "as2d pair", None)
    digits = code if code is not None else _asked_code()
    announce_start(server)
    paired = pairing.pair(server, where, digits, token)
    if paired.serial is not None:
        say(f"Paired and connected: {phone_line(_phone_with(paired.serial, list_phones(server, token)))}.")
        return
    say(
        f"Paired: {paired.name}. Connect it with `as2d connect {where.host}:PORT`; the port stands on the "
        "phone's wireless debugging page and is not the one for pairing."
    )


def reconnect(
    phone: Annotated[
        str | None,
        typer.Argument(
            help="A phone: its nickname, serial number, address or model; none: all that do not answer."
        ),
    ] = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Try phones anew that do not answer, are offline or have not accepted this computer."""
    server, token = adb_server_of(adb_server), CancelToken()
    announce_start(server)
    before = list_phones(server, token)
    if phone is None:
        serials = [way.serial for known in before for way in known.transports if way.state in pairing.STUCK]
        if not serials:
            say("Every connected phone answers." if before else "No phone is connected.")
            return
        # adb's own list may say ready of a phone that hangs, and then tries nothing by itself.
        named: Sequence[str] = serials
    else:
        named = [way.serial for way in find_phone(phone, before).transports]
    pairing.reconnect(server, named, token)
    after = list_phones(server, token)
    failed = False
    for serial in named:
        found = next(
            (known for known in after if any(way.serial == serial for way in known.transports)), None
        )
        if found is None:
            say(f"{serial} is not connected any more; connect it again.")
            failed = True
        elif found.ready:
            say(f"Ready: {phone_line(found)}.")
        else:
            say(f"{found.label} {found.sentence}.")
            failed = True
    if failed:
        raise typer.Exit(HelperFailed.exit_code)


def _connected(
    server: AdbServer, address: Address, serialno: str | None, name: str, token: CancelToken
) -> Phone:
    """Connect the phone at an address, where the one with `serialno` is expected (None: any).

    Addresses change hands. A phone that answers there instead is left as it was.
    """
    before = {way.serial for phone in list_phones(server, token) for way in phone.transports}
    serial = pairing.connect(server, address, token, say)
    found = _phone_with(serial, list_phones(server, token))
    if serialno is None or found.id == serialno:
        return found
    if serial not in before:
        pairing.disconnect(server, serial, token)
    raise HelperFailed(
        f"At {address} another phone answers, {found.label}, not {name} ({serialno}); connect it by the "
        "address that its wireless debugging page shows now."
    )


def _remembered_addresses(name: str) -> list[tuple[str | None, Address]]:
    """Where a phone of this nickname or serial number was last, the newest first, with its serial number;
    empty if none is known.
    """
    try:
        phones = RememberedDevices().read().phones
    except UserError:
        return []
    wanted = name.casefold()
    return [
        (key, parse_address(address, "as2d connect", PHONE_PORT))
        for key, phone in phones.items()
        if wanted in (key.casefold(), (phone.nickname or "").casefold())
        for address in phone.addresses
    ]


def _phone_with(serial: str, phones: Sequence[Phone]) -> Phone:
    for phone in phones:
        if any(way.serial == serial for way in phone.transports):
            return phone
    raise HelperFailed(f"The phone at {serial} was connected and is gone again; connect it once more.")


def _serials_in_network(name: str | None, everything: bool, phones: Sequence[Phone]) -> list[str]:
    """adb's serials of the transports that are to be disconnected."""
    wireless = [phone for phone in phones if any(way.kind in _NETWORK for way in phone.transports)]
    if name is not None:
        chosen = [_wireless(name, phones)]
    elif everything or len(wireless) == 1:
        chosen = wireless
    elif wireless:
        names = ", ".join(phone.label for phone in wireless)
        raise WrongUse(f"There are {len(wireless)} phones in the network: {names}; name one, or give --all.")
    else:
        raise HelperFailed("No phone in the network is connected.")
    return [way.serial for phone in chosen for way in phone.transports if way.kind in _NETWORK]


def _wireless(name: str, phones: Sequence[Phone]) -> Phone:
    phone = find_phone(name, phones)
    if not any(way.kind in _NETWORK for way in phone.transports):
        raise WrongUse(f"The phone {phone.label} is connected by its cable; unplug it.")
    return phone


def _asked_code() -> str:
    if not sys.stdin.isatty():
        raise WrongUse("The pairing code is missing; give the six digits in the phone's dialog with --code.")
    code: str = typer.prompt("Pairing code", err=True)
    return code
