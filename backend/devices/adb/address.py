"""Addresses: of the adb server, and of phones in the network."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from as2d.backend.errors import WrongUse

SERVER_PORT = 5037
PHONE_PORT = 5555
_LOCAL = "127.0.0.1"
_OWN_VARIABLE = "AS2D_ADB_SERVER"
_HOST = re.compile(r"[A-Za-z0-9._~-]+")
_HOST6 = re.compile(r"[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._~-]+)?")


@dataclass(frozen=True)
class Address:
    """A host and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class ServerAddress(Address):
    """Where the adb server is. `named_by`: what named it; such a server is used and never started from
    here.
    """

    named_by: str | None = None

    __str__ = Address.__str__


def parse_address(text: str, what: str, default_port: int | None) -> Address:
    """`HOST:PORT`, `HOST` where there is a default port, or `[IPV6]:PORT`.

    Raises:
        WrongUse: it is none of these; `what` names it in the sentence.
    """
    form = "HOST:PORT" if default_port is None else "HOST or HOST:PORT"
    error = WrongUse(f"{what} takes {form}, such as 192.168.1.20:{default_port or 37123}, not '{text}'.")
    host, port = _split(text.strip())
    if port is None and default_port is None:
        raise error
    number = default_port if port is None else int(port) if port.isascii() and port.isdigit() else None
    if number is None or not 1 <= number <= 65535:
        raise error
    if not (_HOST6 if ":" in host else _HOST).fullmatch(host):
        raise error
    return Address(host, number)


def server_address(option: str | None = None) -> ServerAddress:
    """Where the adb server is: the option, else AS2D_ADB_SERVER, else as adb itself is told, else port 5037.

    adb's own variables are ADB_SERVER_SOCKET, ANDROID_ADB_SERVER_ADDRESS and ANDROID_ADB_SERVER_PORT.

    Raises:
        WrongUse: one of them is no address.
    """
    named = (
        ("--adb-server", option),
        (_OWN_VARIABLE, os.environ.get(_OWN_VARIABLE)),
        ("ADB_SERVER_SOCKET", os.environ.get("ADB_SERVER_SOCKET")),
    )
    for name, value in named:
        if value:
            address = parse_address(value.removeprefix("tcp:"), name, SERVER_PORT)
            return ServerAddress(address.host, address.port, name)
    port = _port_variable()
    host = os.environ.get("ANDROID_ADB_SERVER_ADDRESS")
    if host and host not in ("localhost", _LOCAL):
        address = parse_address(f"{host}:{port}", "ANDROID_ADB_SERVER_ADDRESS", None)
        return ServerAddress(address.host, port, "ANDROID_ADB_SERVER_ADDRESS")
    return ServerAddress(_LOCAL, port)


def _port_variable() -> int:
    text = os.environ.get("ANDROID_ADB_SERVER_PORT", "").strip()
    if not text:
        return SERVER_PORT
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise WrongUse(f"ANDROID_ADB_SERVER_PORT takes a port from 1 to 65535, not '{text}'; correct it.")
    return int(text)


def _split(text: str) -> tuple[str, str | None]:
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or (rest and not rest.startswith(":")):
            return "", None
        return host, rest[1:] if rest else None
    if text.count(":") > 1:  # an IPv6 address without brackets has no port
        return text, None
    host, colon, port = text.partition(":")
    return host, port if colon else None
