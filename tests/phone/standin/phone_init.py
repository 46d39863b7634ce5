"""The phone's first process: mounts what a phone has, then starts, signals and reaps programs on demand."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import shutil
import signal
import socket
import stat
import sys
import termios
from pathlib import Path
from typing import Any

from tests.phone.standin import messages, namespaces, sleeping, sync_service

DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
FILLER = "/data/filler"
FIXTURES = "system/etc/standin"
# Files of the profile that stand in the place of the computer's own.
PROC_FILES = {"cpuinfo": "cpuinfo", "version": "version", "boot_id": "sys/kernel/random/boot_id"}


def mount_disk(root: Path, size: int) -> None:
    """Puts /data on a disk of `size` bytes, with what is there already."""
    data = root / "data"
    kept = root / "data.kept"
    data.rename(kept)
    data.mkdir()
    namespaces.mount("tmpfs", str(data), f"size={size},mode=771")
    shutil.copytree(kept, data, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(kept)


def _mount_all(root: Path) -> None:
    namespaces.keep_mounts_private()
    namespaces.mount("proc", f"{root}/proc")
    for device in DEVICES:
        namespaces.bind(f"/dev/{device}", f"{root}/dev/{device}")
    for fixture, place in PROC_FILES.items():
        if (root / FIXTURES / "proc" / fixture).exists():
            namespaces.bind(f"{root}/{FIXTURES}/proc/{fixture}", f"{root}/proc/{place}")
    namespaces.bind(f"{root}/data", f"{root}/data")  # a mount of its own, as `df` tells it on a phone


class _Init:
    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.children: dict[int, int] = {}  # pid -> number of the request
        self.pids: dict[int, int] = {}

    def spawn(self, message: dict[str, Any], files: list[int]) -> None:
        pid = os.fork()
        if pid == 0:
            try:
                self._in_child(message, files)
            except OSError as error:
                os.write(2, f"{message.get('path', 'sync')}: {error.strerror}\n".encode())
            except BaseException as error:  # noqa: BLE001 - a forked process must never run on into init's loop
                os.write(2, f"{error}\n".encode())
            os._exit(127)
        self.children[pid] = message["id"]
        self.pids[message["id"]] = pid

    @staticmethod
    def _in_child(message: dict[str, Any], files: list[int]) -> None:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGPIPE, signal.SIGHUP, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        if message["op"] == "sync":
            namespaces.drop_capabilities()
            os.umask(0)
            sync_service.serve(socket.socket(fileno=files[0]), set(message["features"]))
            os._exit(0)
        for place, fd in enumerate(files):
            os.dup2(fd, place)
        if message.get("tty"):
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        os.execve(message["path"], message["argv"], message["env"])

    def reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            number = self.children.pop(pid, None)
            if number is not None:
                del self.pids[number]
                messages.send(self.control, {"event": "exit", "id": number, "status": status})

    @staticmethod
    def processes() -> list[tuple[int, list[str]]]:
        """pid and command line of everything that runs, this process left out."""
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdecimal() or int(folder.name) == 1:
                continue
            try:
                line = (folder / "cmdline").read_bytes()
            except OSError:
                continue  # it ended meanwhile
            if line:
                found.append(
                    (int(folder.name), [os.fsdecode(part) for part in line.rstrip(b"\0").split(b"\0")])
                )
        return found

    def kill_matching(self, text: str, number: int) -> list[int]:
        killed = []
        for pid, words in self.processes():
            if text in " ".join(words):
                os.kill(pid, number)
                killed.append(pid)
        return killed

    @staticmethod
    def files(path: str) -> dict[str, int]:
        """Size of every file below `path`; -1 for links, sockets and the like."""
        found = {}
        for folder, _, names in os.walk(path):
            for name in names:
                place = Path(folder, name)
                with contextlib.suppress(FileNotFoundError):  # it went meanwhile
                    status = place.lstat()
                    found[str(place)] = status.st_size if stat.S_ISREG(status.st_mode) else -1
        return found

    @staticmethod
    def fill(leave_bytes: int | None) -> int:
        """Takes the disk's free space but for `leave_bytes` (None: gives it back); returns what is free."""
        with contextlib.suppress(FileNotFoundError):
            Path(FILLER).unlink()
        disk = os.statvfs("/data")
        while leave_bytes is not None and (wanted := disk.f_bavail * disk.f_frsize - leave_bytes) > 0:
            try:
                with open(FILLER, "ab") as file:
                    os.posix_fallocate(file.fileno(), file.tell(), wanted)
            except OSError as error:
                if error.errno != errno.ENOSPC:  # another program took some meanwhile
                    raise
            disk = os.statvfs("/data")
        return disk.f_bavail * disk.f_frsize

    def sleep(self, seconds: int) -> str:
        """Lets the programs find that the phone has slept; returns why that could not be, if so."""
        try:
            sleeping.sleep([pid for pid, _ in self.processes()], seconds)
        except OSError as error:
            return str(error)
        return ""

    def handle(self, message: dict[str, Any], files: list[int]) -> None:
        op = message["op"]
        value: Any = None
        if op in ("spawn", "sync"):
            self.spawn(message, files)
            return
        if op == "signal":
            pid = self.pids.get(message["of"])
            if pid is not None:
                os.kill(pid, message["signal"])
        elif op == "processes":
            value = self.processes()
        elif op == "kill":
            value = self.kill_matching(message["text"], message["signal"])
        elif op == "files":
            value = self.files(message["path"])
        elif op == "fill":
            value = self.fill(message["leave_bytes"])
        elif op == "sleep":
            value = self.sleep(message["seconds"])
        elif op == "clocks":
            namespaces.set_clock_offsets(message["boottime_ns"], message["monotonic_ns"])
        messages.send(self.control, {"event": "reply", "id": message["id"], "value": value})

    def loop(self, wake: socket.socket) -> None:
        poller = select.poll()
        poller.register(self.control, select.POLLIN)
        poller.register(wake, select.POLLIN)
        while True:
            ready = [fd for fd, _ in poller.poll()]
            if wake.fileno() in ready:
                wake.recv(4096)
                self.reap()
            if self.control.fileno() not in ready:
                continue
            received = messages.receive(self.control)
            if received is None:
                return
            message, files = received
            self.handle(message, files)
            for fd in files:
                os.close(fd)


def run(root: Path, message: dict[str, Any], control: socket.socket) -> None:
    """Runs as the first process until the control socket ends; the kernel then kills every other process."""
    try:
        _mount_all(root)
        os.chroot(root)
        os.chdir("/")
        namespaces.set_clock_offsets(message["boottime_ns"], message["monotonic_ns"])
    except OSError as error:
        messages.send(control, {"event": "failed", "reason": str(error)})
        return
    wake, woken = socket.socketpair()
    woken.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken.fileno())
    messages.send(control, {"event": "booted"})
    try:
        _Init(control).loop(wake)
    except BrokenPipeError:
        sys.exit(0)  # the stand-in is gone
