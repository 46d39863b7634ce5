"""Phones without a cable: paired once, connected, disconnected; and phones that went silent, tried anew.

adb says in words how these went, with the same exit code either way. Where it can be seen it is judged by the
state that the phone is in afterwards; adb's words only give the reason.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from as2d.backend.devices.adb.address import Address
from as2d.backend.devices.adb.listing import rows_of
from as2d.backend.devices.adb.pairing_words import connect_reason, pair_reason, paired_name
from as2d.backend.devices.adb.rows import Row
from as2d.backend.devices.adb.server import AdbServer, ServerFailed, ServerRefused
from as2d.backend.devices.adb.states import meaning_of
from as2d.backend.devices.phone import PhoneState, TransportKind
from as2d.backend.errors import HelperFailed, WrongUse
from as2d.backend.transcribe.cancel import CancelToken

CONNECT_SECONDS = 30.0
"""adb itself gives up after 10 s for the network and 10 s for the phone."""
ACCEPT_SECONDS = 60.0
"""How long a phone's owner has to accept this computer."""
PAIR_SECONDS = 60.0
"""How long pairing may take; a phone that was left in the middle of it never answers."""
RECONNECT_SECONDS = 15.0

STUCK = (PhoneState.OFFLINE, PhoneState.UNAUTHORIZED, PhoneState.AUTHORIZING, PhoneState.CONNECTING)
"""What trying anew may help."""

_APPEAR_SECONDS = 6.0
_POLL_SECONDS = 0.1
_CODE = re.compile(r"[0-9]{6}")

StateListener = Callable[[str], None]
"""Told what is being waited for, as a sentence about the phone."""


@dataclass(frozen=True)
class Paired:
    """A phone that accepts this computer from now on. `serial`: adb's name for it once connected, else
    None.
    """

    name: str | None
    serial: str | None


def connect(
    server: AdbServer, address: Address, cancel: CancelToken, waiting: StateListener | None = None
) -> str:
    """Connect a phone in the network, waiting for its owner to accept this computer; adb's serial for it.

    `waiting` is told once what the owner has to do. A phone that is connected already is no error.

    Raises:
        HelperFailed: it cannot be reached, is not in Android, or did not accept within `ACCEPT_SECONDS`.
        Cancelled: cancelled meanwhile.
    """
    said = _asked(server, f"host:connect:{address}", CONNECT_SECONDS, cancel)
    serial = str(address)
    begin = time.monotonic()
    told = False
    while True:
        row = _row(rows_of(server, cancel), serial)
        if row is None:
            raise HelperFailed(connect_reason(said, serial))
        if row.state is PhoneState.READY:
            return serial
        patience = _APPEAR_SECONDS if row.state is PhoneState.OFFLINE else ACCEPT_SECONDS
        if row.state not in STUCK or time.monotonic() > begin + patience:
            raise HelperFailed(f"The phone at {serial} {_meaning(row)}.")
        if row.state is PhoneState.UNAUTHORIZED and waiting is not None and not told:
            waiting(f"The phone at {serial} {_meaning(row)}.")
            told = True
        _pause(cancel)


def disconnect(server: AdbServer, serial: str, cancel: CancelToken) -> None:
    """Disconnect a phone in the network, by adb's serial for it.

    Raises:
        HelperFailed: it is not connected, or stays connected.
        Cancelled: cancelled meanwhile.
    """
    if _row(rows_of(server, cancel), serial) is None:
        raise HelperFailed(f"No phone is connected at {serial}; `as2d devices` lists those that are.")
    try:
        server.ask(f"host:disconnect:{serial}", cancel=cancel)
    except ServerRefused as refused:
        if _row(rows_of(server, cancel), serial) is not None:
            raise HelperFailed(
                f"The phone at {serial} cannot be disconnected (adb: {refused.text}); turn off wireless "
                "debugging on it."
            ) from refused
        return
    end = time.monotonic() + _APPEAR_SECONDS
    while _row(rows_of(server, cancel), serial) is not None:
        if time.monotonic() > end:
            raise HelperFailed(
                f"The phone at {serial} is still connected, as adb connects paired phones by itself; turn "
                "off wireless debugging on it."
            )
        _pause(cancel)


def pair(server: AdbServer, address: Address, code: str, cancel: CancelToken) -> Paired:
    """Pair with a phone that shows its pairing dialog: the address and the code are those in that dialog.

    adb then connects the phone by itself where the network lets it find it, which is waited for a moment.

    Raises:
        WrongUse: the code is none.
        HelperFailed: the phone cannot be reached or refuses.
        Cancelled: cancelled meanwhile.
    """
    digits = "".join(code.split())
    if not _CODE.fullmatch(digits):
        raise WrongUse("The pairing code has six digits; it stands in the phone's pairing dialog.")
    before = {row.serial for row in rows_of(server, cancel)}
    try:
        said = server.ask(f"host:pair:{digits}:{address}", seconds=PAIR_SECONDS, cancel=cancel)
    except ServerRefused as refused:
        raise HelperFailed(pair_reason(refused.text, str(address))) from refused
    except ServerFailed as error:
        if not server.is_running():
            raise
        raise HelperFailed(pair_reason("", str(address))) from error
    name = paired_name(said)
    if name is None:
        raise HelperFailed(pair_reason(said, str(address)))
    end = time.monotonic() + _APPEAR_SECONDS
    while time.monotonic() < end:
        for row in rows_of(server, cancel):
            known = row.serial.startswith(name) or (
                row.serial not in before and row.serial.startswith("adb-")
            )
            if known and row.state is PhoneState.READY:
                return Paired(name, row.serial)
        _pause(cancel)
    return Paired(name, None)


def reconnect(server: AdbServer, serials: Sequence[str] | None, cancel: CancelToken) -> list[Row]:
    """Try the phones anew that do not answer or have not accepted this computer, or those named.

    Returns the rows of those that were tried as they are afterwards; a phone that is gone has none.

    Raises:
        HelperFailed: the adb server cannot be reached.
        Cancelled: cancelled meanwhile.
    """
    before = {
        row.serial: row
        for row in rows_of(server, cancel)
        if (row.state in STUCK if serials is None else row.serial in serials)
    }
    for row in before.values():
        _try_anew(server, row, cancel)
    end = time.monotonic() + RECONNECT_SECONDS
    while True:
        now = [row for row in rows_of(server, cancel) if row.serial in before]
        for serial in before.keys() - {row.serial for row in now}:
            if before[serial].kind is TransportKind.TCP:
                _asked(server, f"host:connect:{serial}", CONNECT_SECONDS, cancel)
        revived = {row.serial for row in now if _is_revived(row, before[row.serial])}
        if revived == before.keys() or time.monotonic() > end:
            return now
        _pause(cancel)


def _try_anew(server: AdbServer, row: Row, cancel: CancelToken) -> None:
    if row.kind is TransportKind.TCP:
        # What adb calls reconnecting only makes it forget a phone in the network that is away for a moment;
        # once it is forgotten it can be connected.
        _asked(server, f"host:disconnect:{row.serial}", CONNECT_SECONDS, cancel)
        return
    way = f"host-transport-id:{row.number}" if row.number is not None else f"host-serial:{row.serial}"
    _asked(server, f"{way}:reconnect", CONNECT_SECONDS, cancel)


def _is_revived(row: Row, before: Row) -> bool:
    """Whether a phone is ready and not just still listed so."""
    return row.state is PhoneState.READY and (
        before.state is not PhoneState.READY or row.number != before.number
    )


def _asked(server: AdbServer, query: str, seconds: float, cancel: CancelToken) -> str:
    """The server's words, a refusal's too."""
    try:
        return server.ask(query, seconds=seconds, cancel=cancel)
    except ServerRefused as refused:
        return refused.text


def _row(rows: Sequence[Row], serial: str) -> Row | None:
    return next((row for row in rows if row.serial == serial), None)


def _meaning(row: Row) -> str:
    return meaning_of(row.state, row.words, row.kind, row.place or row.serial)


def _pause(cancel: CancelToken) -> None:
    cancel.check()
    time.sleep(_POLL_SECONDS)
