"""The phones behind an adb server: found, recognised, named."""

from __future__ import annotations

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.merging import adb_target, merge
from as2d.backend.devices.adb.properties import ASK_SECONDS, PropertyCache
from as2d.backend.devices.adb.rows import Row, parse_rows
from as2d.backend.devices.adb.server import AdbServer, ServerFailed, ServerRefused
from as2d.backend.devices.phone import Phone, PhoneState, TransportKind
from as2d.backend.devices.remembered import DevicesFile, RememberedDevices, RememberedPhone
from as2d.backend.errors import UserError
from as2d.backend.transcribe.cancel import CancelToken

_SETTLE_SECONDS = 2.0
_POLL_SECONDS = 0.1
_MOST_ADDRESSES = 4


def list_phones(
    server: AdbServer, cancel: CancelToken | None = None, remembered: RememberedDevices | None = None
) -> list[Phone]:
    """All phones that the server knows, in any state, those that are ready first.

    The server is started if none runs. Phones that adb is just connecting get a moment; one that does not
    tell its properties within seconds is listed as not answering, and holds nobody else up for longer.

    Raises:
        HelperFailed: the server cannot be reached or started.
        Cancelled: cancelled meanwhile.
    """
    token = CancelToken(cancel)
    with Recognizer(server, token, remembered) as recognizer:
        rows = settled_rows(server, token)
        recognizer.ask(rows, ASK_SECONDS)
        token.check()
        return recognizer.phones(rows, final=True)


def rows_of(server: AdbServer, cancel: CancelToken) -> list[Row]:
    """The server's transports now; raises as `list_phones`."""
    try:
        return parse_rows(server.ask("host:devices-l", cancel=cancel))
    except ServerRefused as refused:
        raise ServerFailed(
            f"The adb server at {server.address} does not list its devices (adb: {refused.text}); restart "
            "it with `adb kill-server`."
        ) from refused


def settled_rows(server: AdbServer, cancel: CancelToken, seconds: float = _SETTLE_SECONDS) -> list[Row]:
    """The server's transports once none of them is changing, or after `seconds`; raises as `list_phones`."""
    end = time.monotonic() + seconds
    while True:
        rows = rows_of(server, cancel)
        if not any(row.state.passes for row in rows) or time.monotonic() > end:
            return rows
        cancel.check()
        time.sleep(_POLL_SECONDS)


class Recognizer:
    """Makes phones of transports: asks who they are, and joins what is remembered of them."""

    def __init__(
        self, server: AdbServer, cancel: CancelToken, remembered: RememberedDevices | None = None
    ) -> None:
        """`remembered`: by default what is in the data folder; when it is damaged phones have no
        nicknames.
        """
        self._server = server
        self._remembered = remembered or RememberedDevices()
        self._cancel = cancel
        self.properties = PropertyCache(cancel)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cancel.cancel()
        self.properties.close()

    def ask(self, rows: Sequence[Row], seconds: float) -> None:
        """Ask the phones that are ready who they are, and wait for that up to `seconds`."""

        def target_of(row: Row) -> AdbTarget:
            return self._server.target(adb_target(row, rows))

        self.properties.ask((row for row in rows if row.state is PhoneState.READY), target_of, seconds)

    def phones(self, rows: Sequence[Row], *, final: bool) -> list[Phone]:
        """The phones as far as they are known; `final`: those that still have not answered count as
        silent.
        """

        def silent(row: Row) -> bool:
            if row.state is not PhoneState.READY or self.properties.of(row) is not None:
                return False
            return final or not self.properties.waiting(row)

        file = self._read()
        phones = merge(rows, self.properties.of, silent, file.phones)
        for phone in phones:
            self._remember(phone, file)
        return phones

    def _read(self) -> DevicesFile:
        try:
            return self._remembered.read()
        except UserError:  # told where nicknames are given; a list without them is better than none
            return DevicesFile()

    def _remember(self, phone: Phone, file: DevicesFile) -> None:
        """Keep the last address of a phone in the network, and the model of those that are remembered."""
        if not phone.ready or phone.id in (transport.place for transport in phone.transports):
            return
        addresses = tuple(
            transport.serial for transport in phone.transports if transport.kind is TransportKind.TCP
        )
        before = file.phones.get(phone.id)
        if before is None and not addresses:
            return
        known = before or RememberedPhone()
        kept = tuple(dict.fromkeys((*addresses, *known.addresses)))[:_MOST_ADDRESSES]
        if before is not None and kept == known.addresses and known.model == (phone.model or known.model):
            return

        def change(phone_before: RememberedPhone) -> RememberedPhone:
            model = phone.model or phone_before.model
            return phone_before.model_copy(update={"addresses": kept, "model": model})

        try:
            self._remembered.change(phone.id, change)
        except UserError:  # only a convenience is lost: connecting by name
            return
