"""An adb server of another version, as a second program on the computer may have started it."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType


class OtherAdbServer:
    """Answers what a client asks first: its version, and to end itself. Use it as a context manager.

    Args:
        port: where it listens; 0 for a free one.
        version: of adb's protocol between client and server; adb 1.0.41 has 41.
        comes_back: the other program starts it again whenever a client of another version has ended it.
    """

    def __init__(self, port: int = 0, *, version: int = 40, comes_back: bool = False) -> None:
        self._version = version
        self._comes_back = comes_back
        self._over = threading.Event()
        self.killed = 0  # how often a client has ended it
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._run, name="other adb server", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client, contextlib.suppress(OSError, ValueError):
                self._answer(client)

    def _answer(self, client: socket.socket) -> None:
        """One request, as adb's server takes them."""
        file = client.makefile("rb")
        request = file.read(int(file.read(4), 16))
        if request == b"host:version":
            client.sendall(b"OKAY" + b"0004" + f"{self._version:04x}".encode())
        elif request == b"host:kill":
            client.sendall(b"OKAY")
            self.killed += 1
            if not self._comes_back:
                self._over.set()
                self._listener.close()
        else:
            text = b"unknown host service"
            client.sendall(b"FAIL" + f"{len(text):04x}".encode() + text)

    def close(self) -> None:
        """Ends it."""
        self._over.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def __enter__(self) -> OtherAdbServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
