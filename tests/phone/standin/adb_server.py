"""A real adb server of its own, away from the one that the user may have."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
import time
from pathlib import Path
from types import TracebackType

import adbutils

PATIENCE_SECONDS = 60.0


class AdbServer:
    """adbutils' adb as a server on a free port, keys and logs in `home`. A context manager."""

    def __init__(self, home: Path) -> None:
        self.program = Path(adbutils.adb_path())
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        home.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **{
                name: value for name, value in os.environ.items() if not name.startswith(("ADB_", "ANDROID_"))
            },
            "ANDROID_ADB_SERVER_PORT": str(self.port),
            "ANDROID_USER_HOME": str(home),
            "HOME": str(home),
            "TMPDIR": str(home),
            # It looks for no phone by itself: not on USB, no emulators, none that announce themselves.
            **{"ADB_USB": "0", "ADB_EMU": "0", "ADB_MDNS": "0"},
        }
        self._log = (home / "server.log").open("wb")
        self._process = subprocess.Popen(
            [self.program, "-L", f"tcp:localhost:{self.port}", "server", "nodaemon"],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )
        try:
            self._wait_until_it_listens()
        except BaseException:
            self.close()
            raise

    def _wait_until_it_listens(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                if self._process.poll() is not None or time.monotonic() > deadline:
                    raise
                threading.Event().wait(0.01)

    def command(self, *arguments: str | Path) -> list[str]:
        """The command line of adb with these arguments; run it with `environment`."""
        return [str(self.program), *map(str, arguments)]

    def run(
        self, *arguments: str | Path, data: bytes | None = None, seconds: float = PATIENCE_SECONDS
    ) -> subprocess.CompletedProcess[bytes]:
        """Runs adb; raises subprocess.TimeoutExpired."""
        return subprocess.run(
            self.command(*arguments),
            env=self.environment,
            input=data or b"",
            capture_output=True,
            timeout=seconds,
            check=False,
        )

    def connect(self, address: str, *, state: str = "device") -> None:
        """Connects a phone (again) and waits for its state; raises RuntimeError with adb's words."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        self.run("disconnect", address)
        while True:
            said = self.run("connect", address)
            if self.run("-s", address, "get-state").stdout.decode().strip() == state:
                return
            # A connection that ended a moment ago may still be "already connected", and then be gone.
            if b"connected to" not in said.stdout or time.monotonic() > deadline:
                raise RuntimeError((said.stdout + said.stderr).decode(errors="replace"))

    def close(self) -> None:
        """Kills the server."""
        self._process.kill()
        self._process.wait()
        self._log.close()

    def __enter__(self) -> AdbServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
