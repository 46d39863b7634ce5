"""The live list: every change is told, states recover by themselves, and the end is at once."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator

import pytest
from tests.unit.devices.conftest import kill
from tests.unit.devices.scripted_server import ScriptedServer

from as2d.backend.devices.adb import properties
from as2d.backend.devices.adb.address import ServerAddress
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.adb.watching import Listed, Watch
from as2d.backend.devices.phone import PhoneState
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.transcribe.cancel import CancelToken

PATIENCE_SECONDS = 60.0
READY = "PIX1                   device usb:1-1 product:tokay model:Pixel_9 device:tokay transport_id:3\n"
OFFLINE = "PIX1                   offline usb:1-1 transport_id:3\n"
UNAUTHORIZED = "PIX1                   unauthorized usb:1-1 transport_id:3\n"
AUTHORIZING = "PIX1                   authorizing usb:1-1 transport_id:3\n"

Follow = Callable[[AdbServer], "Lists"]


class Lists:
    """What a watch tells."""

    def __init__(self, server: AdbServer, remembered: RememberedDevices) -> None:
        self._queue: queue.SimpleQueue[Listed] = queue.SimpleQueue()
        self.token = CancelToken()
        self.watch = Watch(server, self._queue.put, self.token, remembered)

    def until(self, right: Callable[[Listed], bool]) -> Listed:
        """The next list that is right."""
        while True:
            listed = self._queue.get(timeout=PATIENCE_SECONDS)
            if right(listed):
                return listed

    def until_states(self, *states: PhoneState) -> Listed:
        """The next list of phones in these states."""
        return self.until(lambda listed: tuple(phone.state for phone in listed.phones) == states)

    def rest(self) -> list[Listed]:
        """What was told and not taken."""
        found = []
        while not self._queue.empty():
            found.append(self._queue.get())
        return found


@pytest.fixture
def follow(remembered: RememberedDevices) -> Iterator[Follow]:
    """Begins to watch a server."""
    begun: list[Lists] = []

    def begin(server: AdbServer) -> Lists:
        begun.append(Lists(server, remembered))
        return begun[-1]

    yield begin
    for lists in begun:
        lists.watch.close()


@pytest.mark.parametrize("long_tracking", [True, False])
def test_a_phone_comes_is_accepted_flaps_and_goes(
    long_tracking: bool, scripted: ScriptedServer, follow: Follow
) -> None:
    scripted.long_tracking = long_tracking
    scripted.properties = {"PIX1": {"ro.serialno": "PIX1", "ro.build.version.release": "15"}}
    lists = follow(scripted.server)
    lists.until_states()
    for text, state in (
        (UNAUTHORIZED, PhoneState.UNAUTHORIZED),
        (AUTHORIZING, PhoneState.AUTHORIZING),
        (READY, PhoneState.READY),
        (OFFLINE, PhoneState.OFFLINE),
        (READY, PhoneState.READY),
    ):
        scripted.set_list(text)
        (phone,) = lists.until_states(state).phones
        assert phone.ready == (phone.sentence == "")
    assert phone.android == "15"
    scripted.set_list("")
    lists.until_states()


def test_equal_lists_are_told_once(scripted: ScriptedServer, follow: Follow) -> None:
    scripted.properties = {"PIX1": {"ro.serialno": "PIX1"}}
    lists = follow(scripted.server)
    lists.until_states()
    scripted.set_list(OFFLINE)
    lists.until_states(PhoneState.OFFLINE)
    for _ in range(3):
        scripted.set_list(OFFLINE)
    scripted.set_list(READY)
    assert [listed.phones[0].state for listed in (lists.until(lambda _: True),)] == [PhoneState.READY]


def test_a_phone_that_hangs_is_told_and_asked_again(
    scripted: ScriptedServer, follow: Follow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(properties, "ASK_SECONDS", 0.2)
    monkeypatch.setattr("as2d.backend.devices.adb.watching.ASK_SECONDS", 0.3)
    scripted.properties = {"PIX1": None}
    scripted.set_list(READY)
    lists = follow(scripted.server)
    lists.until_states(PhoneState.OFFLINE)
    scripted.properties = {"PIX1": {"ro.serialno": "PIX1"}}
    lists.until_states(PhoneState.READY)


def test_the_end_is_at_once_and_nothing_is_told_after_it(scripted: ScriptedServer, follow: Follow) -> None:
    lists = follow(scripted.server)
    lists.until_states()
    lists.token.cancel()
    lists.watch.join(PATIENCE_SECONDS)
    scripted.set_list(OFFLINE)
    assert lists.rest() == []


def test_a_server_that_ends_and_comes_back_is_followed_again(
    scripted: ScriptedServer, follow: Follow
) -> None:
    scripted.set_list(OFFLINE)
    lists = follow(scripted.server)
    lists.until_states(PhoneState.OFFLINE)
    scripted.close()
    gone = lists.until(lambda listed: listed.problem is not None)
    assert gone.phones == ()
    assert gone.problem is not None
    assert "No adb server answers" in gone.problem
    again = ScriptedServer(scripted.port)
    try:
        again.set_list(UNAUTHORIZED)
        assert lists.until_states(PhoneState.UNAUTHORIZED).problem is None
    finally:
        again.close()


def test_a_server_that_is_ended_again_and_again_is_told_as_a_fight(
    scripted: ScriptedServer, follow: Follow
) -> None:
    scripted.set_list(OFFLINE)
    server = scripted
    lists = follow(server.server)
    for _ in range(3):
        lists.until_states(PhoneState.OFFLINE)
        server.close()
        lists.until(lambda listed: listed.phones == ())
        server = ScriptedServer(scripted.port)
        server.set_list(OFFLINE)
    try:
        problem = lists.until_states(PhoneState.OFFLINE).problem
        assert problem is not None
        assert "different versions of adb" in problem
    finally:
        server.close()


def test_the_real_server_is_started_followed_and_started_again(
    real_server: AdbServer, follow: Follow
) -> None:
    lists = follow(real_server)
    lists.until(lambda _: True)
    assert real_server.version() >= 41
    kill(real_server)
    named = AdbServer(ServerAddress("127.0.0.1", real_server.address.port, "the test"))
    other = follow(named)
    other.until(lambda listed: listed.problem is None)
    lists.token.cancel()
    lists.watch.join(PATIENCE_SECONDS)
