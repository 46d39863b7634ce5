"""An adb server that says what a test wants, over the real protocol: for what only USB phones show."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Mapping

from as2d.backend.devices.adb.address import ServerAddress
from as2d.backend.devices.adb.properties import END
from as2d.backend.devices.adb.server import AdbServer

Answer = bytes | Callable[[], bytes]


def block(text: str) -> bytes:
    """A text behind its length in bytes."""
    data = text.encode()
    return b"%04x" % len(data) + data


def okay(text: str) -> bytes:
    """A request granted and answered."""
    return b"OKAY" + block(text)


def fail(text: str) -> bytes:
    """A request refused."""
    return b"FAIL" + block(text)


class ScriptedServer:
    """`list` is the long list of devices; `properties` are those of phones by serial, None: it hangs.

    `answers` holds whole answers to other requests; what has none is refused as adb does. An answer of b""
    ends the connection.
    """

    def __init__(self, port: int = 0) -> None:
        self.list = ""
        self.properties: dict[str, Mapping[str, str] | None] = {}
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.long_tracking = True
        self._trackers: list[socket.socket] = []
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._listening = socket.create_server(("127.0.0.1", port), reuse_port=False)
        self.port: int = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def server(self) -> AdbServer:
        """The product's client of this server, which it takes for one that a user named."""
        return AdbServer(ServerAddress("127.0.0.1", self.port, "the test"))

    def set_list(self, text: str) -> None:
        """Change the list and tell everybody who follows it."""
        with self._lock:
            self.list = text
            for tracker in self._trackers:
                with contextlib.suppress(OSError):
                    tracker.sendall(block(text))

    def close(self) -> None:
        """End as a killed server does: at once, every connection with it."""
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with self._lock:
                self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        serial = ""
        with contextlib.suppress(OSError), connection, connection.makefile("rb") as reader:
            while head := reader.read(4):
                query = reader.read(int(head, 16)).decode()
                self.asked.append(query)
                if query.startswith("host:transport:"):
                    serial = query.removeprefix("host:transport:")
                    connection.sendall(b"OKAY")
                elif query.startswith("shell:"):
                    self._tell_properties(connection, reader.read, serial)
                    return
                elif query == "host:track-devices-l" or (
                    query == "host:track-devices" and not self.long_tracking
                ):
                    if query.endswith("-l") and not self.long_tracking:
                        connection.sendall(fail("unknown host service 'track-devices-l'"))
                        return
                    with self._lock:
                        connection.sendall(b"OKAY" + block(self.list))
                        self._trackers.append(connection)
                    reader.read(1)  # until the other side ends it
                    return
                else:
                    connection.sendall(self._answer(query))
                    return

    def _answer(self, query: str) -> bytes:
        answer = self.answers.get(query)
        if answer is not None:
            return answer() if callable(answer) else answer
        if query == "host:devices-l":
            return okay(self.list)
        if query == "host:version":
            return okay("0029")
        return fail(f"unknown host service '{query.partition(':')[2]}'")

    def _tell_properties(self, connection: socket.socket, wait: Callable[[int], bytes], serial: str) -> None:
        properties = self.properties.get(serial, {})
        connection.sendall(b"OKAY")
        if properties is None:
            wait(1)
            return
        lines = [*(f"{name}={value}" for name, value in properties.items()), END]
        connection.sendall("".join(f"{line}\r\n" for line in lines).encode())
