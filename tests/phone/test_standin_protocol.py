"""adb's packets as the stand-in speaks them, without an adb server between."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest
from tests.phone.standin.packets import HEADER, VERSION, Packet, read_header
from tests.phone.standin.phone import StandIn

LARGEST = 4096


class Host:
    """The server's side of a connection; reads with a time-out, so that a test of a silent phone fails."""

    def __init__(self, phone: StandIn, largest: int = LARGEST) -> None:
        self._sock = socket.create_connection(("127.0.0.1", phone.port), timeout=60)
        self._file = self._sock.makefile("rb")
        self.send(b"CNXN", VERSION, largest, b"host::features=shell_v2")
        self.greeting = self.read()

    def send(self, command: bytes, first: int, second: int, payload: bytes = b"") -> None:
        packet = Packet(command, first, second, payload)
        self._sock.sendall(packet.header() + payload)

    def send_raw(self, data: bytes) -> None:
        self._sock.sendall(data)

    def read(self) -> Packet:
        header = self._file.read(HEADER.size)
        if len(header) < HEADER.size:
            raise ConnectionResetError
        command, first, second, length = read_header(header)
        return Packet(command, first, second, self._file.read(length))

    def open(self, number: int, service: str) -> Packet:
        self.send(b"OPEN", number, 0, service.encode() + b"\0")
        return self.read()

    def close(self) -> None:
        self._file.close()
        self._sock.close()


@pytest.fixture
def host() -> Iterator[Host]:
    with StandIn() as phone:
        made = Host(phone)
        yield made
        made.close()


def rest_of(host: Host, local: int, remote: int) -> bytes:
    """Everything that the service says until it ends."""
    said = b""
    while (packet := host.read()).command != b"CLSE":
        if packet.command == b"WRTE":
            assert (packet.first, packet.second) == (remote, local)
            assert len(packet.payload) <= LARGEST
            said += packet.payload
            host.send(b"OKAY", local, remote)
    return said


def test_the_greeting_names_phone_and_features(host: Host) -> None:
    assert (host.greeting.command, host.greeting.first) == (b"CNXN", VERSION)
    told = host.greeting.payload.decode()
    assert told.startswith("device::ro.product.name=mondrian_global;ro.product.model=23013PC75G;")
    assert "shell_v2" in told.rpartition("features=")[2].split(",")


def test_one_packet_at_a_time_until_it_is_acknowledged(host: Host) -> None:
    greedy = host.open(1, "exec:cat /dev/zero")
    assert greedy.command == b"OKAY"
    first = host.read()
    assert (first.command, len(first.payload)) == (b"WRTE", LARGEST)
    # Whatever the second service says comes after all that the first may say without an acknowledgement.
    other = host.open(2, "exec:echo here")
    assert (other.command, other.second) == (b"OKAY", 2)
    assert rest_of(host, 2, other.first) == b"here\n"
    host.send(b"OKAY", 1, greedy.first)
    second = host.read()
    assert (second.command, second.second) == (b"WRTE", 1)


def test_input_is_acknowledged_when_the_service_has_taken_it(host: Host) -> None:
    opened = host.open(1, "exec:head -c 4096 >/dev/null; echo read; cat")
    host.send(b"WRTE", 1, opened.first, bytes(LARGEST))
    assert host.read().command == b"OKAY"
    answer = host.read()
    assert (answer.command, answer.payload) == (b"WRTE", b"read\n")


def test_what_is_unknown_is_closed(host: Host) -> None:
    assert (host.open(7, "no-such-service:").command, host.open(8, "jdwp:1").command) == (b"CLSE", b"CLSE")
    host.send(b"WRTE", 9, 4711, b"nobody")
    closed = host.read()
    assert (closed.command, closed.second) == (b"CLSE", 9)


def test_a_second_greeting_ends_what_was_open(host: Host) -> None:
    host.open(1, "shell,v2,raw:cat")
    host.send(b"CNXN", VERSION, LARGEST, b"host::features=shell_v2")
    while (packet := host.read()).command != b"CNXN":
        assert packet.command == b"CLSE"
    opened = host.open(1, "exec:echo again")
    assert rest_of(host, 1, opened.first) == b"again\n"


def test_what_is_no_packet_ends_the_connection(host: Host) -> None:
    host.send_raw(b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n")
    with pytest.raises(ConnectionResetError):
        host.read()


def test_shell_v2_takes_input_in_any_pieces(host: Host) -> None:
    opened = host.open(1, "shell,v2,raw:cat; echo end >&2; exit 5")
    framed = struct.pack("<BI", 0, 5) + b"hello" + struct.pack("<BI", 5, 9) + b"24x80,0x0"
    for place in range(len(framed)):
        host.send(b"WRTE", 1, opened.first, framed[place : place + 1])
    host.send(b"WRTE", 1, opened.first, struct.pack("<BI", 3 + 1, 0))
    said = rest_of(host, 1, opened.first)
    packets = []
    while said:
        kind, length = struct.unpack_from("<BI", said)
        packets.append((kind, said[5 : 5 + length]))
        said = said[5 + length :]
    assert b"".join(data for kind, data in packets if kind == 1) == b"hello"
    assert packets[-2:] == [(2, b"end\n"), (3, b"\x05")]


def test_a_phone_that_knows_nobody_asks_for_a_key() -> None:
    with StandIn(authorized=False) as phone:
        host = Host(phone)
        assert (host.greeting.command, host.greeting.first, len(host.greeting.payload)) == (b"AUTH", 1, 20)
        host.send(b"AUTH", 2, 0, b"signature of a key that nobody knows")
        assert host.read().command == b"AUTH"
        host.send(b"AUTH", 3, 0, b"public key\0")
        phone.authorize()
        assert host.read().command == b"CNXN"
        host.close()
