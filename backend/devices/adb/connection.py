"""Connections to a phone through the adb server (its smart-socket protocol)."""

from __future__ import annotations

import select
import socket
import sys
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancel, Cancelled

CONNECT_SECONDS = 5.0
"""How long the adb server may take to take a connection."""
ANSWER_SECONDS = 15.0
"""How long the adb server or the phone may take to answer a request."""
STALL_SECONDS = 20.0
"""A transfer in which no byte moves for this long has lost its phone."""

_SLICE_SECONDS = 0.1  # how often the cancel question is asked
_LONGEST_REQUEST = 0xFFFF


@dataclass(frozen=True)
class AdbTarget:
    """A phone as one adb server knows it. `label` is what sentences call it (default: the serial)."""

    host: str
    port: int
    serial: str
    label: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        """The name for sentences."""
        return self.label or self.serial


class TransportLost(HelperFailed):
    """The phone is out of reach: the cable was pulled, it is offline, the adb server is gone, no answer."""


class ServiceRefused(HelperFailed):
    """The phone is there and refuses a service; `reason` is what adb said."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class AdbConnection:
    """A socket to the adb server, of which no call blocks for ever.

    One thread may send while another receives. `abort` may be called on any thread and ends both; `close`
    is for whoever owns the connection, after both have returned.
    """

    def __init__(self, host: str, port: int, *, name: str = "", cancel: Cancel | None = None) -> None:
        """Connect. `name` is what sentences call the phone.

        Raises:
            TransportLost: no adb server answers there.
        """
        self._name = name
        self._cancel = cancel
        try:
            self._socket = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
        except OSError as error:
            raise TransportLost(
                f"The adb server at {host}:{port} cannot be reached ({error.strerror or error}); "
                "`as2d devices` starts it on this computer."
            ) from error
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _keep_alive(self._socket)
        self._socket.setblocking(False)
        self._readable = select.poll()
        self._readable.register(self._socket, select.POLLIN)
        self._writable = select.poll()
        self._writable.register(self._socket, select.POLLOUT)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(self, data: bytes | memoryview, *, seconds: float = STALL_SECONDS) -> None:
        """Send everything.

        Raises:
            TransportLost: the connection ended, or no byte moved for `seconds`.
            Cancelled: the cancel question was answered with yes.
        """
        view = memoryview(data)
        while view:
            self._wait(self._writable, seconds, "take any data")
            try:
                sent = self._socket.send(view)
            except BlockingIOError:
                continue
            except OSError as error:
                raise self.lost() from error
            view = view[sent:]

    def receive(self, limit: int, *, seconds: float | None = ANSWER_SECONDS) -> bytes:
        """What has arrived, at most `limit` bytes; empty at the end of the connection.

        Raises:
            TransportLost: the connection broke, or nothing arrived for `seconds` (None: any wait is fine).
            Cancelled: the cancel question was answered with yes.
        """
        while True:
            self._wait(self._readable, seconds, "answer")
            try:
                return self._socket.recv(limit)
            except BlockingIOError:
                continue
            except OSError as error:
                raise self.lost() from error

    def receive_exactly(self, count: int, *, seconds: float = ANSWER_SECONDS) -> bytes:
        """`count` bytes; as `receive`, and an early end is `TransportLost`."""
        data = bytearray()
        while len(data) < count:
            block = self.receive(count - len(data), seconds=seconds)
            if not block:
                raise self.lost()
            data += block
        return bytes(data)

    def has_arrived(self, seconds: float = 0.0) -> bool:
        """Whether something can be received, the end included, now or within so many seconds."""
        return bool(self._readable.poll(seconds * 1000))

    def request(self, text: str, *, seconds: float = ANSWER_SECONDS) -> None:
        """Send a request with its length in bytes, and wait until it is granted.

        Raises:
            Refusal: the adb server or the phone refuses it.
            TransportLost, Cancelled: as `receive`.
        """
        content = text.encode()
        if len(content) > _LONGEST_REQUEST:
            raise HelperFailed(
                f"A command for the phone {self._name} has {len(content)} bytes, more than adb takes "
                f"({_LONGEST_REQUEST}); shorten the names that it holds."
            )
        self.send(b"%04x" % len(content) + content, seconds=seconds)
        answer = self.receive_exactly(4, seconds=seconds)
        if answer == b"FAIL":
            raise Refusal(self.receive_text(seconds=seconds))
        if answer != b"OKAY":
            raise HelperFailed(
                f"What answers at the adb server's port says {answer!r}, which is not adb's protocol; "
                "end the program that holds the port, or name another port in ANDROID_ADB_SERVER_PORT."
            )

    def receive_text(self, *, seconds: float = ANSWER_SECONDS) -> str:
        """A text after its length, four hexadecimal digits that count bytes."""
        digits = self.receive_exactly(4, seconds=seconds)
        try:
            length = int(digits, 16)
        except ValueError as error:
            raise self.lost() from error
        return self.receive_exactly(length, seconds=seconds).decode("utf-8", "replace")

    def lost(self) -> TransportLost:
        """The error to raise when the connection ended too early."""
        return TransportLost(
            f"The connection to the phone {self._name} was lost; connect it again and repeat the command."
        )

    def outlive_cancel(self) -> None:
        """From here on nothing asks the cancel question."""
        self._cancel = None

    def abort(self) -> None:
        """End every wait on this connection, from any thread; again is no error."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:  # it has ended already
            return

    def close(self) -> None:
        """Give the socket back; again is no error."""
        self.abort()
        self._socket.close()

    def _wait(self, poll: select.poll, seconds: float | None, what: str) -> None:
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            if self._cancel is not None and self._cancel():
                raise Cancelled
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise TransportLost(
                    f"The phone {self._name} did not {what} for {seconds:g} s; "
                    "look at its cable or network, connect it again and repeat the command."
                )
            if self._cancel is not None:
                left = _SLICE_SECONDS if left is None else min(left, _SLICE_SECONDS)
            if poll.poll(None if left is None else left * 1000):
                return


class Refusal(Exception):
    """The adb server answered FAIL; `text` is its reason."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text.strip().split("\n")[0]


def open_service(
    target: AdbTarget,
    service: str,
    *,
    seconds: float = ANSWER_SECONDS,
    cancel: Cancel | None = None,
) -> AdbConnection:
    """A connection to a service of the phone, such as `sync:` or `shell,v2,raw:…`.

    Raises:
        TransportLost: the phone is not connected, not authorised or offline, or nobody answers.
        ServiceRefused: the phone is there and refuses the service.
        Cancelled: the cancel question was answered with yes.
    """
    connection = AdbConnection(target.host, target.port, name=target.name, cancel=cancel)
    try:
        try:
            connection.request(f"host:transport:{target.serial}", seconds=seconds)
        except Refusal as refusal:
            raise out_of_reach(target, refusal.text) from refusal
        try:
            connection.request(service, seconds=seconds)
        except Refusal as refusal:
            state = ask_server(target, "get-state", cancel=cancel)
            if state != "device":  # it went away at this moment
                raise out_of_reach(target, f"state {state}") from refusal
            kind = service.partition(":")[0].partition(",")[0]
            raise ServiceRefused(
                f"The phone {target.name} refuses the service '{kind}' (adb: {refusal.text}); "
                "connect it again, and restart it if that does not help.",
                refusal.text,
            ) from refusal
    except BaseException:
        connection.close()
        raise
    return connection


def ask_server(
    target: AdbTarget, query: str, *, seconds: float = ANSWER_SECONDS, cancel: Cancel | None = None
) -> str:
    """The adb server's answer to `host-serial:<serial>:<query>`.

    Raises:
        TransportLost: the phone is out of reach, or the adb server is.
        Cancelled: the cancel question was answered with yes.
    """
    with AdbConnection(target.host, target.port, name=target.name, cancel=cancel) as connection:
        try:
            connection.request(f"host-serial:{target.serial}:{query}", seconds=seconds)
        except Refusal as refusal:
            raise out_of_reach(target, refusal.text) from refusal
        return connection.receive_text(seconds=seconds)


def features_of(target: AdbTarget, *, cancel: Cancel | None = None) -> frozenset[str]:
    """What the phone's adb can do, such as `shell_v2` and `stat_v2`; the same until it is connected anew.

    Raises:
        TransportLost: the phone is out of reach, or the adb server is.
    """
    return frozenset(name for name in ask_server(target, "features", cancel=cancel).split(",") if name)


def out_of_reach(target: AdbTarget, said: str) -> TransportLost:
    """The error for a phone that the adb server does not reach; `said` is the server's reason."""
    lowered = said.lower()
    if "unauthorized" in lowered or "authorizing" in lowered:
        todo = "has not accepted this computer yet; unlock it and accept the question that it shows"
    elif "offline" in lowered or "connecting" in lowered:
        todo = "is offline; connect it again"
    elif "permission" in lowered:
        todo = "may not be opened by this user; see `as2d devices`"
    elif "not found" in lowered or "no devices" in lowered:
        todo = "is not connected; connect it again"
    else:
        todo = "cannot be reached; see `as2d devices`"
    return TransportLost(f"The phone {target.name} {todo} (adb: {said}).")


def _keep_alive(connected: socket.socket) -> None:
    """Notice a remote adb server that vanished without a word."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform == "linux":
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 10)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 10)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 3)
