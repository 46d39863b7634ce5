"""Connecting and pairing: adb's own words, judged by the state that the phone is in afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from tests.unit.devices.scripted_server import ScriptedServer, fail, okay

from as2d.backend.devices.adb import pairing
from as2d.backend.devices.adb.address import Address
from as2d.backend.devices.adb.pairing_words import connect_reason, pair_reason, paired_name
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.errors import HelperFailed, WrongUse
from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken

PHONE = Address("192.168.1.20", 5555)
PAIRED = "Successfully paired to 192.168.1.20:37123 [guid=adb-PIX1-vWgJpq]"


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("failed to connect to '192.168.1.20:5555': Connection refused", "nothing listens there"),
        ("cannot connect to 192.168.1.20:5555: Connection refused", "nothing listens there"),
        ("unable to connect to 192.168.1.20:5555: Connection refused", "nothing listens there"),
        ("failed to connect to '192.168.1.20:5555': No route to host", "same network"),
        ("failed to connect to '192.168.1.20:5555': Network is unreachable", "same network"),
        ("failed to connect to '192.168.1.20:5555': Connection timed out", "does not answer"),
        ("failed to connect to '192.168.1.20:5555': Operation timed out", "does not answer"),
        ("failed to resolve host: 'phone.lan': Name or service not known", "name is not known"),
        ("failed to authenticate to 192.168.1.20:5555", "unlock it and accept"),
        ("failed to connect to 192.168.1.20:5555", "pair the phone first"),
        ("bad port number '99999' in '127.0.0.1:99999'", r"adb: bad port number"),
        ("", "no reason"),
    ],
)
def test_why_a_phone_was_not_connected(said: str, reason: str) -> None:
    sentence = connect_reason(said, str(PHONE))
    assert sentence.startswith("The phone at 192.168.1.20:5555 cannot be connected")
    assert reason in sentence


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Failed: Wrong password or connection was dropped.", "the code is wrong"),
        ("", "the code is wrong"),
        ("error: protocol fault (couldn't read status message): Success", "the code is wrong"),
        ("Failed: Unable to start pairing client.", "nothing answers there"),
        ("Failed: unable to create pairing client.", "adb: Failed: unable to create"),
        ("Failed to parse address for pairing: bad port number 'x' in 'a:x'", "adb: Failed to parse"),
        ("Invalid port while parsing address [foo]", "adb: Invalid port"),
        ("Failed: Successfully paired but server returned unknown response=\x02", "answers as no phone does"),
        ("unknown host service 'pair:123456:192.168.1.20:37123'", "too old to pair"),
    ],
)
def test_why_a_phone_was_not_paired(said: str, reason: str) -> None:
    assert paired_name(said) is None
    sentence = pair_reason(said, "192.168.1.20:37123")
    assert sentence.startswith("The phone at 192.168.1.20:37123 was not paired")
    assert reason in sentence


def test_a_phone_that_is_ready_afterwards_is_connected_whatever_adb_says(scripted: ScriptedServer) -> None:
    scripted.list = "192.168.1.20:5555      device model:Pixel_9 transport_id:1\n"
    for said in (
        "connected to 192.168.1.20:5555",
        "already connected to 192.168.1.20:5555",
        "failed to connect",
    ):
        scripted.answers["host:connect:192.168.1.20:5555"] = okay(said)
        assert pairing.connect(scripted.server, PHONE, CancelToken()) == "192.168.1.20:5555"


def test_a_phone_that_is_absent_afterwards_is_not_whatever_adb_says(scripted: ScriptedServer) -> None:
    scripted.answers["host:connect:192.168.1.20:5555"] = okay("connected to 192.168.1.20:5555")
    with pytest.raises(HelperFailed, match="cannot be connected"):
        pairing.connect(scripted.server, PHONE, CancelToken())


def test_connecting_waits_until_the_owner_accepts(scripted: ScriptedServer) -> None:
    scripted.list = "192.168.1.20:5555      unauthorized transport_id:1\n"
    scripted.answers["host:connect:192.168.1.20:5555"] = okay("failed to authenticate to 192.168.1.20:5555")
    told: list[str] = []

    def accept(sentence: str) -> None:
        told.append(sentence)
        scripted.list = "192.168.1.20:5555      device transport_id:1\n"

    pairing.connect(scripted.server, PHONE, CancelToken(), accept)
    assert len(told) == 1
    assert "unlock it and accept" in told[0]


def test_waiting_for_the_owner_is_cancelled_at_once(scripted: ScriptedServer) -> None:
    scripted.list = "192.168.1.20:5555      unauthorized transport_id:1\n"
    scripted.answers["host:connect:192.168.1.20:5555"] = okay("failed to authenticate to 192.168.1.20:5555")
    token = CancelToken()
    with pytest.raises(Cancelled):
        pairing.connect(scripted.server, PHONE, token, lambda _: token.cancel())


def test_pairing_that_adb_connects_by_itself(scripted: ScriptedServer) -> None:
    def answer() -> bytes:
        scripted.list = "adb-PIX1-vWgJpq._adb-tls-connect._tcp device model:Pixel_9 transport_id:1\n"
        return okay(PAIRED)

    scripted.answers["host:pair:123456:192.168.1.20:37123"] = answer
    paired = pairing.pair(scripted.server, Address("192.168.1.20", 37123), " 123 456 ", CancelToken())
    assert paired == pairing.Paired("adb-PIX1-vWgJpq", "adb-PIX1-vWgJpq._adb-tls-connect._tcp")


def test_pairing_without_a_connection_is_still_pairing(
    scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "_APPEAR_SECONDS", 0.0)
    scripted.answers["host:pair:123456:192.168.1.20:37123"] = okay(PAIRED)
    paired = pairing.pair(scripted.server, Address("192.168.1.20", 37123), "123456", CancelToken())
    assert paired == pairing.Paired("adb-PIX1-vWgJpq", None)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"OKAY" + fail("Failed: Wrong password or connection was dropped."), "the code is wrong"),
        (okay("Failed: Wrong password or connection was dropped."), "the code is wrong"),
        (b"OKAY", "the code is wrong"),
        (b"OKAY" + fail("Failed: Unable to start pairing client."), "nothing answers there"),
        (fail("unknown host service 'pair'"), "too old to pair"),
    ],
)
def test_pairing_that_fails_in_every_way_adb_tells_it(
    answer: bytes, reason: str, scripted: ScriptedServer
) -> None:
    scripted.answers["host:pair:123456:192.168.1.20:37123"] = answer
    with pytest.raises(HelperFailed, match=reason):
        pairing.pair(scripted.server, Address("192.168.1.20", 37123), "123456", CancelToken())


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "12:456", "١٢٣٤٥٦"])
def test_what_is_no_code_asks_nobody(code: str, scripted: ScriptedServer) -> None:
    with pytest.raises(WrongUse, match="six digits"):
        pairing.pair(scripted.server, Address("192.168.1.20", 37123), code, CancelToken())
    assert scripted.asked == []


def test_the_real_adb_says_why_it_cannot_pair_or_connect(real_server: AdbServer, free_port: int) -> None:
    nobody = Address("127.0.0.1", 1)
    with pytest.raises(HelperFailed, match="was not paired: nothing answers there"):
        pairing.pair(real_server, nobody, "123456", CancelToken())
    with pytest.raises(HelperFailed, match="cannot be connected: nothing listens there"):
        pairing.connect(real_server, nobody, CancelToken())
    with pytest.raises(HelperFailed, match=r"No phone is connected at 127\.0\.0\.1:1"):
        pairing.disconnect(real_server, "127.0.0.1:1", CancelToken())
    assert pairing.reconnect(real_server, None, CancelToken()) == []


def test_disconnecting_is_judged_by_the_list(
    scripted: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = "192.168.1.20:5555      device transport_id:1\n"
    scripted.list = listed

    def leave() -> bytes:
        scripted.list = ""
        return okay("disconnected 192.168.1.20:5555")

    scripted.answers["host:disconnect:192.168.1.20:5555"] = leave
    pairing.disconnect(scripted.server, "192.168.1.20:5555", CancelToken())
    scripted.list = listed
    monkeypatch.setattr(pairing, "_APPEAR_SECONDS", 0.0)
    scripted.answers["host:disconnect:192.168.1.20:5555"] = okay("disconnected 192.168.1.20:5555")
    with pytest.raises(HelperFailed, match="is still connected"):
        pairing.disconnect(scripted.server, "192.168.1.20:5555", CancelToken())


@pytest.fixture
def silent_pairing(scripted: ScriptedServer) -> Iterator[threading.Event]:
    """A phone that never answers to being paired; the event tells that it was asked."""
    asked, over = threading.Event(), threading.Event()

    def never() -> bytes:
        asked.set()
        over.wait()
        return b""

    scripted.answers["host:pair:123456:192.168.1.20:37123"] = never
    yield asked
    over.set()


def test_pairing_is_cancelled_while_the_phone_says_nothing(
    scripted: ScriptedServer, silent_pairing: threading.Event
) -> None:
    token = CancelToken()

    def cancel() -> None:
        silent_pairing.wait()
        token.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        pairing.pair(scripted.server, Address("192.168.1.20", 37123), "123456", token)
    canceller.join()
