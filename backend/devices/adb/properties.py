"""What a phone says of itself in a few words: enough to recognise and to name it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from as2d.backend.devices.adb.connection import AdbTarget, open_service
from as2d.backend.devices.adb.rows import Row, real_serialno
from as2d.backend.errors import UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken

ASK_SECONDS = 5.0
"""A phone that does not tell its properties for this long hangs."""

_NAMES = {
    "serialno": ("ro.serialno", "ro.boot.serialno"),
    "maker": ("ro.product.manufacturer",),
    "model": ("ro.product.marketname", "ro.config.marketing_name", "ro.product.model"),
    "model_code": ("ro.product.model",),
    "android": ("ro.build.version.release",),
}
END = "end-of-properties"
"""The last line: without it the connection was cut, which otherwise looks as an end does."""

_MOST_AT_ONCE = 8
_MOST_BYTES = 65536


@dataclass(frozen=True)
class Properties:
    """What the phone says of itself; None for what it does not say."""

    serialno: str | None = None
    maker: str | None = None
    model: str | None = None
    model_code: str | None = None
    android: str | None = None


def ask_properties(target: AdbTarget, cancel: CancelToken) -> Properties:
    """Ask a phone that is ready.

    Raises:
        TransportLost, ServiceRefused: it is gone, or does not answer.
        Cancelled: cancelled meanwhile.
    """
    names = dict.fromkeys(name for group in _NAMES.values() for name in group)
    command = f'for p in {" ".join(names)}; do echo "$p=$(getprop $p)"; done; echo {END}'
    said = bytearray()
    with open_service(target, f"shell:{command}", seconds=ASK_SECONDS, cancel=cancel) as connection:
        while len(said) < _MOST_BYTES and (block := connection.receive(4096, seconds=ASK_SECONDS)):
            said += block
    text = said.decode("utf-8", "replace")
    if END not in (line.strip() for line in text.splitlines()):
        raise connection.lost()
    return parse_properties(text)


def parse_properties(text: str) -> Properties:
    """The properties in lines `name=value`; other lines and empty values are left out."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().partition("=")
        if equals and value.strip():
            found.setdefault(name, value.strip())
    values = {
        field: next((found[name] for name in names if name in found), None) for field, names in _NAMES.items()
    }
    serialno = values.pop("serialno")
    return Properties(serialno=real_serialno(serialno) if serialno else None, **values)


class PropertyCache:
    """The properties of the phones that are ready, each asked once for as long as its transport lives."""

    def __init__(self, cancel: CancelToken) -> None:
        self._cancel = cancel
        self._pool = ThreadPoolExecutor(_MOST_AT_ONCE, thread_name_prefix="phone properties")
        self._asked: dict[Row, Future[Properties | None]] = {}
        self.changed = threading.Event()
        """Set when an answer has come."""

    def ask(self, rows: Iterable[Row], target_of: Callable[[Row], AdbTarget], seconds: float) -> None:
        """Ask those that were not asked yet, forget those that are gone, and wait up to `seconds`."""
        listed = set(rows)
        self._asked = {row: future for row, future in self._asked.items() if row in listed}
        for row in listed - self._asked.keys():
            future = self._pool.submit(self._answer, target_of(row))
            future.add_done_callback(lambda _: self.changed.set())
            self._asked[row] = future
        wait(self._asked.values(), timeout=seconds)

    def of(self, row: Row) -> Properties | None:
        """The answer of a phone; None for one that has not answered."""
        future = self._asked.get(row)
        return future.result() if future is not None and future.done() and not future.cancelled() else None

    def waiting(self, row: Row) -> bool:
        """Whether the phone was asked and may still answer."""
        future = self._asked.get(row)
        return future is not None and not future.done()

    def ask_silent_again(self) -> None:
        """Let the next `ask` ask those too that were asked and did not answer."""
        self._asked = {
            row: future
            for row, future in self._asked.items()
            if not future.done() or self.of(row) is not None
        }

    def forget(self) -> None:
        """Ask all anew, as when the adb server was restarted and its numbers mean other transports."""
        self._asked = {}

    def close(self) -> None:
        """Give the threads back; those that still wait end when cancelled, at the latest after
        `ASK_SECONDS`.
        """
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _answer(self, target: AdbTarget) -> Properties | None:
        try:
            return ask_properties(target, self._cancel)
        except (UserError, Cancelled):
            return None
