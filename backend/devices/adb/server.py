"""The adb server: the one that runs already, else one that is started here, or a remote one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from as2d.backend.devices.adb.address import ServerAddress, server_address
from as2d.backend.devices.adb.connection import AdbConnection, AdbTarget, Refusal, TransportLost
from as2d.backend.devices.adb.program import server_did_not_start, start_server
from as2d.backend.errors import HelperFailed
from as2d.backend.transcribe.cancel import CancelToken

ANSWER_SECONDS = 10.0
"""How long the server may take to answer what it knows by itself."""

_NEVER = CancelToken()


class ServerFailed(HelperFailed):
    """The adb server cannot be reached, cannot be started, or does not answer."""


class ServerRefused(Exception):
    """The adb server refuses a request; `text` holds all that it says."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class AdbServer:
    """An adb server. Its members may be called on any thread; each call opens its own connection."""

    def __init__(self, address: ServerAddress | None = None) -> None:
        """Talk to the server at `address`; by default where the environment says. Nothing is started yet.

        Raises:
            WrongUse: the environment names no valid address.
        """
        self.address = address or server_address()

    def target(self, adb_target: str, label: str = "") -> AdbTarget:
        """A phone behind this server, by adb's name for it."""
        return AdbTarget(self.address.host, self.address.port, adb_target, label)

    def is_running(self) -> bool:
        """Whether something listens there; starts nothing."""
        try:
            AdbConnection(self.address.host, self.address.port).close()
        except TransportLost:
            return False
        return True

    def version(self, cancel: CancelToken = _NEVER) -> int:
        """The running server's version; 41 for every adb since 2018.

        Raises:
            ServerFailed: nobody answers, or something that is no adb server.
            Cancelled: cancelled meanwhile.
        """
        try:
            return int(self.ask("host:version", cancel=cancel, start=False), 16)
        except (ValueError, ServerRefused) as error:
            raise self._no_adb() from error

    def ensure_running(self, cancel: CancelToken = _NEVER) -> None:
        """Start the server unless one runs; one that was named is never started from here.

        Raises:
            HelperFailed: it cannot be started.
            ServerFailed: the named one cannot be reached.
            Cancelled: cancelled meanwhile.
        """
        self._connect(cancel, start=True).close()

    def ask(
        self, query: str, *, seconds: float = ANSWER_SECONDS, cancel: CancelToken = _NEVER, start: bool = True
    ) -> str:
        """The text that the server answers to a request such as `host:devices-l`.

        `start`: start the server if none runs.

        Raises:
            ServerRefused: it refuses the request.
            ServerFailed, HelperFailed: it cannot be reached or does not answer for `seconds`.
            Cancelled: cancelled meanwhile.
        """
        with self.open(query, seconds=seconds, cancel=cancel, start=start) as asked:
            return self.read_answer(asked, seconds=seconds)

    def open(
        self, query: str, *, seconds: float = ANSWER_SECONDS, cancel: CancelToken = _NEVER, start: bool = True
    ) -> AdbConnection:
        """A connection on which the server has granted a request; raises as `ask`."""
        connection = self._connect(cancel, start=start)
        try:
            with self._explained(seconds):
                connection.request(query, seconds=seconds)
        except Refusal as refusal:
            connection.close()
            raise ServerRefused(refusal.text) from refusal
        except BaseException:
            connection.close()
            raise
        return connection

    def read_answer(self, connection: AdbConnection, *, seconds: float | None) -> str:
        """The next text on a granted connection; None waits for as long as it takes.

        Raises:
            ServerRefused: the server tells a failure instead, as it does for pairing.
            ServerFailed: the connection ended, or nothing came for `seconds`.
            Cancelled: cancelled meanwhile.
        """
        rest = seconds or ANSWER_SECONDS
        with self._explained(rest):
            head = connection.receive(4, seconds=seconds)
            if not head:
                raise connection.lost()
            head += connection.receive_exactly(4 - len(head), seconds=rest)
            refused = head == b"FAIL"
            if refused:
                head = connection.receive_exactly(4, seconds=rest)
            try:
                length = int(head, 16)
            except ValueError:
                raise self._no_adb() from None
            text = connection.receive_exactly(length, seconds=rest).decode("utf-8", "replace")
        if refused:
            raise ServerRefused(text)
        return text

    def _connect(self, cancel: CancelToken, *, start: bool) -> AdbConnection:
        host, port = self.address.host, self.address.port
        cancel.check()
        try:
            return AdbConnection(host, port, cancel=cancel)
        except TransportLost as error:
            if not start or self.address.named_by is not None:
                raise self._unreachable(error) from error
        said = start_server(port, cancel)
        try:
            return AdbConnection(host, port, cancel=cancel)
        except TransportLost as error:
            raise server_did_not_start(port, said) from error

    def _unreachable(self, error: TransportLost) -> ServerFailed:
        reason = error.__cause__.strerror if isinstance(error.__cause__, OSError) else None
        begin = f"No adb server answers at {self.address} ({(reason or 'no answer').lower()})"
        if self.address.named_by is None:
            return ServerFailed(f"{begin}; `as2d devices` starts it.")
        return ServerFailed(
            f"{begin}, which {self.address.named_by} names; start it there with `adb -a nodaemon server "
            "start`, or name another."
        )

    @contextmanager
    def _explained(self, seconds: float) -> Iterator[None]:
        try:
            yield
        except TransportLost as error:
            raise ServerFailed(
                f"The adb server at {self.address} ended in the middle of an answer or gave none for "
                f"{seconds:.0f} s, as when another program restarts it; try again, and end the other "
                "program if it happens again."
            ) from error

    def _no_adb(self) -> ServerFailed:
        return ServerFailed(
            f"What answers at {self.address} is no adb server; end the program that holds the port, or name "
            "another port in ANDROID_ADB_SERVER_PORT."
        )
