"""One connection over the cable: whole packets in and out, in pieces as the cable allows."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable

from tests.phone.standin.cable import Cable, CableCut
from tests.phone.standin.packets import HEADER, Packet, read_header


class Link:
    """Reads from one thread, writes from many."""

    def __init__(self, sock: socket.socket, cable: Cable, service_of: Callable[[int], str]) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._sock = sock
        self._cable = cable
        self._service_of = service_of
        self._write_lock = threading.Lock()
        self._cut = threading.Event()

    def _receive(self, view: memoryview) -> None:
        while view:
            try:
                count = self._sock.recv_into(view)
            except OSError as error:
                raise CableCut from error
            if count == 0:
                raise CableCut
            view = view[count:]

    def read(self) -> Packet:
        """The next packet; raises CableCut at the connection's end and BadPacket for anything else."""
        header = bytearray(HEADER.size)
        self._receive(memoryview(header))
        self._cable.wait_clear(self._cut.is_set)
        command, first, second, length = read_header(bytes(header))
        payload = bytearray(length)
        view = memoryview(payload)
        if command != b"WRTE":
            self._receive(view)
        else:
            service = self._service_of(second)
            self._cable.account("to_phone", service, 0)
            while view:
                self._cable.wait_clear(self._cut.is_set)
                count = self._cable.allowance("to_phone", service, len(view))
                self._receive(view[:count])
                view = view[count:]
                self._cable.account("to_phone", service, count)
            self._cable.wait_clear(self._cut.is_set)
        return Packet(command, first, second, bytes(payload))

    def write(self, packet: Packet) -> None:
        """Sends a packet; raises CableCut."""
        with self._write_lock:
            try:
                self._write(packet)
            except OSError as error:
                raise CableCut from error

    def _write(self, packet: Packet) -> None:
        self._cable.wait_clear(self._cut.is_set)
        if packet.command != b"WRTE":
            self._sock.sendall(packet.header() + packet.payload)
            return
        service = self._service_of(packet.first)
        self._sock.sendall(packet.header())
        self._cable.account("to_host", service, 0)
        view = memoryview(packet.payload)
        while view:
            self._cable.wait_clear(self._cut.is_set)
            count = self._cable.allowance("to_host", service, len(view))
            self._sock.sendall(view[:count])
            view = view[count:]
            self._cable.account("to_host", service, count)

    def wait_released(self, service: str) -> None:
        """Waits while the cable holds the service; raises CableCut."""
        self._cable.wait_released(service, self._cut.is_set)

    @property
    def is_cut(self) -> bool:
        """Whether the connection has ended."""
        return self._cut.is_set()

    def cut(self) -> None:
        """Ends the connection at once, from any thread; the other side sees a reset."""
        if self._cut.is_set():
            return
        self._cut.set()
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with contextlib.suppress(OSError):  # the other side may have been faster
            self._sock.shutdown(socket.SHUT_RDWR)
        self._cable.wake()

    def close(self) -> None:
        """Frees the socket; only the reading thread calls it, after its last read."""
        self.cut()
        self._sock.close()
