"""How a command's input, output, error output and exit code share one connection to a phone."""

from __future__ import annotations

import secrets
import shlex
import struct
from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

Stream = Literal["stdout", "stderr"]
Piece = tuple[Stream, bytes] | int
"""Output of the command, or its exit code, after which nothing comes."""

_HEADER = struct.Struct("<BI")
_STDIN, _STDOUT, _STDERR, _EXIT, _CLOSE_STDIN, _WINDOW_SIZE = range(6)
_INPUT_BYTES = 32 * 1024


class ShellCodec(Protocol):
    """One way to run a command on a phone."""

    services: Sequence[str]
    """The services to ask the phone for: the first that it grants is used."""

    def encode(self, data: bytes) -> bytes:
        """What to send so that the command reads `data` on its input."""

    def encode_end(self) -> bytes:
        """What to send so that the command's input ends."""

    def decode(self, block: bytes) -> Iterator[Piece]:
        """What a block of received bytes holds; raises ValueError if it is not this way's."""


class PacketCodec:
    """Shell protocol v2: packets of an id (0 input, 1 output, 2 error output, 3 exit code, 4 end of input),
    a length (32 bit, little endian) and that many bytes.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.services: Sequence[str] = (f"shell,v2,raw:{shlex.join(command)}",)
        self._rest = bytearray()
        self._ended = False

    def encode(self, data: bytes) -> bytes:
        """The data in packets of at most 32 KiB."""
        cuts = range(0, len(data), _INPUT_BYTES)
        parts = (data[start : start + _INPUT_BYTES] for start in cuts)
        return b"".join(_HEADER.pack(_STDIN, len(part)) + part for part in parts)

    def encode_end(self) -> bytes:
        """The packet that closes the input."""
        return _HEADER.pack(_CLOSE_STDIN, 0)

    def decode(self, block: bytes) -> Iterator[Piece]:
        """Whole packets; of a packet of output that is still arriving, what is there.

        Raises:
            ValueError: this is not the protocol.
        """
        self._rest += block
        while len(self._rest) >= _HEADER.size and not self._ended:
            kind, length = _HEADER.unpack_from(self._rest)
            if kind > _WINDOW_SIZE:
                raise ValueError(kind)
            there = bytes(self._rest[_HEADER.size : _HEADER.size + length])
            if len(there) < length and (kind not in (_STDOUT, _STDERR) or not there):
                return
            del self._rest[: _HEADER.size + len(there)]
            if len(there) < length:
                self._rest[:0] = _HEADER.pack(kind, length - len(there))
            if kind == _STDOUT:
                yield "stdout", there
            elif kind == _STDERR:
                yield "stderr", there
            elif kind == _EXIT:
                self._ended = True
                yield there[0] if there else 0
            if len(there) < length:
                return


# The error output waits in a file without a name until the output has ended. `print -r` passes lines on where
# it exists, since `echo` changes backslashes and `printf` may be a program.
_ERROR_FILE = """\
f=/data/local/tmp/as2d-{mark}
if (: >$f) 2>/dev/null; then exec 9>$f 8<$f; rm -f $f; else exec 9>/dev/null 8</dev/null; fi
"""
_MARKED = "{{ {command} 2>&9 {input}; echo {mark}:$?; cat <&8; echo {mark}:0; }}"
_FEED = """\
if (print -r x) >/dev/null 2>&1; then p() {{ print -r -- "$1"; }}; else p() {{ printf '%s\\n' "$1"; }}; fi
while IFS= read -r l && [ "$l" != {mark} ]; do p "$l"; done | """


class MarkerCodec:
    """Phones without shell v2 (before Android 7): one stream for everything.

    A random marker parts the output, the exit code and the error output, which comes last. Input is text in
    lines; a line that is the marker ends it.
    """

    def __init__(self, command: Sequence[str], *, with_input: bool) -> None:
        self._mark = f"as2d-{secrets.token_hex(16)}"
        script = _ERROR_FILE.format(mark=self._mark)
        if with_input:
            script += _FEED.format(mark=self._mark)
        script += _MARKED.format(
            mark=self._mark, command=shlex.join(command), input="" if with_input else "</dev/null"
        )
        # Phones from before `exec:` have a terminal behind `shell:`, which would echo the input.
        self.services: Sequence[str] = (
            (f"exec:{script}",) if with_input else (f"exec:{script}", f"shell:{script}")
        )
        self._separator = f"{self._mark}:".encode()
        self._rest = b""
        self._code: int | None = None
        self._last = b"\n"
        self._ended = False

    def encode(self, data: bytes) -> bytes:
        """The data as they are."""
        self._last = data[-1:] or self._last
        return data

    def encode_end(self) -> bytes:
        """The line that ends the input; a last line without a line feed gets one."""
        return (b"" if self._last == b"\n" else b"\n") + self._mark.encode() + b"\n"

    def decode(self, block: bytes) -> Iterator[Piece]:
        """Output up to what may be the beginning of a marker."""
        self._rest += block
        while not self._ended:
            stream: Stream = "stdout" if self._code is None else "stderr"
            at = self._rest.find(self._separator)
            if at < 0:
                keep = _overlap(self._rest, self._separator)
                ready, self._rest = self._rest[: len(self._rest) - keep], self._rest[len(self._rest) - keep :]
                if ready:
                    yield stream, ready
                return
            if at:
                yield stream, self._rest[:at]
                self._rest = self._rest[at:]
            line, feed, rest = self._rest.partition(b"\n")
            if not feed:
                return
            if self._code is not None:
                self._ended = True
                yield self._code
                return
            self._code = int(line[len(self._separator) :].strip())
            self._rest = rest


def _overlap(data: bytes, mark: bytes) -> int:
    """Length of the longest end of `data` that `mark` begins with."""
    for length in range(min(len(data), len(mark)), 0, -1):
        if data.endswith(mark[:length]):
            return length
    return 0
