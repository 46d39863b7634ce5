"""The adb server: the running one is used, else one is started; nothing waits for ever."""

from __future__ import annotations

import contextlib
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.devices.conftest import kill

from as2d.backend.devices.adb import program
from as2d.backend.devices.adb.address import ServerAddress
from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.adb.server import AdbServer, ServerFailed
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken


class Silent:
    """Takes connections and never says a word; `reached` tells that somebody waits."""

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.reached = threading.Event()
        self._held: list[socket.socket] = []
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        for connection in self._held:
            connection.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self._held.append(connection)
            connection.recv(4)
            self.reached.set()


@pytest.fixture
def silent() -> Iterator[Silent]:
    """A server that never answers."""
    server = Silent()
    yield server
    server.close()


def test_a_server_is_started_once_and_used_from_then_on(
    real_server: AdbServer, remembered: RememberedDevices
) -> None:
    assert not real_server.is_running()
    with pytest.raises(ServerFailed, match=r"No adb server answers .* `as2d devices` starts it"):
        real_server.version()
    list_phones(real_server, remembered=remembered)
    assert real_server.is_running()
    assert real_server.version() >= 41
    other = AdbServer(ServerAddress("127.0.0.1", real_server.address.port, "AS2D_ADB_SERVER"))
    list_phones(other, remembered=remembered)
    kill(real_server)


def test_several_programs_may_start_the_server_at_once(real_server: AdbServer) -> None:
    failed: list[BaseException] = []

    def start() -> None:
        try:
            AdbServer(real_server.address).ensure_running()
        except BaseException as error:  # noqa: BLE001  (shown by the test)
            failed.append(error)

    threads = [threading.Thread(target=start) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert real_server.version() >= 41


def test_a_server_that_was_named_is_never_started(free_port: int) -> None:
    server = AdbServer(ServerAddress("127.0.0.1", free_port, "AS2D_ADB_SERVER"))
    with pytest.raises(ServerFailed, match=r"connection refused.*which AS2D_ADB_SERVER names"):
        server.ensure_running()
    assert not server.is_running()


def test_waiting_for_a_server_that_says_nothing_ends_when_cancelled(silent: Silent) -> None:
    server = AdbServer(ServerAddress("127.0.0.1", silent.port))
    token = CancelToken()

    def cancel() -> None:
        silent.reached.wait()
        token.cancel()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        list_phones(server, token)
    canceller.join()


def test_a_server_that_says_nothing_is_given_up(silent: Silent) -> None:
    server = AdbServer(ServerAddress("127.0.0.1", silent.port))
    with pytest.raises(ServerFailed, match="gave none for"):
        server.ask("host:version", seconds=0.2)


@pytest.mark.parametrize("said", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"OKAYnope", b"OKAY0004beef", b"OK"])
def test_what_is_no_adb_server_is_told(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(64)
                connection.sendall(said)

        thread = threading.Thread(target=answer)
        thread.start()
        server = AdbServer(ServerAddress("127.0.0.1", listening.getsockname()[1]))
        if said == b"OKAY0004beef":
            assert server.version() == 0xBEEF
        else:
            with pytest.raises(HelperFailed):
                server.version()
        thread.join()


def test_an_adb_program_that_fails_is_told_with_its_reason(
    real_server: AdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adb = tmp_path / "adb"
    adb.write_text(f"#!{sys.executable}\nprint('* failed to start daemon')\nraise SystemExit(1)\n")
    adb.chmod(adb.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(program, "adb_program", lambda: adb)
    with pytest.raises(HelperFailed, match=r"did not start at port \d+ \(adb: failed to start daemon\)"):
        real_server.ensure_running()
    adb.chmod(stat.S_IRUSR)
    with pytest.raises(HelperFailed, match="cannot be run"):
        real_server.ensure_running()
    monkeypatch.setattr(program, "adb_program", lambda: None)
    with pytest.raises(HelperFailed, match="install your system's adb"):
        real_server.ensure_running()


def test_starting_is_cancelled_and_leaves_no_process(
    real_server: AdbServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adb, mark = tmp_path / "adb", tmp_path / "pid"
    adb.write_text(
        f"#!{sys.executable}\nimport os, pathlib, time\n"
        f"pathlib.Path({str(tmp_path / 'new')!r}).write_text(str(os.getpid()))\n"
        f"os.rename({str(tmp_path / 'new')!r}, {str(mark)!r})\ntime.sleep(600)\n"
    )
    adb.chmod(adb.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(program, "adb_program", lambda: adb)
    token = CancelToken()

    def cancel() -> None:
        while not mark.exists():
            token_waits.wait(0.01)
        token.cancel()

    token_waits = threading.Event()
    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(Cancelled):
        real_server.ensure_running(token)
    canceller.join()
    assert not Path("/proc", mark.read_text()).exists()


def test_the_adb_program_and_its_server_are_of_one_version(real_server: AdbServer) -> None:
    found = program.adb_program()
    assert found is not None
    told = program.program_version(found)
    real_server.ensure_running()
    assert told.server == real_server.version()
    assert told.release[0].isdigit()


def test_an_adb_program_that_names_no_version(tmp_path: Path) -> None:
    odd = tmp_path / "adb"
    odd.write_text("#!/bin/sh\necho something else\n")
    odd.chmod(0o755)
    assert program.program_version(odd) == program.AdbVersion(None, "unknown")
