"""adb's packets: 24 bytes of header, then a payload. Every number is little endian."""

from __future__ import annotations

import struct
from dataclasses import dataclass

HEADER = struct.Struct("<4sIIIII")
VERSION = 0x0100_0001  # from this version on nobody checks the payload's sum
LARGEST_PAYLOAD = 1024 * 1024  # bytes

AUTH_TOKEN, AUTH_SIGNATURE, AUTH_PUBLIC_KEY = 1, 2, 3


@dataclass(frozen=True)
class Packet:
    """`command` is one of CNXN, AUTH, OPEN, OKAY, WRTE, CLSE; what the numbers mean depends on it."""

    command: bytes
    first: int
    second: int
    payload: bytes = b""

    def header(self) -> bytes:
        """The 24 bytes before the payload."""
        magic = int.from_bytes(self.command, "little") ^ 0xFFFF_FFFF
        return HEADER.pack(self.command, self.first, self.second, len(self.payload), 0, magic)


class BadPacket(Exception):
    """What came is no packet."""


def read_header(data: bytes) -> tuple[bytes, int, int, int]:
    """Command, its two numbers, and the payload's length; raises BadPacket."""
    command, first, second, length, _, magic = HEADER.unpack(data)
    if int.from_bytes(command, "little") ^ magic != 0xFFFF_FFFF or length > LARGEST_PAYLOAD:
        raise BadPacket(f"no packet of adb: {data.hex()}")
    return command, first, second, length
