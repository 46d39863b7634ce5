"""Pushes one file so that an interrupted push goes on where it stopped.

The sync protocol cannot append, and the phone deletes a file whose sending broke off. A file that
takes longer than a moment therefore goes in pieces. The phone confirms each, and a shell command
that runs beside the transfer writes it to its position in one `.part` file, whose size is what has
arrived. Writing by position and not at the end makes it harmless when the command of a push that
was cut off still finishes a piece. The caller checks the hash of the whole file, so whatever else
happened to it is found. Every name holds that of the computer that pushes, so that two may push the same file
at once.
"""

from __future__ import annotations

import secrets
import shlex
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from as2d.backend.devices.adb.connection import STALL_SECONDS, AdbTarget, TransportLost
from as2d.backend.devices.adb.incoming import Silence
from as2d.backend.devices.adb.places import INCOMING
from as2d.backend.devices.adb.shell import ShellStream, run
from as2d.backend.devices.adb.sync import (
    BLOCK_BYTES,
    BLOCK_HEADER,
    SyncClient,
    SyncFailed,
    says_out_of_space,
)
from as2d.backend.errors import HelperFailed, InputRefused, OutOfSpace
from as2d.backend.models.progress import Cancel

SMALLEST_PIECE, LARGEST_PIECE = 4 << 20, 32 << 20
"""A piece takes about half a second; two pieces are lost at most when a push is cut off."""

_PIECE_SECONDS = 0.5
_MOMENT_SECONDS = 2.0  # what takes no longer is sent in one go, which spares the phone the writing twice
_WRITE_BLOCK = 1 << 20  # pieces begin at a multiple of it
_PIECES_ON_THE_WAY = 1  # while the next is being sent, so that no round trip is waited for
_WRITE_SECONDS = 60.0  # for a piece, by far slower than any phone's storage

_WRITER = """\
cd {folder} || exit 1
while read -r piece position; do
  said=$(dd if=$piece of={part} bs={block} seek=$position conv=notrunc 2>&1) ||
    {{ echo "$said" >&2; exit 1; }}
  rm -f $piece
  echo $piece
done
"""


class PhoneFile:
    """What is to be pushed: a local file with the size and SHA-256 that it must have.

    `pusher` is this computer's name, see `pusher_name`.
    """

    def __init__(self, local: Path, size: int, sha256: str, pusher: str) -> None:
        self.local = local
        self.size = size
        self.sha256 = sha256
        self.prefix = f"{sha256}.{pusher}."
        """How the names of all that has arrived of it begin."""

    @property
    def part(self) -> str:
        """Where it grows on the phone."""
        return f"{INCOMING}/{self.prefix}part"


def arrived_bytes(sync: SyncClient, file: PhoneFile) -> int:
    """How much of a file is there from a push that was cut off; whole megabytes, or all."""
    status = sync.stat(file.part)
    if status is None or not status.is_file or status.size > file.size:
        return 0
    if status.inode is None and file.size > 0xFFFFFFFF:  # its size is not known for sure
        return 0
    return status.size if status.size == file.size else status.size - status.size % _WRITE_BLOCK


def push_file(
    target: AdbTarget,
    file: PhoneFile,
    *,
    features: frozenset[str],
    on_arrived: Callable[[int], None],
    cancel: Cancel | None = None,
    stall_seconds: float = STALL_SECONDS,
) -> str:
    """Bring a file to `incoming/` on the phone; where it is then, complete in size, its hash not yet checked.

    `on_arrived` gets how many bytes were sent, those of earlier pushes included. The caller deletes what else
    is in `incoming/` with a name that begins with the file's prefix.

    Raises:
        OutOfSpace: the phone is full; what had arrived of this file was deleted.
        InputRefused: the local file is not what it was said to be.
        TransportLost: the phone got lost; what arrived is kept.
        HelperFailed: the phone cannot write.
        Cancelled: the cancel question was answered with yes; what arrived is kept.
    """
    push = _Push(target, file, features, on_arrived, cancel, stall_seconds)
    try:
        return push.complete()
    except _PhoneFull as full:
        push.discard()
        raise out_of_space(target, file.local.name) from full


def out_of_space(target: AdbTarget, what: str) -> OutOfSpace:
    """The error for a phone that became full."""
    return OutOfSpace(
        f"The phone {target.name} has no space left for {what}; delete something on it, or everything of "
        "AS²D with `as2d phone clean`, and try again."
    )


class _PhoneFull(Exception):
    pass


def _piece_size(rate: float) -> int:
    """How large the next piece is on a link of so many bytes per second."""
    bounded = min(max(int(rate * _PIECE_SECONDS), SMALLEST_PIECE), LARGEST_PIECE)
    return bounded - bounded % _WRITE_BLOCK


class _Push:
    def __init__(
        self,
        target: AdbTarget,
        file: PhoneFile,
        features: frozenset[str],
        on_arrived: Callable[[int], None],
        cancel: Cancel | None,
        stall_seconds: float,
    ) -> None:
        self._stall_seconds = stall_seconds
        self._target = target
        self._file = file
        self._features = features
        self._on_arrived = on_arrived
        self._cancel = cancel
        self._done = 0
        self._shown = 0
        self._first = 0
        self._rate = 0.0

    def complete(self) -> str:
        with SyncClient.open(
            self._target,
            features=self._features,
            cancel=self._cancel,
            stall_seconds=self._stall_seconds,
        ) as sync:
            self._done = arrived_bytes(sync, self._file)
            self._on_arrived(self._done)
            if self._done == self._file.size > 0:
                return self._file.part
            try:
                with self._file.local.open("rb") as source:
                    if self._done == 0 and self._file.size <= SMALLEST_PIECE:
                        return self._send_whole(sync, source)
                    first = self._send_first(sync, source)
                    if self._takes_a_moment():
                        self._done = 0
                        return self._send_whole(sync, source)
                    self._send_pieces(sync, source, first)
                    return self._file.part
            except SyncFailed as error:
                if error.out_of_space:
                    raise _PhoneFull from error
                raise

    def discard(self) -> None:
        """Delete what arrived of the file."""
        pattern = f"{INCOMING}/{self._file.prefix}"
        script = f"rm -f {shlex.quote(pattern)}*"
        run(self._target, ["sh", "-c", script], features=self._features, cancel=self._cancel)

    def _send_first(self, sync: SyncClient, source: BinaryIO) -> str:
        """Send a small piece, which tells how fast the link is; its name."""
        share = self._file.size // 16
        size = min(max(share - share % _WRITE_BLOCK, _WRITE_BLOCK), SMALLEST_PIECE)
        end = min(self._done + size, self._file.size)
        name = self._piece_name(self._done)
        began, self._first = time.monotonic(), self._done
        sync.send(f"{INCOMING}/{name}", self._messages(source, self._done, end), on_sent=self._sent)
        sync.settle()
        self._rate = (end - self._first) / max(time.monotonic() - began, 1e-6)
        return name

    def _takes_a_moment(self) -> bool:
        return self._first == 0 and self._file.size / self._rate <= _MOMENT_SECONDS

    def _piece_name(self, begin: int) -> str:
        return f"{self._file.prefix}{begin}.{secrets.token_hex(4)}"

    def _send_whole(self, sync: SyncClient, source: BinaryIO) -> str:
        # A name of its own: the phone may still delete the one of a push that was cut off.
        path = f"{INCOMING}/{self._file.prefix}{secrets.token_hex(4)}"
        sync.send(path, self._messages(source, 0, self._file.size), on_sent=self._sent)
        sync.settle()
        return path

    def _send_pieces(self, sync: SyncClient, source: BinaryIO, first: str) -> None:
        script = _WRITER.format(folder=INCOMING, part=f"{self._file.prefix}part", block=_WRITE_BLOCK)
        with ShellStream.open(
            self._target, ["sh", "-c", script], features=self._features, cancel=self._cancel
        ) as stream:
            writer = _Writer(stream, self._target, self._file.local.name)
            writer.add(first, self._first)
            writer.hand_over(sync.confirmed)

            def sent(count: int) -> None:
                self._sent(count)
                writer.hand_over(sync.confirmed)

            began, start = time.monotonic(), self._done
            while self._done < self._file.size:
                begin = self._done
                end = min(begin + _piece_size(self._rate), self._file.size)
                name = self._piece_name(begin)
                writer.add(name, begin)
                sync.send(f"{INCOMING}/{name}", self._messages(source, begin, end), on_sent=sent)
                sync.settle(_PIECES_ON_THE_WAY if end < self._file.size else 0)
                writer.hand_over(sync.confirmed)
                self._rate = (self._done - start) / max(time.monotonic() - began, 1e-6)
            writer.finish(self._cancel)

    def _sent(self, count: int) -> None:
        self._done += count
        self._shown = max(self._shown, self._done)  # a first piece that was only a trial is sent again
        self._on_arrived(self._shown)

    def _messages(self, source: BinaryIO, begin: int, end: int) -> Iterator[memoryview]:
        """The bytes from `begin` to `end` as blocks behind room for a header, all in the same memory."""
        memory = memoryview(bytearray(BLOCK_HEADER.size + BLOCK_BYTES))
        source.seek(begin)
        for start in range(begin, end, BLOCK_BYTES):
            message = memory[: BLOCK_HEADER.size + min(BLOCK_BYTES, end - start)]
            filled = BLOCK_HEADER.size
            while filled < len(message):
                count = source.readinto(message[filled:])  # type: ignore[attr-defined]
                if not count:
                    raise InputRefused(
                        f"{self._file.local} became shorter while it was pushed; push it again."
                    )
                filled += count
            yield message


class _Writer:
    """The command on the phone that puts pieces to their positions."""

    def __init__(self, stream: ShellStream, target: AdbTarget, name: str) -> None:
        self._stream = stream
        self._target = target
        self._name = name
        self._lines: list[bytes] = []
        self._handed = 0

    def add(self, piece: str, begin: int) -> None:
        """A piece that is sent now, and its place in the file in bytes."""
        self._lines.append(f"{piece} {begin // _WRITE_BLOCK}\n".encode())

    def hand_over(self, confirmed: int) -> None:
        """Let it put the pieces to their places of which the phone confirmed the first `confirmed`."""
        while self._handed < confirmed:
            try:
                self._stream.write(self._lines[self._handed])
            except BrokenPipeError:
                raise self._failure() from None
            self._handed += 1

    def finish(self, cancel: Cancel | None) -> None:
        """Wait until all pieces are in their places."""
        lines = self._stream.stdout.lines(_WRITE_SECONDS, cancel)
        try:
            for _ in self._lines:
                if next(lines, None) is None:
                    raise self._failure()
        except Silence:
            raise TransportLost(
                f"The phone {self._target.name} did not write to its storage for {_WRITE_SECONDS:.0f} s; "
                "restart it and push again."
            ) from None

    def _failure(self) -> Exception:
        self._stream.wait(STALL_SECONDS)
        if self._stream.exit_code is None:
            return self._stream.problem or TransportLost(
                f"The phone {self._target.name} did not answer; connect it again and push again."
            )
        words = self._stream.stderr.read_all().decode("utf-8", "replace").strip()
        if says_out_of_space(words):
            return _PhoneFull()
        reason = words.splitlines()[-1] if words else f"exit status {self._stream.exit_code}"
        return HelperFailed(
            f"The phone {self._target.name} cannot put {self._name} together ({reason}); "
            "run `as2d phone clean` and push again."
        )
