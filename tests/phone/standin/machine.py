"""A running phone without its cable: starts and stops it, runs programs in it, says what runs."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.phone.standin import emulation, messages

REPOSITORY = Path(__file__).resolve().parents[3]
PATIENCE_SECONDS = 60.0


class StandInFailed(Exception):
    """The stand-in could not be made or has ended; says why and what to do."""


class Program:
    """A program that was started in the phone."""

    def __init__(self, machine: Machine, number: int) -> None:
        self._machine = machine
        self._number = number
        self._ended = threading.Event()
        self.status: int | None = (
            None  # as waitpid gives it; None while it runs, or when the phone died with it
        )

    def ended(self, status: int | None) -> None:
        """Called once, when the phone says so or is gone."""
        self.status = status
        self._ended.set()

    def wait(self, seconds: float | None = None) -> int | None:
        """The exit code as adbd tells it (128 + signal when killed); None: the phone died or time is up."""
        if not self._ended.wait(seconds) or self.status is None:
            return None
        if os.WIFSIGNALED(self.status):
            return 0x80 | os.WTERMSIG(self.status)
        return os.WEXITSTATUS(self.status)

    def signal(self, number: int) -> None:
        """Sends a signal to the program itself; nothing happens when it, or the phone, has ended."""
        with contextlib.suppress(StandInFailed):
            self._machine.ask("signal", of=self._number, signal=number)


class Machine:
    """The phone's processes. Closing it kills them all and removes its folder."""

    def __init__(self, root: Path, *, disk_bytes: int | None = None) -> None:
        self.root = root
        emulator = emulation.find() if emulation.needed() else None
        if emulation.needed() and emulator is None:
            raise StandInFailed(
                f"{emulation.EMULATOR} is missing; run packaging/setup/prerequisites.sh phone "
                "(Debian package qemu-user-static)."
            )
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._reader: threading.Thread | None = None
        self._next = 0
        self._clocks = (0, 0)  # offsets of BOOTTIME and MONOTONIC against this computer's, ns
        self._programs: dict[int, Program] = {}
        self._answers: dict[int, tuple[threading.Event, list[Any]]] = {}
        self._settings = {"disk_bytes": disk_bytes, "emulator": emulator}
        self._socket, self._theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._warden: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Takes over the folder, which holds the phone's tree by now; raises StandInFailed."""
        with self._theirs:
            self._warden = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.phone.standin.warden"),
                    *(str(self.root), json.dumps(self._settings)),
                ],
                stdin=self._theirs.fileno(),
                cwd=REPOSITORY,
                env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            )
        self._expect(self._socket, "ready")

    def _expect(self, sock: socket.socket, event: str) -> None:
        sock.settimeout(PATIENCE_SECONDS)
        received = messages.receive(sock)
        sock.settimeout(None)
        if received is None or received[0]["event"] != event:
            reason = received[0].get("reason", received[0]["event"]) if received else "it ended"
            raise StandInFailed(
                f"The stand-in could not start: {reason}. It needs Linux 6.7 or newer with user namespaces."
            )

    def boot(self, *, uptime_seconds: float = 30.0) -> None:
        """Starts the phone; its clocks then show so many seconds since the start."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        wanted = int(uptime_seconds * 1e9)
        with theirs:
            boottime = wanted - time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            monotonic = wanted - time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            self._clocks = (boottime, monotonic)
            order = {"op": "boot", "boottime_ns": boottime, "monotonic_ns": monotonic}
            messages.send(self._socket, order, [theirs.fileno()])
        self._expect(ours, "booted")
        self._control = ours
        self._reader = threading.Thread(
            target=self._read, args=(ours,), name="stand-in processes", daemon=True
        )
        self._reader.start()

    def halt(self) -> None:
        """Ends every process at once, as when the battery is pulled."""
        if self._control is None:
            return
        messages.send(self._socket, {"op": "halt"})
        self._expect(self._socket, "halted")
        if self._reader is not None:
            self._reader.join()
        self._control.close()
        self._control = None

    def _read(self, control: socket.socket) -> None:
        while True:
            try:
                received = messages.receive(control)
            except OSError:
                received = None
            if received is None:
                break
            message, _ = received
            if message["event"] == "exit":
                with self._lock:
                    program = self._programs.pop(message["id"])
                program.ended(message["status"])
            else:
                with self._lock:
                    waiting, box = self._answers.pop(message["id"])
                box.append(message["value"])
                waiting.set()
        with self._lock:
            programs, self._programs = list(self._programs.values()), {}
            answers, self._answers = list(self._answers.values()), {}
        for program in programs:
            program.ended(None)
        for waiting, _ in answers:
            waiting.set()

    def _send(self, message: dict[str, Any], files: Sequence[int] = ()) -> None:
        control = self._control
        if control is None:
            raise StandInFailed("The phone is switched off.")
        try:
            messages.send(control, message, files)
        except OSError as error:
            raise StandInFailed("The phone's first process is gone.") from error

    def ask(self, op: str, **fields: Any) -> Any:
        """Asks the first process; None when the phone died meanwhile."""
        waiting, box = threading.Event(), list[Any]()
        with self._lock:
            self._next += 1
            number = self._next
            self._answers[number] = (waiting, box)
        self._send({"op": op, "id": number, **fields})
        waiting.wait(PATIENCE_SECONDS)
        return box[0] if box else None

    def _start(self, message: dict[str, Any], files: Sequence[int]) -> Program:
        with self._lock:
            self._next += 1
            program = self._programs[self._next] = Program(self, self._next)
            message["id"] = self._next
        self._send(message, files)
        return program

    def spawn(
        self,
        path: str,
        argv: Sequence[str],
        env: Mapping[str, str],
        files: tuple[int, int, int],
        *,
        tty: bool = False,
    ) -> Program:
        """Starts the program `path` in a session of its own with `files` as input, output and errors."""
        return self._start(
            {"op": "spawn", "path": path, "argv": list(argv), "env": dict(env), "tty": tty}, files
        )

    def serve_sync(self, sock: socket.socket, features: Sequence[str]) -> Program:
        """Starts the file transfer service on this socket."""
        return self._start({"op": "sync", "features": list(features)}, [sock.fileno()])

    def processes(self) -> dict[int, list[str]]:
        """pid → command line of all that runs in the phone; words may stand before a program's own."""
        return dict(self.ask("processes") or [])

    def kill(self, text: str, number: int = signal.SIGKILL) -> list[int]:
        """Signals every process whose command line contains `text`; returns their pids."""
        killed: list[int] = self.ask("kill", text=text, signal=number) or []
        return killed

    def files(self, path: str) -> dict[str, int]:
        """Size of every file below `path`, a place of the phone; -1 for what is no file."""
        found: dict[str, int] = self.ask("files", path=path) or {}
        return found

    def fill_disk(self, leave_bytes: int | None) -> int:
        """Leaves so much free below /data (None: as much as there was); returns the free bytes."""
        free: int = self.ask("fill", leave_bytes=leave_bytes)
        return free

    def sleep(self, seconds: int) -> None:
        """The phone sleeps so long, in no time: BOOTTIME moves on for all programs, MONOTONIC does not."""
        why = self.ask("sleep", seconds=seconds)
        if why:
            raise StandInFailed(f"The phone could not sleep: {why}.")
        self.jump_clocks(boottime_seconds=seconds)

    def jump_clocks(self, *, boottime_seconds: float = 0.0, monotonic_seconds: float = 0.0) -> None:
        """Programs that start from here on see the clocks moved by so much; a difference is time slept."""
        boottime, monotonic = self._clocks
        self._clocks = (boottime + int(boottime_seconds * 1e9), monotonic + int(monotonic_seconds * 1e9))
        self.ask("clocks", boottime_ns=self._clocks[0], monotonic_ns=self._clocks[1])

    def close(self) -> None:
        """Ends everything and waits until the folder is gone."""
        self._socket.close()
        self._theirs.close()
        if self._control is not None:
            self._control.close()
        if self._warden is None:
            shutil.rmtree(self.root, ignore_errors=True)
        else:
            self._warden.wait(PATIENCE_SECONDS)
