"""adb servers for tests: a scripted one, and the real one on a port of its own."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.devices.scripted_server import ScriptedServer

from as2d.backend.devices.adb.address import ServerAddress
from as2d.backend.devices.adb.server import AdbServer, ServerFailed
from as2d.backend.devices.remembered import RememberedDevices


@pytest.fixture
def scripted() -> Iterator[ScriptedServer]:
    """A scripted adb server."""
    server = ScriptedServer()
    yield server
    server.close()


@pytest.fixture
def remembered(tmp_path: Path) -> RememberedDevices:
    """An empty memory of phones."""
    return RememberedDevices(tmp_path / "devices.json")


@pytest.fixture
def free_port() -> int:
    """A port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


@pytest.fixture
def real_server(free_port: int) -> Iterator[AdbServer]:
    """The real adb's server on a port of its own; not started yet, and ended afterwards."""
    server = AdbServer(ServerAddress("127.0.0.1", free_port))
    yield server
    if server.is_running():
        kill(server)


def kill(server: AdbServer) -> None:
    """End a real server."""
    try:
        server.open("host:kill", start=False).close()
    except ServerFailed:  # it ends before it has answered
        return
