"""Stand-in phones and a real adb server of the tests' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from tests.phone.standin.adb_server import AdbServer
from tests.phone.standin.phone import StandIn


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
