"""Stand-in phones and a real adb server of the tests' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn
from tests.phone.storing import MEGABYTE, Bench, contents, make_model

from as2d.backend.models.store import InstalledModel


@pytest.fixture(scope="session")
def adb_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdbServer]:
    """A real adb server on a port of its own."""
    with AdbServer(tmp_path_factory.mktemp("adb")) as server:
        yield server


@pytest.fixture
def standin() -> Iterator[Callable[..., StandIn]]:
    """Makes stand-in phones (StandIn's arguments); they end with the test."""
    with ExitStack() as stack:

        def make(*arguments: Any, **options: Any) -> StandIn:
            return stack.enter_context(StandIn(*arguments, **options))

        yield make


@pytest.fixture
def phone(standin: Callable[..., StandIn], adb_server: AdbServer) -> StandIn:
    """A Snapdragon phone that is connected to the adb server."""
    made = standin()
    adb_server.connect(made.address)
    return made


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> InstalledModel:
    """A small model as the store sees it; no program can load it."""
    return make_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def bench(phone: StandIn, adb_server: AdbServer, tmp_path: Path) -> Bench:
    """A phone to push to."""
    return Bench(phone, adb_server, tmp_path / "phones")


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A file that goes in several pieces unless the link is fast."""
    path = tmp_path / "音声 big.bin"
    path.write_bytes(contents(18 * MEGABYTE + 12_345, 99))
    return path
