"""What every test sees: its own data folder, and the large shared set of recordings where there is one."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]
# Tests never touch the user's own models and runs; this is where `make test` installs the models.
os.environ["AS2D_DATA_DIR"] = str(ROOT / "build" / "state")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


# A processor for each worker of pytest: helpers that share several wait far longer for each other's threads
# than they compute.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "").removeprefix("gw")
_CPUS = sorted(os.sched_getaffinity(0))
if _WORKER:
    os.sched_setaffinity(0, {_CPUS[int(_WORKER) % len(_CPUS)]})

# Nor the user's own adb server: one that a test starts has a port of its own and is ended with the tests.
_ADB_PORT = _free_port()
os.environ["ANDROID_ADB_SERVER_PORT"] = str(_ADB_PORT)
for _name in ("AS2D_ADB_SERVER", "ADB_SERVER_SOCKET", "ANDROID_ADB_SERVER_ADDRESS", "ANDROID_SERIAL"):
    os.environ.pop(_name, None)

# Started in the background of a shell or by nohup, this process ignores these signals, and its children would
# inherit that: the tests of interrupts send them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# How long an example takes says only how busy this machine is.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

_LEFT_OUT = pytest.StashKey[list[str]]()


def _shared_data_folder() -> Path:
    named = os.environ.get("AS2D_SHARED_DATA", "")
    return Path(named) if named else ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def repository() -> Path:
    """Root folder of the checkout."""
    return ROOT


@pytest.fixture(scope="module")
def every_cpu() -> Iterator[None]:
    """All processors, for helpers whose threads have to run beside each other."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, _CPUS)
    yield
    os.sched_setaffinity(0, own)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the large set of recordings; the test that asks for it carries the marker `shared_data`."""
    return _shared_data_folder()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out, and counts, the tests that need the large set where it is not there."""
    if _shared_data_folder().is_dir():
        return
    left_out = [item for item in items if item.get_closest_marker("shared_data")]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)
        config.stash[_LEFT_OUT] = [item.nodeid for item in left_out]


def pytest_sessionfinish() -> None:
    """Ends the adb server that a test may have started."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", _ADB_PORT), 5) as server:
        server.sendall(b"0009host:kill")
        server.recv(4)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    left_out = config.stash.get(_LEFT_OUT, [])
    if left_out:
        terminalreporter.write_line(
            f"{len(left_out)} tests need the large set of recordings, which is not in "
            f"{_shared_data_folder()} (AS2D_SHARED_DATA names it): not run."
        )
