"""The phone's side of adb's file transfer (`sync:`), versions 1 and 2, as adbd answers it.

Runs in a process of the phone, so that paths, links, permissions and a full disk are those of the phone.
Numbers are little endian. Compressed transfers are not among the stand-in's features and are refused.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
from collections.abc import Callable
from pathlib import Path

LARGEST_CHUNK = 64 * 1024
LONGEST_PATH = 1024
_DRY_RUN = 0x8000_0000
_STAT2 = struct.Struct("<4sIQQIIIIQqqq")


class _Ended(Exception):
    """The host has hung up, or sent what is no request."""


class _Wire:
    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._file = sock.makefile("rb", buffering=256 * 1024)

    def read(self, count: int) -> bytes:
        data: bytes = self._file.read(count)
        if len(data) < count:
            raise _Ended
        return data

    def request(self) -> tuple[bytes, int]:
        name, value = struct.unpack("<4sI", self.read(8))
        return name, value

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def fail(self, text: str) -> None:
        data = text.encode()
        self.send(struct.pack("<4sI", b"FAIL", len(data)) + data)

    def fail_errno(self, what: str, error: OSError) -> None:
        self.fail(f"{what}: {error.strerror}")


def _stat_v1(wire: _Wire, path: str) -> None:
    try:
        found = os.lstat(path)
        fields = (found.st_mode, found.st_size & 0xFFFF_FFFF, int(found.st_mtime) & 0xFFFF_FFFF)
    except OSError:
        fields = (0, 0, 0)
    wire.send(struct.pack("<4sIII", b"STAT", *fields))


def _stat2_fields(path: str, look: Callable[[str], os.stat_result]) -> tuple[int, ...]:
    try:
        s = look(path)
    except OSError as error:
        return (error.errno or errno.EIO, *[0] * 10)
    owner = (s.st_mode, s.st_nlink, s.st_uid, s.st_gid)
    return (0, s.st_dev, s.st_ino, *owner, s.st_size, int(s.st_atime), int(s.st_mtime), int(s.st_ctime))


def _list(wire: _Wire, path: str, second: bool) -> None:
    try:
        entries = sorted(Path(path).iterdir())
    except OSError:
        entries = []
    for entry in entries:
        data = os.fsencode(entry.name)
        fields = _stat2_fields(str(entry), os.lstat)
        if second:
            wire.send(_STAT2.pack(b"DNT2", *fields) + struct.pack("<I", len(data)) + data)
        elif fields[0] == 0:
            size, mtime = fields[7] & 0xFFFF_FFFF, fields[9] & 0xFFFF_FFFF
            wire.send(struct.pack("<4sIIII", b"DENT", fields[3], size, mtime, len(data)) + data)
    wire.send(b"DONE" + bytes(_STAT2.size if second else 16))


def _discard(wire: _Wire) -> None:
    """Reads on until the host has noticed the failure."""
    while True:
        name, value = wire.request()
        if name != b"DATA":
            return
        wire.read(value)


def _send_link(wire: _Wire, path: str) -> None:
    name, value = wire.request()
    if name != b"DATA" or value > LARGEST_CHUNK:
        raise _Ended
    target = wire.read(value).rstrip(b"\0")
    try:
        _make_folders(path)
        Path(path).symlink_to(os.fsdecode(target))
    except OSError as error:
        wire.fail_errno("symlink failed", error)
        _discard(wire)
        return
    while wire.request()[0] != b"DONE":
        raise _Ended
    wire.send(struct.pack("<4sI", b"OKAY", 0))


def _make_folders(path: str) -> None:
    """The folders above `path`, as adbd makes them."""
    folder = Path(path).parent
    if not folder.is_dir():
        _make_folders(str(folder))
        folder.mkdir(0o775, exist_ok=True)


def _create(path: str, mode: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags, mode)
    except FileNotFoundError:
        _make_folders(path)
        return os.open(path, flags, mode)
    except FileExistsError:  # another push made it meanwhile
        return os.open(path, os.O_WRONLY | os.O_CLOEXEC)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def _send_file(wire: _Wire, path: str, mode: int, dry_run: bool) -> None:
    replaced = not os.path.lexists(path) or stat.S_IFMT(os.lstat(path).st_mode) in (
        stat.S_IFREG,
        stat.S_IFLNK,
    )
    fd = -1
    if not dry_run:
        try:
            if replaced:
                Path(path).unlink(missing_ok=True)
            fd = _create(path, mode)
        except OSError as error:
            wire.fail_errno("couldn't create file", error)
            _discard(wire)
            return
    complete = False
    try:
        while True:
            name, value = wire.request()
            if name == b"DONE":
                break
            if name != b"DATA" or value > LARGEST_CHUNK:
                wire.fail("invalid data message" if name != b"DATA" else "oversize data message")
                raise _Ended
            data = wire.read(value)
            if dry_run:
                continue
            try:
                _write_all(fd, data)
            except OSError as error:
                wire.fail_errno("write failed", error)
                _discard(wire)
                return
        if not dry_run:
            os.fchmod(fd, mode)
            os.utime(fd, (value, value))
        complete = True
    finally:
        if fd >= 0:
            os.close(fd)
            if not complete and replaced:
                Path(path).unlink(missing_ok=True)
    wire.send(struct.pack("<4sI", b"OKAY", 0))


def _send(wire: _Wire, path: str, mode: int, flags: int = 0) -> None:
    if flags & ~_DRY_RUN:
        wire.fail("compression is not supported")
        _discard(wire)
        return
    if stat.S_ISLNK(mode):
        _send_link(wire, path)
        return
    # As adbd does: group and others get what the owner has.
    mode = (mode | mode >> 3 & 0o070 | mode >> 3 & 0o007) & 0o777
    _send_file(wire, path, mode, bool(flags & _DRY_RUN))


def _receive(wire: _Wire, path: str) -> None:
    try:
        with open(path, "rb", buffering=0) as file:
            while data := file.read(LARGEST_CHUNK):
                wire.send(struct.pack("<4sI", b"DATA", len(data)) + data)
    except OSError as error:
        wire.fail_errno("read failed" if error.errno == errno.EISDIR else "open failed", error)
        return
    wire.send(struct.pack("<4sI", b"DONE", 0))


def _answer(wire: _Wire, name: bytes, path: str, features: set[str]) -> None:
    look = {b"STA2": os.stat, b"LST2": os.lstat}
    if name == b"STAT":
        _stat_v1(wire, path)
    elif name in look and "stat_v2" in features:
        wire.send(_STAT2.pack(name, *_stat2_fields(path, look[name])))
    elif name == b"LIST" or (name == b"LIS2" and "ls_v2" in features):
        _list(wire, path, name == b"LIS2")
    elif name == b"SEND":
        path, _, mode = path.rpartition(",")
        _send(wire, path, int(mode))
    elif name == b"SND2" and "sendrecv_v2" in features:
        _, mode2, flags = struct.unpack("<4sII", wire.read(12))
        _send(wire, path, mode2, flags)
    elif name == b"RECV":
        _receive(wire, path)
    elif name == b"RCV2" and "sendrecv_v2" in features:
        _, flags = struct.unpack("<4sI", wire.read(8))
        if flags:
            wire.fail("compression is not supported")
        else:
            _receive(wire, path)
    else:
        wire.fail(f"unknown command {name.decode('ascii', 'replace')}")
        raise _Ended


def serve(sock: socket.socket, features: set[str]) -> None:
    """Answers requests until the host quits or hangs up."""
    wire = _Wire(sock)
    try:
        while True:
            name, length = wire.request()
            if name == b"QUIT":
                return
            if length > LONGEST_PATH:
                wire.fail("path too long")
                return
            _answer(wire, name, os.fsdecode(wire.read(length)), features)
    except (_Ended, BrokenPipeError, ConnectionResetError):
        return
