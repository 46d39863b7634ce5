"""Phones without a cable, and phones that went silent: what the command line and the window do with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.devices.adb import pairing
from as2d.backend.devices.adb.address import PHONE_PORT, Address, parse_address
from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.adb.pairing import StateListener
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.choosing import find_phone
from as2d.backend.devices.phone import Phone, TransportKind
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.errors import HelperFailed, UserError, WrongUse
from as2d.backend.transcribe.cancel import CancelToken

NETWORK = (TransportKind.WIFI, TransportKind.TCP)
"""Transports that can be disconnected from here."""


@dataclass(frozen=True)
class PairedPhone:
    """A phone that accepts this computer from now on: as adb names it, and as it is listed if it is connected
    already.
    """

    name: str | None
    host: str
    phone: Phone | None


@dataclass(frozen=True)
class Tried:
    """A phone that was tried anew, by adb's serial; `phone` null: it is not connected any more."""

    serial: str
    phone: Phone | None


def connect_phone(
    server: AdbServer, name: str, cancel: CancelToken, waiting: StateListener | None, what: str
) -> Phone:
    """Connect a phone by its address, or by the nickname or serial number of one that was connected before.

    `waiting` is told once what the phone's owner has to do; `what` takes the address, in sentences.

    Raises:
        WrongUse: it is neither.
        HelperFailed: it cannot be reached, or did not accept this computer in time.
        Cancelled: cancelled meanwhile.
    """
    failed: UserError | None = None
    for serialno, address in addresses_of(name, what):
        try:
            return _connected(server, address, serialno, name, cancel, waiting)
        except HelperFailed as error:
            failed = failed or error
    assert failed is not None
    raise failed


def addresses_of(name: str, what: str) -> list[tuple[str | None, Address]]:
    """Where a phone may be that is named by its address, its nickname or its serial number, which is told
    along where it is known.

    Raises:
        WrongUse: no phone of that name is known, and it is no address.
    """
    return _remembered_addresses(name) or [(None, parse_address(name, what, PHONE_PORT))]


def pair_phone(server: AdbServer, address: str, code: str, cancel: CancelToken, what: str) -> PairedPhone:
    """Pair with a phone that shows its pairing dialog; `address` and `code` are those in that dialog.

    Raises:
        WrongUse: they are no address and no code.
        HelperFailed: the phone cannot be reached or refuses.
        Cancelled: cancelled meanwhile.
    """
    where = parse_address(address, what, None)
    paired = pairing.pair(server, where, code, cancel)
    phone = None
    if paired.serial is not None:
        phone = _phone_with(paired.serial, list_phones(server, cancel))
    return PairedPhone(paired.name, where.host, phone)


def disconnect_phones(
    server: AdbServer, name: str | None, cancel: CancelToken, *, everything: bool = False
) -> list[str]:
    """Disconnect a phone in the network, the only one without a name, or all; adb's serials of them.

    Raises:
        WrongUse: several are meant, or the phone has a cable only.
        HelperFailed: there is none, or it stays connected.
        Cancelled: cancelled meanwhile.
    """
    serials = _serials_in_network(name, list_phones(server, cancel), everything=everything)
    for serial in serials:
        pairing.disconnect(server, serial, cancel)
    return serials


def reconnect_phones(server: AdbServer, name: str | None, cancel: CancelToken) -> tuple[list[Tried], bool]:
    """Try a phone anew, or all that do not answer; what was tried, and whether any phone was connected.

    Raises:
        UserError: there is no such phone, or the adb server cannot be reached.
        Cancelled: cancelled meanwhile.
    """
    before = list_phones(server, cancel)
    if name is None:
        # adb's own list may say ready of a phone that hangs, and then tries nothing by itself.
        named = [way.serial for known in before for way in known.transports if way.state in pairing.STUCK]
    else:
        named = [way.serial for way in find_phone(name, before).transports]
    if not named:
        return [], bool(before)
    pairing.reconnect(server, named, cancel)
    after = list_phones(server, cancel)
    return [Tried(serial, _listed_with(serial, after)) for serial in named], True


def _connected(
    server: AdbServer,
    address: Address,
    serialno: str | None,
    name: str,
    cancel: CancelToken,
    waiting: StateListener | None,
) -> Phone:
    """Connect the phone at an address, where the one with `serialno` is expected (None: any).

    Addresses change hands. A phone that answers there instead is left as it was.
    """
    before = {way.serial for phone in list_phones(server, cancel) for way in phone.transports}
    serial = pairing.connect(server, address, cancel, waiting)
    found = _phone_with(serial, list_phones(server, cancel))
    if serialno is None or found.id == serialno:
        return found
    if serial not in before:
        pairing.disconnect(server, serial, cancel)
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


def _listed_with(serial: str, phones: Sequence[Phone]) -> Phone | None:
    return next((phone for phone in phones if any(way.serial == serial for way in phone.transports)), None)


def _phone_with(serial: str, phones: Sequence[Phone]) -> Phone:
    found = _listed_with(serial, phones)
    if found is None:
        raise HelperFailed(f"The phone at {serial} was connected and is gone again; connect it once more.")
    return found


def _serials_in_network(name: str | None, phones: Sequence[Phone], *, everything: bool) -> list[str]:
    """adb's serials of the transports that are to be disconnected."""
    wireless = [phone for phone in phones if any(way.kind in NETWORK for way in phone.transports)]
    if name is not None:
        chosen = [_wireless(name, phones)]
    elif everything or len(wireless) == 1:
        chosen = wireless
    elif wireless:
        names = ", ".join(phone.label for phone in wireless)
        raise WrongUse(f"There are {len(wireless)} phones in the network: {names}; name one, or give --all.")
    else:
        raise HelperFailed("No phone in the network is connected.")
    return [way.serial for phone in chosen for way in phone.transports if way.kind in NETWORK]


def _wireless(name: str, phones: Sequence[Phone]) -> Phone:
    phone = find_phone(name, phones)
    if not any(way.kind in NETWORK for way in phone.transports):
        raise WrongUse(f"The phone {phone.label} is connected by its cable; unplug it.")
    return phone
