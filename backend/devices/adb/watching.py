"""The live list of phones: whoever listens gets the new list at every change."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from as2d.backend.devices.adb.connection import AdbConnection
from as2d.backend.devices.adb.listing import Recognizer
from as2d.backend.devices.adb.properties import ASK_SECONDS
from as2d.backend.devices.adb.rows import Row, parse_rows
from as2d.backend.devices.adb.server import AdbServer, ServerFailed, ServerRefused
from as2d.backend.devices.adb.words import SERVERS_FIGHT
from as2d.backend.devices.phone import Phone, PhoneState
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.errors import UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken

_PATIENCE_SECONDS = 1.0  # a list is shown without names rather than later than this
_RETRY_SECONDS = (0.2, 0.5, 1.0, 2.0)
_SLICE_SECONDS = 0.05
_FLICKER_SECONDS = 0.3  # a phone that comes or goes is offline for less
_FIGHT_SECONDS = 60.0
_FIGHT_RESTARTS = 3


@dataclass(frozen=True)
class Listed:
    """The phones now. `problem`: why the list may be incomplete, as a sentence; None if it is not."""

    phones: tuple[Phone, ...]
    problem: str | None = None


Listener = Callable[[Listed], None]
"""Called with every new list, on the watch's thread; it must not block."""


class Watch:
    """Follows the phones in a thread of its own, from its making to its `close`.

    It starts the adb server where `AdbServer` does, and survives its end. A state that changes, a phone that
    comes, goes or answers at last makes a new list; equal lists are told once.
    """

    def __init__(
        self,
        server: AdbServer,
        listener: Listener,
        cancel: CancelToken | None = None,
        remembered: RememberedDevices | None = None,
    ) -> None:
        """Begin. Cancelling `cancel` ends it too."""
        self._server = server
        self._listener = listener
        self._cancel = CancelToken(cancel)
        self._remembered = remembered
        self._told: Listed | None = None
        self._ends: deque[float] = deque(maxlen=_FIGHT_RESTARTS)
        self._thread = threading.Thread(target=self._run, name="phones", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End at once; afterwards the listener is not called any more."""
        self._cancel.cancel()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def join(self, seconds: float | None = None) -> None:
        """Wait until it was cancelled and has ended, at most so long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        stop = threading.Event()
        failures = 0
        with (
            self._cancel.calling(stop.set),
            Recognizer(self._server, self._cancel, self._remembered) as known,
        ):
            while not self._cancel():
                try:
                    self._follow(known)
                except Cancelled:
                    return
                except (UserError, ServerRefused) as error:
                    problem = error.message if isinstance(error, UserError) else error.text
                    ended = isinstance(error, _Ended)
                    failures = 0 if ended else failures + 1
                    if not ended or self._fight():
                        self._tell((), self._fight() or problem)
                known.properties.forget()
                stop.wait(_RETRY_SECONDS[min(failures, len(_RETRY_SECONDS) - 1)])

    def _follow(self, known: Recognizer) -> None:
        """Tell lists until the connection to the server ends, which raises."""
        with self._tracking() as connection, self._cancel.calling(connection.abort):
            rows: Sequence[Row] = ()
            asked_again = time.monotonic()
            while True:
                text = self._next_text(connection, known, asked_again + ASK_SECONDS)
                if text is not None:
                    before, rows = rows, parse_rows(text)
                    if _some_left(before, rows) and connection.has_arrived(_FLICKER_SECONDS):
                        continue
                if time.monotonic() >= asked_again + ASK_SECONDS:
                    known.properties.ask_silent_again()
                    asked_again = time.monotonic()
                known.properties.changed.clear()
                known.ask(rows, 0 if connection.has_arrived() else _PATIENCE_SECONDS)
                self._tell(known.phones(rows, final=False), self._fight())

    def _tracking(self) -> AdbConnection:
        self._server.ensure_running(self._cancel)
        try:
            return self._server.open("host:track-devices-l", cancel=self._cancel)
        except ServerRefused:  # an old server
            return self._server.open("host:track-devices", cancel=self._cancel)

    def _next_text(self, connection: AdbConnection, known: Recognizer, until: float) -> str | None:
        """The server's next list; None when a phone has told its name, or when it is `until`."""
        while not connection.has_arrived(_SLICE_SECONDS):
            self._cancel.check()
            if known.properties.changed.is_set() or time.monotonic() >= until:
                return None
        try:
            return self._server.read_answer(connection, seconds=ASK_SECONDS)
        except ServerFailed as error:
            self._cancel.check()
            self._ends.append(time.monotonic())
            raise _Ended(error.message) from error

    def _fight(self) -> str | None:
        often = len(self._ends) == _FIGHT_RESTARTS and time.monotonic() - self._ends[0] < _FIGHT_SECONDS
        return SERVERS_FIGHT if often else None

    def _tell(self, phones: Sequence[Phone], problem: str | None) -> None:
        listed = Listed(tuple(phones), problem)
        if listed != self._told and not self._cancel():
            self._told = listed
            self._listener(listed)


def _some_left(before: Sequence[Row], now: Sequence[Row]) -> bool:
    """Whether a phone is offline now and was not before, as it is for a moment when it comes and goes."""
    offline = {row.serial for row in before if row.state is PhoneState.OFFLINE}
    return any(row.state is PhoneState.OFFLINE and row.serial not in offline for row in now)


class _Ended(ServerFailed):
    """The server ended."""
