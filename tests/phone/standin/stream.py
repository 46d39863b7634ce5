"""One open service of a connection: bytes go between its socket and the host, one WRTE in flight each way."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Callable

from tests.phone.standin.cable import CableCut
from tests.phone.standin.link import Link
from tests.phone.standin.packets import Packet


class Stream:
    """`sock` is this side's end of the service's socket pair."""

    def __init__(
        self,
        local: int,
        remote: int,
        service: str,
        sock: socket.socket,
        link: Link,
        forget: Callable[[int], None],
        largest: int,
    ) -> None:
        self.local, self.remote, self.service = local, remote, service
        self._sock, self._link, self._forget, self._largest = sock, link, forget, largest
        self._write = link.write
        self._acknowledged = threading.Event()
        self._inbound: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._to_host, name=f"{service[:40]} to host", daemon=True),
            threading.Thread(target=self._to_service, name=f"{service[:40]} to service", daemon=True),
        ]

    def start(self) -> None:
        for thread in reversed(self._threads):  # the first joins the second
            thread.start()

    def join(self) -> None:
        """Waits for the threads; call it after `end`."""
        for thread in self._threads:
            # One that never started: the cable was cut before the service was told.
            if thread.ident is not None and thread is not threading.current_thread():
                thread.join()

    # Called by the connection's reading thread.

    def acknowledged(self) -> None:
        """OKAY: the host wants more."""
        self._acknowledged.set()

    def received(self, data: bytes) -> None:
        """WRTE: bytes for the service; they are acknowledged when the service's socket has taken them."""
        self._inbound.put(data)

    def host_closed(self) -> None:
        """CLSE: what came before is still handed over."""
        self._inbound.put(None)

    def end(self) -> None:
        """The connection is gone: everything ends at once."""
        self._over.set()
        self._inbound.put(None)
        self._acknowledged.set()
        self._hang_up()

    def _hang_up(self) -> None:
        with contextlib.suppress(OSError):  # the service may have been faster
            self._sock.shutdown(socket.SHUT_RDWR)

    def _to_host(self) -> None:
        try:
            while not self._over.is_set():
                data = self._sock.recv(self._largest)
                if not data:
                    break
                self._acknowledged.clear()
                self._write(Packet(b"WRTE", self.local, self.remote, data))
                self._acknowledged.wait()
        except (OSError, CableCut):
            self._over.set()
        self._finish()

    def _finish(self) -> None:
        """The service has ended, or the host is gone."""
        self._forget(self.local)
        try:
            self._write(Packet(b"CLSE", self.local, self.remote))
        except CableCut:
            self._over.set()
        self._inbound.put(None)
        self._hang_up()
        self._threads[1].join()
        self._sock.close()

    def _to_service(self) -> None:
        takes = True
        while (data := self._inbound.get()) is not None:
            try:
                if takes:
                    self._link.wait_released(self.service)
                    self._sock.sendall(data)
                    self._write(Packet(b"OKAY", self.local, self.remote))
            except OSError:
                takes = False  # as adbd does: what the service said at its end still goes to the host
            except CableCut:
                break
        self._over.set()
        self._acknowledged.set()
        self._hang_up()
