"""What the adb server says, or does not say, becomes one sentence in bounded time."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from as2d.backend.devices.adb.connection import (
    AdbConnection,
    AdbTarget,
    ServiceRefused,
    TransportLost,
    features_of,
    open_service,
)
from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancelled

Serve = Callable[[bytes], AdbTarget]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Makes a server that sends the given bytes to whoever connects and then waits for its end."""
    listeners: list[socket.socket] = []

    def start(answer: bytes) -> AdbTarget:
        listener = socket.create_server(("127.0.0.1", 0))
        listeners.append(listener)

        def answer_all() -> None:
            while True:
                try:
                    taken, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer_one, args=(taken,), daemon=True).start()

        def answer_one(taken: socket.socket) -> None:
            with taken:
                taken.sendall(answer)
                while taken.recv(1 << 16):
                    pass

        threading.Thread(target=answer_all, daemon=True).start()
        return AdbTarget("127.0.0.1", listener.getsockname()[1], "R58M123", label="Anna's phone")

    yield start
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def refusal(text: str) -> bytes:
    return b"FAIL%04x" % len(text.encode()) + text.encode()


@pytest.mark.parametrize(
    ("said", "todo"),
    [
        ("device 'R58M123' not found", "connect it again"),
        ("device offline", "connect it again"),
        ("device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set", "unlock it and accept"),
        ("device still authorizing", "unlock it and accept"),
        ("insufficient permissions for device: user in plugdev group", "may not be opened by this user"),
        ("ünknown", "ünknown"),
    ],
)
def test_a_phone_out_of_reach_is_told_with_what_to_do(serve: Serve, said: str, todo: str) -> None:
    with pytest.raises(TransportLost, match="Anna's phone") as error:
        open_service(serve(refusal(said)), "sync:")
    assert todo in error.value.message
    assert "\n" not in error.value.message


def test_features_are_read(serve: Serve) -> None:
    text = "shell_v2,cmd,stat_v2"
    target = serve(b"OKAY%04x" % len(text) + text.encode())
    assert features_of(target) == {"shell_v2", "cmd", "stat_v2"}


def test_a_port_that_somebody_else_holds_is_told(serve: Serve) -> None:
    with pytest.raises(HelperFailed, match="not adb's protocol"):
        open_service(serve(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "sync:")


def test_no_server_is_told() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(TransportLost, match=rf"127\.0\.0\.1:{port} cannot be reached"):
        open_service(AdbTarget("127.0.0.1", port, "x"), "sync:")


def test_a_silent_server_does_not_hold_anybody(serve: Serve) -> None:
    with pytest.raises(TransportLost, match=r"did not answer for 0\.2 s"):
        open_service(serve(b""), "sync:", seconds=0.2)


def test_a_server_that_takes_nothing_does_not_hold_a_sender() -> None:
    with (
        closing(socket.create_server(("127.0.0.1", 0))) as listener,  # never read from
        AdbConnection("127.0.0.1", listener.getsockname()[1], name="slow") as connection,
        pytest.raises(TransportLost, match="slow did not take any data"),
    ):
        connection.send(bytes(64 << 20), seconds=0.2)


def test_a_wait_is_cancelled(serve: Serve) -> None:
    asked = threading.Event()
    threading.Timer(0.05, asked.set).start()
    with pytest.raises(Cancelled):
        open_service(serve(b""), "sync:", cancel=asked.is_set)


def test_a_wait_ends_when_another_thread_aborts(serve: Serve) -> None:
    target = serve(b"")
    with AdbConnection(target.host, target.port) as connection:
        threading.Timer(0.05, connection.abort).start()
        assert connection.receive(1, seconds=None) == b""
        with pytest.raises(TransportLost):
            connection.send(b"x")


def test_a_request_that_adb_cannot_take_is_refused_here(serve: Serve) -> None:
    target = serve(b"OKAY")
    with (
        AdbConnection(target.host, target.port) as connection,
        pytest.raises(HelperFailed, match="more than"),
    ):
        connection.request("é" * 40_000)


def test_a_refused_service_carries_adbs_reason() -> None:
    error = ServiceRefused("sentence", "closed")
    assert (error.message, error.reason, error.exit_code) == ("sentence", "closed", 3)
