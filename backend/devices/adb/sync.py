"""Files to and from a phone by adb's sync protocol."""

from __future__ import annotations

import stat
import struct
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from as2d.backend.devices.adb.connection import (
    ANSWER_SECONDS,
    STALL_SECONDS,
    AdbConnection,
    AdbTarget,
    TransportLost,
    features_of,
    open_service,
)
from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancel

BLOCK_BYTES = 64 * 1024
"""The most data that one message of the protocol carries."""
BLOCK_HEADER = struct.Struct("<4sI")
"""The protocol's message: four letters and a number, mostly the length of what follows."""

_STAT1 = struct.Struct("<III")  # mode, size, mtime
_STAT2 = struct.Struct("<IQQIIIIQqqq")  # error, dev, ino, mode, nlink, uid, gid, size, atime, mtime, ctime
_AT_ONCE = 64  # requests on the way; their answers fit into any buffer between here and the phone
_LONGEST_NAME = 1024
_LONGEST_REASON = 1 << 16
_SLOWEST_BYTES_PER_SECOND = 64 * 1024  # of a link whose rate is not known yet


class SyncFailed(HelperFailed):
    """The phone refuses to read or write a file; `reason` is what it said."""

    def __init__(self, target: AdbTarget, path: str, reason: str) -> None:
        super().__init__(
            f"The phone {target.name} cannot read or write {path} ({reason}); see `as2d phone status`."
        )
        self.reason = reason

    @property
    def out_of_space(self) -> bool:
        """Whether the phone has no room."""
        return says_out_of_space(self.reason)


def says_out_of_space(text: str) -> bool:
    """Whether a program's words tell of a full disk."""
    return any(words in text for words in ("No space left", "Disk quota exceeded", "ENOSPC"))


@dataclass(frozen=True)
class RemoteStat:
    """A file on the phone; times in seconds. `inode` and `changed` are None without stat v2."""

    mode: int
    size: int
    modified: int
    changed: int | None = None
    inode: int | None = None

    def has_size(self, size: int) -> bool:
        """Whether it has this size, as far as its kind of stat can tell."""
        return self.size == (size if self.inode is not None else size & 0xFFFFFFFF)

    @property
    def is_file(self) -> bool:
        """Whether it is a regular file."""
        return stat.S_ISREG(self.mode)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder."""
        return stat.S_ISDIR(self.mode)

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return stat.S_ISLNK(self.mode)


class SyncClient:
    """One sync connection; use it on one thread and as a context manager.

    After a `SyncFailed` of `send` or `settle` it cannot be used any more. Names on the phone are encoded as
    UTF-8 and counted in bytes.
    """

    def __init__(
        self, target: AdbTarget, connection: AdbConnection, features: frozenset[str], stall_seconds: float
    ) -> None:
        """Used by `open`."""
        self._target = target
        self._stall_seconds = stall_seconds
        self._connection = connection
        self._stat2 = "stat_v2" in features
        self._list2 = "ls_v2" in features
        self._unconfirmed: deque[tuple[str, int]] = deque()
        self._sent_bytes = 0
        self._confirmed_bytes = 0
        self._first_sent: float | None = None
        self.confirmed = 0
        """How many of the files that were sent are on the phone."""

    @classmethod
    def open(
        cls,
        target: AdbTarget,
        *,
        features: frozenset[str] | None = None,
        cancel: Cancel | None = None,
        stall_seconds: float = STALL_SECONDS,
    ) -> SyncClient:
        """Connect; `features` are the phone's, if the caller has them. `cancel` ends every later wait too.

        A transfer in which no byte moves for `stall_seconds` has lost its phone.

        Raises:
            TransportLost: the phone is out of reach.
            Cancelled: the cancel question was answered with yes.
        """
        known = features if features is not None else features_of(target, cancel=cancel)
        return cls(target, open_service(target, "sync:", cancel=cancel), known, stall_seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def stat(self, path: str) -> RemoteStat | None:
        """The file that a name means, None if there is none; see `stat_all`."""
        return self.stat_all([path])[0]

    def stat_all(self, paths: Sequence[str], *, follow: bool = True) -> list[RemoteStat | None]:
        """The files that names mean, in one round trip; None where there is none.

        With `follow` symbolic links are followed; phones without stat v2 never follow them, and tell sizes
        modulo 4 GiB.

        Raises:
            TransportLost, Cancelled: as every wait.
        """
        kind = (b"STA2" if follow else b"LST2") if self._stat2 else b"STAT"
        found: list[RemoteStat | None] = []
        for start in range(0, len(paths), _AT_ONCE):
            batch = paths[start : start + _AT_ONCE]
            self._connection.send(b"".join(self._request(kind, path) for path in batch))
            found += [self._read_stat(kind) for _ in batch]
        return found

    def entries(self, folder: str) -> dict[str, RemoteStat]:
        """The files in a folder by name; empty if there is no such folder. Links are not followed."""
        kind = b"LIS2" if self._list2 else b"LIST"
        entry, layout = (b"DNT2", _STAT2) if self._list2 else (b"DENT", _STAT1)
        self._connection.send(self._request(kind, folder))
        found: dict[str, RemoteStat] = {}
        while True:
            answer = self._connection.receive_exactly(4)
            fields = self._connection.receive_exactly(layout.size)
            (length,) = struct.unpack("<I", self._connection.receive_exactly(4))
            if answer == b"DONE":
                return found
            if answer != entry or length > _LONGEST_NAME:
                raise self._connection.lost()
            name = self._connection.receive_exactly(length).decode("utf-8", "surrogateescape")
            status = _parse(fields)
            if status is not None and name not in (".", ".."):
                found[name] = status

    def read(self, path: str, sink: Callable[[bytes], object]) -> int:
        """Give a file's bytes to `sink`, block by block; how many there were.

        Raises:
            SyncFailed: the phone cannot read it.
            TransportLost, Cancelled: as every wait.
        """
        self._connection.send(self._request(b"RECV", path))
        count = 0
        while True:
            kind, length = BLOCK_HEADER.unpack(self._connection.receive_exactly(8))
            if kind == b"DONE":
                return count
            if kind == b"FAIL":
                raise SyncFailed(self._target, path, self._reason(length))
            if kind != b"DATA" or length > BLOCK_BYTES:
                raise self._connection.lost()
            sink(self._connection.receive_exactly(length, seconds=self._stall_seconds))
            count += length

    def read_bytes(self, path: str) -> bytes:
        """A whole small file; as `read`."""
        content = bytearray()
        self.read(path, content.extend)
        return bytes(content)

    def send(
        self,
        path: str,
        messages: Iterable[memoryview],
        *,
        mode: int = 0o644,
        on_sent: Callable[[int], None] | None = None,
    ) -> None:
        """Send a file without waiting until the phone has it: `settle` does.

        `messages` are blocks of at most 64 KiB behind `BLOCK_HEADER.size` bytes of room for their headers,
        which are filled in here. `on_sent` gets the size of each block that left.

        Raises:
            SyncFailed: the phone cannot write it, or one of the files before.
            TransportLost: the connection was lost, or nothing moved for too long.
            Cancelled: the cancel question was answered with yes.
        """
        if self._first_sent is None:
            self._first_sent = time.monotonic()
        try:
            size = self._send_blocks(path, messages, mode, on_sent)
        except TransportLost:
            # A phone that refuses may close at once: its reason has arrived all the same.
            if self._connection.has_arrived():
                self._take_answer(path)
            raise
        self._unconfirmed.append((path, size))
        self._sent_bytes += size

    def _send_blocks(
        self,
        path: str,
        messages: Iterable[memoryview],
        mode: int,
        on_sent: Callable[[int], None] | None,
    ) -> int:
        self._connection.send(self._request(b"SEND", f"{path},{stat.S_IFREG | mode}"))
        size = 0
        for message in messages:
            length = len(message) - BLOCK_HEADER.size
            BLOCK_HEADER.pack_into(message, 0, b"DATA", length)
            self._connection.send(message, seconds=self._stall_seconds)
            size += length
            if self._connection.has_arrived():
                self._take_answer(path)
            if on_sent is not None:
                on_sent(length)
        self._connection.send(BLOCK_HEADER.pack(b"DONE", int(time.time())))
        return size

    def settle(self, left: int = 0) -> None:
        """Wait until all but `left` of the files that were sent are on the phone; raises as `send`."""
        while len(self._unconfirmed) > left:
            self._take_answer(self._unconfirmed[0][0])

    def _take_answer(self, path: str) -> None:
        kind, length = BLOCK_HEADER.unpack(
            self._connection.receive_exactly(BLOCK_HEADER.size, seconds=self._patience())
        )
        name = self._unconfirmed[0][0] if self._unconfirmed else path
        if kind == b"FAIL":
            raise SyncFailed(self._target, name, self._reason(length))
        if kind != b"OKAY" or not self._unconfirmed:
            raise self._connection.lost()
        self._confirmed_bytes += self._unconfirmed.popleft()[1]
        self.confirmed += 1

    def _patience(self) -> float:
        """How long a confirmation may take: what is on the way has to arrive first."""
        on_the_way = self._sent_bytes - self._confirmed_bytes
        took = time.monotonic() - (self._first_sent or 0.0)
        rate = max(self._confirmed_bytes / took / 4 if took > 0 else 0.0, _SLOWEST_BYTES_PER_SECOND)
        return self._stall_seconds + on_the_way / rate

    def _read_stat(self, kind: bytes) -> RemoteStat | None:
        answer = self._connection.receive_exactly(4)
        if answer != kind:
            raise self._connection.lost()
        layout = _STAT2 if self._stat2 else _STAT1
        return _parse(self._connection.receive_exactly(layout.size))

    def _request(self, kind: bytes, path: str) -> bytes:
        name = path.encode("utf-8", "surrogateescape")
        if len(name) > _LONGEST_NAME:
            raise HelperFailed(
                f"The name {path[:40]}… on the phone {self._target.name} is longer than adb takes "
                f"({_LONGEST_NAME} bytes); choose a shorter one."
            )
        return BLOCK_HEADER.pack(kind, len(name)) + name

    def _reason(self, length: int) -> str:
        if length > _LONGEST_REASON:
            raise self._connection.lost()
        text = self._connection.receive_exactly(length, seconds=ANSWER_SECONDS)
        return text.decode("utf-8", "replace").strip()


def _parse(fields: bytes) -> RemoteStat | None:
    if len(fields) == _STAT1.size:
        mode, size, modified = _STAT1.unpack(fields)
        return RemoteStat(mode, size, modified) if mode else None
    error, _, inode, mode, _, _, _, size, _, modified, changed = _STAT2.unpack(fields)
    return None if error else RemoteStat(mode, size, modified, changed, inode)
