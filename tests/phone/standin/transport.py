"""One connection of the adb server to the phone's daemon."""

from __future__ import annotations

import secrets
import socket
import threading
from typing import Protocol

from tests.phone.standin.cable import Cable, CableCut
from tests.phone.standin.link import Link
from tests.phone.standin.packets import (
    AUTH_PUBLIC_KEY,
    AUTH_SIGNATURE,
    AUTH_TOKEN,
    LARGEST_PAYLOAD,
    VERSION,
    BadPacket,
    Packet,
)
from tests.phone.standin.stream import Stream


class Daemon(Protocol):
    """What a connection asks of the phone."""

    cable: Cable

    def banner(self) -> str:
        """What the phone says of itself."""

    def admits(self) -> bool:
        """Whether this computer's key was accepted on the phone."""

    def answers(self) -> bool:
        """Whether the daemon says anything at all."""

    def open_service(self, name: str) -> socket.socket | None:
        """The host's end of a socket to the service; None when there is none of that name."""


class Transport:
    """Runs in a thread of its own until the connection ends."""

    def __init__(self, sock: socket.socket, daemon: Daemon) -> None:
        self._daemon = daemon
        self._streams: dict[int, Stream] = {}
        self._lock = threading.Lock()
        self._next = 0
        self._largest = 4096
        self._wants_in = False
        self._link = Link(sock, daemon.cable, self._service_of)
        self._thread = threading.Thread(target=self._run, name="stand-in connection", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def cut(self) -> None:
        """Ends the connection at once."""
        self._link.cut()

    @property
    def is_over(self) -> bool:
        """Whether it has begun and ended."""
        return self._link.is_cut and not self._thread.is_alive()

    def join(self) -> None:
        """Waits until every service of the connection has ended."""
        if self._thread is not threading.current_thread():
            self._thread.join()

    def admit(self) -> None:
        """The user has accepted the key of whoever waits."""
        if self._wants_in:
            self._wants_in = False
            self._welcome()

    def _service_of(self, local: int) -> str:
        with self._lock:
            stream = self._streams.get(local)
        return stream.service if stream else ""

    def _forget(self, local: int) -> None:
        with self._lock:
            self._streams.pop(local, None)

    def _run(self) -> None:
        try:
            while True:
                packet = self._link.read()
                if self._daemon.answers():
                    self._handle(packet)
        except (CableCut, BadPacket):
            self._link.cut()
        finally:
            self._end_streams()
            self._link.close()

    def _end_streams(self) -> None:
        with self._lock:
            streams, self._streams = list(self._streams.values()), {}
        for stream in streams:
            stream.end()
        for stream in streams:
            stream.join()

    def _welcome(self) -> None:
        self._link.write(Packet(b"CNXN", VERSION, LARGEST_PAYLOAD, self._daemon.banner().encode()))

    def _challenge(self) -> None:
        self._link.write(Packet(b"AUTH", AUTH_TOKEN, 0, secrets.token_bytes(20)))

    def _handle(self, packet: Packet) -> None:
        if packet.command == b"CNXN":
            self._end_streams()
            self._largest = min(packet.second, LARGEST_PAYLOAD)
            if self._daemon.admits():
                self._welcome()
            else:
                self._challenge()
        elif packet.command == b"AUTH" and packet.first == AUTH_SIGNATURE:
            # A phone that does not know the key asks until the public key comes, to show it to the user.
            if self._daemon.admits():
                self._welcome()
            else:
                self._challenge()
        elif packet.command == b"AUTH" and packet.first == AUTH_PUBLIC_KEY:
            self._wants_in = True
            if self._daemon.admits():
                self.admit()
        elif packet.command == b"OPEN":
            self._open(packet.first, packet.payload.rstrip(b"\0").decode("utf-8", "surrogateescape"))
        else:
            self._to_stream(packet)

    def _open(self, remote: int, name: str) -> None:
        sock = self._daemon.open_service(name)
        if sock is None:
            self._link.write(Packet(b"CLSE", 0, remote))
            return
        self._next += 1
        stream = Stream(self._next, remote, name, sock, self._link, self._forget, self._largest)
        try:
            self._link.write(Packet(b"OKAY", stream.local, remote))
        except CableCut:
            sock.close()
            raise
        with self._lock:
            self._streams[stream.local] = stream
        stream.start()

    def _to_stream(self, packet: Packet) -> None:
        with self._lock:
            stream = self._streams.get(packet.second)
        if stream is None:
            if packet.command == b"WRTE":
                self._link.write(Packet(b"CLSE", packet.second, packet.first))
        elif packet.command == b"OKAY":
            stream.acknowledged()
        elif packet.command == b"WRTE":
            stream.received(packet.payload)
        elif packet.command == b"CLSE":
            stream.host_closed()
