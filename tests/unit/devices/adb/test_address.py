"""Addresses of servers and phones."""

from __future__ import annotations

import pytest

from as2d.backend.devices.adb.address import Address, parse_address, server_address
from as2d.backend.errors import WrongUse

_VARIABLES = ("AS2D_ADB_SERVER", "ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_ADB_SERVER_PORT")


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("192.168.1.20", "192.168.1.20", 5555),
        ("192.168.1.20:37123", "192.168.1.20", 37123),
        (" phone.local:1 ", "phone.local", 1),
        ("[fe80::1%wlan0]:5555", "fe80::1%wlan0", 5555),
        ("::1", "::1", 5555),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    address = parse_address(text, "this", 5555)
    assert address == Address(host, port)
    assert parse_address(str(address), "this", 5555) == address


@pytest.mark.parametrize(
    "text", ["", ":5555", "a:", "a:0", "a:65536", "a:x", "a b:1", "[::1:5", "a/b", "a;b", "١:٢"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(WrongUse, match="as2d connect takes HOST or HOST:PORT"):
        parse_address(text, "as2d connect", 5555)


def test_a_port_that_must_be_given() -> None:
    with pytest.raises(WrongUse, match=r"takes HOST:PORT, such as .* not '1\.2\.3\.4'"):
        parse_address("1.2.3.4", "as2d pair", None)


def test_where_the_server_is(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert (str(server_address()), server_address().named_by) == ("127.0.0.1:5037", None)
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "6000")
    assert (str(server_address()), server_address().named_by) == ("127.0.0.1:6000", None)
    monkeypatch.setenv("ANDROID_ADB_SERVER_ADDRESS", "10.0.0.9")
    assert (str(server_address()), server_address().named_by) == (
        "10.0.0.9:6000",
        "ANDROID_ADB_SERVER_ADDRESS",
    )
    monkeypatch.setenv("ADB_SERVER_SOCKET", "tcp:10.0.0.8:6001")
    assert str(server_address()) == "10.0.0.8:6001"
    monkeypatch.setenv("AS2D_ADB_SERVER", "10.0.0.7")
    assert (str(server_address()), server_address().named_by) == ("10.0.0.7:5037", "AS2D_ADB_SERVER")
    assert str(server_address("desk:6002")) == "desk:6002"


@pytest.mark.parametrize(
    ("name", "value"), [("ANDROID_ADB_SERVER_PORT", "x"), ("ADB_SERVER_SOCKET", "local:x")]
)
def test_a_wrong_variable_is_named(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in _VARIABLES:
        monkeypatch.delenv(other, raising=False)
    monkeypatch.setenv(name, value)
    with pytest.raises(WrongUse, match=name):
        server_address()
