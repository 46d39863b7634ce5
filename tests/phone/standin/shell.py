"""The services `shell:` (version 1), `shell,v2,…:` with streams apart and an exit code, and `exec:`."""

from __future__ import annotations

import fcntl
import os
import re
import selectors
import signal
import socket
import struct
import termios
import threading
from collections.abc import Mapping
from dataclasses import dataclass

from tests.phone.standin.machine import Machine, Program

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN, WINDOW_SIZE = range(6)
_PACKET = struct.Struct("<BI")
_PIECE = 32 * 1024
ENVIRONMENT = {
    "PATH": "/product/bin:/system_ext/bin:/system/bin:/system/xbin:/odm/bin:/vendor/bin:/vendor/xbin",
    "HOME": "/",
    "USER": "shell",
    "LOGNAME": "shell",
    "SHELL": "/system/bin/sh",
    "HOSTNAME": "phone",
    "TMPDIR": "/data/local/tmp",
    "ANDROID_ROOT": "/system",
    "ANDROID_DATA": "/data",
    "EXTERNAL_STORAGE": "/sdcard",
}


@dataclass(frozen=True)
class ShellRequest:
    """What the name of a shell service asks for."""

    command: str  # empty: an interactive shell
    framed: bool  # version 2
    terminal: bool
    term: str = "dumb"


def parse(name: str, *, always_terminal: bool) -> ShellRequest:
    """Reads `shell[,argument…]:command`; old phones give every version-1 shell a terminal."""
    head, _, command = name.partition(":")
    arguments = head.split(",")[1:]
    framed = "v2" in arguments
    terminal = "pty" in arguments or (not command and "raw" not in arguments)
    term = next((word[5:] for word in arguments if word.startswith("TERM=")), "dumb")
    return ShellRequest(command, framed, terminal or (always_terminal and not framed), term)


def _arguments(command: str) -> list[str]:
    return ["sh", "-c", command] if command else ["-sh"]


def run_raw(machine: Machine, command: str, environment: Mapping[str, str]) -> socket.socket:
    """`exec:`, and a modern phone's `shell:`: the socket is input, output and errors; no exit code."""
    ours, theirs = socket.socketpair()
    with theirs:
        fd = theirs.fileno()
        machine.spawn("/system/bin/sh", _arguments(command), {**ENVIRONMENT, **environment}, (fd, fd, fd))
    return ours


class ShellSession:
    """A program between its pipes (or terminal) and the service's socket, as adbd runs it."""

    def __init__(
        self, machine: Machine, request: ShellRequest, environment: Mapping[str, str], sock: socket.socket
    ) -> None:
        self._sock = sock
        self._request = request
        self._selector = selectors.DefaultSelector()
        self._pending = b""  # input that the program has not taken yet
        self._inbox = b""
        self._close_input = False
        self._outputs: dict[int, int] = {}  # fd → packet id
        self._input: int | None
        self._program = self._spawn(machine, {**ENVIRONMENT, **environment, "TERM": request.term})

    def _spawn(self, machine: Machine, environment: Mapping[str, str]) -> Program:
        argv = _arguments(self._request.command)
        if self._request.terminal:
            master, slave = os.openpty()
            try:
                program = machine.spawn("/system/bin/sh", argv, environment, (slave, slave, slave), tty=True)
            finally:
                os.close(slave)
            self._input = master
            self._outputs = {master: STDOUT}
        else:
            (in_read, in_write), (out_read, out_write), (err_read, err_write) = (os.pipe() for _ in range(3))
            theirs = (in_read, out_write, err_write)
            try:
                program = machine.spawn("/system/bin/sh", argv, environment, theirs)
            finally:
                for fd in theirs:
                    os.close(fd)
            self._input = in_write
            self._outputs = {out_read: STDOUT, err_read: STDERR}
        return program

    def run(self) -> None:
        """Until the program's outputs end (then the exit code is told) or the host hangs up (then SIGHUP)."""
        for fd in {*self._outputs, *([self._input] if self._input is not None else [])}:
            os.set_blocking(fd, False)
        self._sock.setblocking(True)
        for fd in self._outputs:
            self._selector.register(fd, selectors.EVENT_READ)
        self._selector.register(self._sock, selectors.EVENT_READ)
        try:
            if self._shuttle():
                code = self._program.wait()
                if self._request.framed and code is not None:
                    self._frame(EXIT, bytes([code]))
            else:
                self._program.signal(signal.SIGHUP)
        except OSError:
            self._program.signal(signal.SIGHUP)
        finally:
            self._selector.close()
            for fd in {*self._outputs, *([self._input] if self._input is not None else [])}:
                os.close(fd)
            self._sock.close()

    def _frame(self, packet: int, data: bytes) -> None:
        self._sock.sendall(_PACKET.pack(packet, len(data)) + data if self._request.framed else data)

    def _watch_input(self) -> None:
        """Waits for room in the program's input while there is something to write."""
        if self._input is None:
            return
        events = selectors.EVENT_READ if self._input in self._outputs else 0
        if self._pending:
            events |= selectors.EVENT_WRITE
        known = self._input in self._selector.get_map()
        if events and known:
            self._selector.modify(self._input, events)
        elif events:
            self._selector.register(self._input, events)
        elif known:
            self._selector.unregister(self._input)

    def _shuttle(self) -> bool:
        """False when the host has hung up."""
        while self._outputs:
            self._watch_input()
            for key, events in self._selector.select():
                if key.fileobj is self._sock:
                    if not self._from_host():
                        return False
                elif events & selectors.EVENT_WRITE:
                    self._flush_input()
                elif isinstance(key.fileobj, int) and key.fileobj in self._outputs:
                    self._from_program(key.fileobj)
        return True

    def _from_program(self, fd: int) -> None:
        try:
            data = os.read(fd, _PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""  # a terminal whose program has ended
        if data:
            self._frame(self._outputs[fd], data)
            return
        self._selector.unregister(fd)
        del self._outputs[fd]
        if fd == self._input:
            self._input = None
        os.close(fd)

    def _from_host(self) -> bool:
        data = self._sock.recv(_PIECE)
        if not data:
            return False
        if not self._request.framed:
            self._pending += data
        else:
            self._inbox += data
            self._unframe()
        self._flush_input()
        return True

    def _unframe(self) -> None:
        while len(self._inbox) >= _PACKET.size:
            packet, length = _PACKET.unpack_from(self._inbox)
            end = _PACKET.size + length
            if len(self._inbox) < end:
                return
            data, self._inbox = self._inbox[_PACKET.size : end], self._inbox[end:]
            if packet == STDIN:
                self._pending += data
            elif packet == CLOSE_STDIN:
                self._close_input = True
            elif packet == WINDOW_SIZE:
                self._resize(data)

    def _resize(self, data: bytes) -> None:
        size = re.match(rb"(\d+)x(\d+),(\d+)x(\d+)", data)
        if size and self._request.terminal and self._input is not None:
            fcntl.ioctl(self._input, termios.TIOCSWINSZ, struct.pack("4H", *map(int, size.groups())))

    def _flush_input(self) -> None:
        if self._input is None:
            self._pending = b""
            return
        try:
            while self._pending:
                self._pending = self._pending[os.write(self._input, self._pending) :]
        except BlockingIOError:
            return
        except OSError:
            self._pending = b""  # the program reads no more
            self._close_input = True
        if self._close_input and self._input not in self._outputs:
            if self._input in self._selector.get_map():
                self._selector.unregister(self._input)
            os.close(self._input)
            self._input = None


def start(machine: Machine, request: ShellRequest, environment: Mapping[str, str]) -> socket.socket:
    """Starts a shell service; returns the host's end of its socket."""
    if not request.framed and not request.terminal:
        return run_raw(machine, request.command, environment)
    ours, theirs = socket.socketpair()
    try:
        session = ShellSession(machine, request, environment, theirs)
    except BaseException:
        ours.close()
        theirs.close()
        raise
    threading.Thread(target=session.run, name=f"shell {request.command[:40]}", daemon=True).start()
    return ours
