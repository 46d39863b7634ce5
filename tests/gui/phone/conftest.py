"""The window with a stand-in phone behind the real adb, and models small enough for its emulation."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio
from tests.phone.conftest import adb_server, pair, standin
from tests.phone.small_models import SmallPair
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn

from as2d.app.device.page import DevicePage
from as2d.app.window.main_window import StudioWindow

__all__ = ["adb_server", "pair", "standin"]


@dataclass
class Desk:
    """The window, the phone that is plugged in, and what a person sees of it."""

    window: StudioWindow
    phone: StandIn
    adb: AdbServer
    pair: SmallPair
    qtbot: QtBot

    @property
    def key(self) -> str:
        """The phone's id."""
        return self.phone.serial

    @property
    def page(self) -> DevicePage:
        """The phone's page."""
        page = self.window.device.page()
        assert page is not None
        assert page.key == self.key
        return page

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for what the phone, under emulation, takes its time for."""
        self.qtbot.waitUntil(condition, timeout=PATIENCE_MS)

    def until_listed(self) -> None:
        """Wait until the phone is in the list, ready and by its id: one that is slow to tell it is listed by
        its address until then.
        """
        self.until(lambda: any(one.ready and one.id == self.key for one in self.window.phones.now))

    def show(self) -> None:
        """Look at the phone in the Device tab, until it has told everything."""
        self.window.docks.show("device")
        self.window.device.choose(self.key)
        self.until(lambda: self.window.knowledge.of(self.key).contents is not None)

    def decode_here(self) -> None:
        """Choose the phone in the picker, as a person does."""
        picker = self.window.top_bar.device
        place = picker.findData(self.key)
        picker.setCurrentIndex(place)
        picker.activated.emit(place)
        assert self.window.settings.current.decode.device == self.key

    def run_works(self, command: str) -> None:
        """Do a command's work to its end."""
        self.window.registry.run(command)
        assert self.window.works.of(self.key) is not None
        self.until(lambda: self.window.works.of(self.key) is None)


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of the test's own; the small models are named by their folders."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("AS2D_DATA_DIR", str(folder))
    return folder


@pytest.fixture
def clip(repository: Path, tmp_path: Path) -> Path:
    """A short recording, whose copy may be named anything."""
    return Path(shutil.copy(repository / "tests" / "data" / "speech" / "cv_en_651325.mp3", tmp_path))


MakeDesk = Callable[..., Desk]


@pytest.fixture
def make_desk(
    open_studio: OpenStudio,
    standin: Callable[..., StandIn],
    adb_server: AdbServer,
    pair: SmallPair,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[MakeDesk]:
    """Opens the window and plugs a phone in; `options` are StandIn's."""
    monkeypatch.setenv("AS2D_ADB_SERVER", f"127.0.0.1:{adb_server.port}")
    addresses: list[str] = []

    def make(*files: Path, connect: bool = True, language: str = "en", **options: object) -> Desk:
        phone = standin(**options)
        addresses.append(phone.address)
        if connect and options.get("authorized", True):
            adb_server.connect(phone.address)
        elif connect:
            adb_server.run("connect", phone.address)  # which waits for the owner's word, and is listed
        decode = {"target": str(pair.target.path), "drafter": str(pair.drafter.path), "language": "en"}
        window = open_studio(
            *files, language=language, look_for_phones=True, started_before=True, decode=decode
        )
        return Desk(window, phone, adb_server, pair, qtbot)

    yield make
    for address in addresses:
        adb_server.run("disconnect", address)


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    """The window with a phone that is ready and chosen in the Device tab."""
    made = make_desk()
    made.until_listed()
    made.show()
    return made
