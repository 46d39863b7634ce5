"""Finding phones through the real adb server: states, flaps, two phones, one phone twice, cables pulled."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.phone.standin.adb_server import AdbServer as RealServer
from tests.phone.standin.phone import StandIn

from as2d.backend.devices.adb import listing, pairing, properties
from as2d.backend.devices.adb.address import Address, ServerAddress
from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.adb.watching import Listed, Watch
from as2d.backend.devices.choosing import choose_phone
from as2d.backend.devices.phone import Phone, PhoneState
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.errors import HelperFailed, WrongUse
from as2d.backend.transcribe.cancel import CancelToken

PATIENCE_SECONDS = 120.0
MakePhone = Callable[..., StandIn]


class Found:
    """The product's side: its client of the real server, its memory, and what its watch tells."""

    def __init__(self, server: AdbServer, remembered: RememberedDevices) -> None:
        self.server = server
        self.remembered = remembered
        self.cancel = CancelToken()
        self._lists: queue.SimpleQueue[Listed] = queue.SimpleQueue()
        self._watch: Watch | None = None

    def phones(self) -> list[Phone]:
        """All phones now."""
        return list_phones(self.server, self.cancel, self.remembered)

    def connect(self, phone: StandIn, host: str = "127.0.0.1", said: list[str] | None = None) -> str:
        """Connect a stand-in; adb's serial for it."""
        waiting = said.append if said is not None else None
        return pairing.connect(self.server, Address(host, phone.port), self.cancel, waiting)

    def watch(self) -> None:
        """Begin to watch."""
        self._watch = Watch(self.server, self._lists.put, self.cancel, self.remembered)

    def until(self, serial: str, state: PhoneState | None) -> Phone | None:
        """Wait until the watch tells this phone in this state; None: until it tells that it is gone."""
        while True:
            listed = self._lists.get(timeout=PATIENCE_SECONDS)
            phone = next((phone for phone in listed.phones if phone.id == serial), None)
            if (phone.state if phone is not None else None) == state:
                return phone

    def close(self) -> None:
        """End the watch, and leave the server without phones for the next test."""
        if self._watch is not None:
            self._watch.close()
        self.server.ask("host:disconnect:")


@pytest.fixture(scope="module")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealServer]:
    """A server that has never seen another test's phones: adb tries for a while to reach those again."""
    with RealServer(tmp_path_factory.mktemp("adb")) as server:
        yield server


@pytest.fixture
def found(adb_server: RealServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Found]:
    """The product beside a real adb server; programs that are emulated may take their time to answer."""
    for module in (listing, properties):
        monkeypatch.setattr(module, "ASK_SECONDS", PATIENCE_SECONDS)
    server = AdbServer(ServerAddress("127.0.0.1", adb_server.port, "the test"))
    product = Found(server, RememberedDevices(tmp_path / "devices.json"))
    yield product
    product.close()


def test_a_phone_is_connected_named_and_disconnected(found: Found, standin: MakePhone) -> None:
    phone = standin(serial="READY1")
    serial = found.connect(phone)
    (listed,) = found.phones()
    assert listed.ready
    assert (listed.id, listed.model_code, listed.maker) == (
        "READY1",
        phone.profile.properties["ro.product.model"],
        phone.profile.properties["ro.product.manufacturer"],
    )
    assert listed.android == phone.profile.properties["ro.build.version.release"]
    assert listed.model == phone.profile.properties.get("ro.product.marketname", listed.model_code)
    assert choose_phone(None, [listed]) is listed
    assert choose_phone(listed.model_code, [listed]) is listed
    assert found.remembered.phone("READY1").addresses == (phone.address,)
    assert found.connect(phone) == serial
    pairing.disconnect(found.server, serial, found.cancel)
    assert found.phones() == []
    with pytest.raises(HelperFailed, match="No phone is connected at"):
        pairing.disconnect(found.server, serial, found.cancel)


def test_a_phone_without_shell_v2_on_a_terminal_is_recognised_too(found: Found, standin: MakePhone) -> None:
    found.connect(standin(serial="OLD1", features=(), terminal_shell=True))
    (listed,) = found.phones()
    assert (listed.id, listed.ready) == ("OLD1", True)


def test_a_phone_that_was_not_accepted_waits_for_its_owner(found: Found, standin: MakePhone) -> None:
    phone = standin(serial="ASKS1", authorized=False)
    found.watch()
    said: list[str] = []
    connecting = threading.Thread(target=found.connect, args=(phone, "127.0.0.1", said))
    connecting.start()
    waiting = found.until(phone.address, PhoneState.UNAUTHORIZED)
    assert waiting is not None
    assert "unlock it and accept" in waiting.sentence
    with pytest.raises(HelperFailed, match="unlock it and accept"):
        choose_phone(None, [waiting])
    phone.authorize()
    found.until("ASKS1", PhoneState.READY)
    connecting.join()


def test_two_phones_of_one_model_are_two(found: Found, standin: MakePhone) -> None:
    first, second = standin(serial="TWIN1"), standin(serial="TWIN2")
    found.connect(first)
    found.connect(second)
    phones = found.phones()
    assert sorted(phone.id for phone in phones) == ["TWIN1", "TWIN2"]
    with pytest.raises(WrongUse, match=r"There are 2 phones: .*\(TWIN1\) and .*\(TWIN2\)"):
        choose_phone(None, phones)
    found.remembered.set_nickname("TWIN2", "left")
    assert choose_phone("left", found.phones()).best.serial == second.address
    first.unplug()
    assert choose_phone(None, found.phones()).id == "TWIN2"


def test_one_phone_reached_in_two_ways_is_one(found: Found, standin: MakePhone) -> None:
    phone = standin(serial="ONCE1")
    found.connect(phone)
    found.connect(phone, "localhost")
    (listed,) = found.phones()
    assert listed.id == "ONCE1"
    assert {way.serial for way in listed.transports} == {phone.address, f"localhost:{phone.port}"}


@pytest.mark.parametrize("kind", ["recovery", "sideload", "rescue", "bootloader"])
def test_a_phone_that_is_not_in_android_says_so(kind: str, found: Found, standin: MakePhone) -> None:
    phone = standin(kind=kind)
    with pytest.raises(HelperFailed, match="restart it into Android"):
        found.connect(phone)
    (listed,) = found.phones()
    assert listed.state.value == kind
    assert "restart it into Android" in listed.sentence


def test_a_phone_that_flaps_recovers_by_itself(found: Found, standin: MakePhone) -> None:
    phone = standin(serial="FLAPS1")
    found.watch()
    found.connect(phone)
    found.until("FLAPS1", PhoneState.READY)
    for _ in range(2):
        phone.unplug()
        found.until("FLAPS1", PhoneState.OFFLINE)
        phone.plug_in()
        pairing.reconnect(found.server, [phone.address], found.cancel)
        found.until("FLAPS1", PhoneState.READY)
    phone.reboot()
    pairing.reconnect(found.server, [phone.address], found.cancel)
    found.until("FLAPS1", PhoneState.READY)
    pairing.disconnect(found.server, phone.address, found.cancel)
    found.until("FLAPS1", None)


@pytest.mark.parametrize("passed", [0, 1, 40])
def test_a_cable_pulled_while_the_phone_is_asked_ends_in_a_state_that_recovers(
    passed: int, found: Found, standin: MakePhone
) -> None:
    phone = standin(serial="CUT1")
    found.connect(phone)
    phone.cable.when(passed, phone.unplug, direction="to_host", service="shell")
    assert [listed.ready for listed in found.phones()] in ([False], [])
    phone.plug_in()
    pairing.reconnect(found.server, [phone.address], found.cancel)
    if not found.phones():
        found.connect(phone)
    assert [listed.id for listed in found.phones() if listed.ready] == ["CUT1"]


def test_a_phone_that_hangs_holds_nobody_up(
    found: Found, standin: MakePhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging, other = standin(serial="HANGS1"), standin(serial="WORKS1")
    found.connect(hanging)
    found.connect(other)
    assert len([listed for listed in found.phones() if listed.ready]) == 2
    hanging.cable.stall()
    with monkeypatch.context() as impatient:
        impatient.setattr(listing, "ASK_SECONDS", 10.0)
        listed = {phone.id: phone for phone in found.phones()}
    assert listed["WORKS1"].ready
    assert not listed["HANGS1"].ready
    assert "does not answer" in listed["HANGS1"].sentence
    hanging.cable.resume()
    assert all(phone.ready for phone in found.phones())
