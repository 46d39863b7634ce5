"""What a WAV header says, read without trusting it."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_HEADER_LIMIT = 64  # chunks; a real header has a handful
# Sizes that writers leave when they do not know the length (a pipe, a crash).
_UNKNOWN_SIZES = (0, 0x7FFFFFFF, 0x80000000)
_NEARLY_4_GIB = 0xFFFFFF00
# Formats that store samples as they are: integers, floats, and either with an extended header.
_SAMPLE_TAGS = (1, 3, 0xFFFE)


@dataclass(frozen=True)
class WavHeader:
    """Fields of the format chunk, and how many bytes of sound the data chunk claims (None: unknown)."""

    tag: int
    channels: int
    rate: int
    bytes_per_second: int
    bits: int
    data_offset: int | None
    data_bytes: int | None


def is_wav(head: bytes) -> bool:
    """True for RIFF/WAVE, also when the file is cut off within these first words."""
    return head[:4] == b"RIFF" and head[8:12] == b"WAVE"[: max(0, len(head) - 8)]


def read_wav_header(head: bytes) -> WavHeader | None:
    """Parse the beginning of a RIFF/WAVE file; None when `head` is not one or holds no format chunk."""
    if not is_wav(head):
        return None
    fmt: tuple[int, int, int, int, int] | None = None
    position = 12
    for _ in range(_HEADER_LIMIT):
        if position + 8 > len(head):
            break
        name, size = struct.unpack_from("<4sI", head, position)
        body = position + 8
        if name == b"fmt " and body + 16 <= len(head):
            tag, channels, rate, bytes_per_second, _, bits = struct.unpack_from("<HHIIHH", head, body)
            fmt = (tag, channels, rate, bytes_per_second, bits)
        if name == b"data" and fmt is not None:
            known = size not in _UNKNOWN_SIZES and size < _NEARLY_4_GIB
            return WavHeader(*fmt, data_offset=body, data_bytes=size if known else None)
        position = body + size + size % 2
    return WavHeader(*fmt, data_offset=None, data_bytes=None) if fmt is not None else None


def wav_fault(header: WavHeader | None, *, complete: bool) -> str | None:
    """The clause that says what is impossible about the header of a WAV file; None when nothing is.

    `complete`: the header was read from the whole file, so that a chunk that was not found is not there.
    """
    if header is None and not complete:
        return None
    if header is None:
        return "its WAV header is incomplete"
    if header.channels == 0:
        return "its WAV header says 0 channels"
    if header.rate == 0:
        return "its WAV header says a sample rate of 0 Hz"
    if header.bits == 0 and header.tag in _SAMPLE_TAGS:
        return "its WAV header says 0 bits a sample"
    if header.data_offset is None and complete:
        return "its WAV header is followed by no sound (the data chunk is missing)"
    return None


def missing_seconds(header: WavHeader, file_bytes: int) -> float:
    """Seconds of sound that the header promises beyond the end of the file; 0 when it promises none."""
    if header.data_offset is None or header.data_bytes is None or header.bytes_per_second == 0:
        return 0.0
    missing = header.data_offset + header.data_bytes - file_bytes
    return max(0.0, missing / header.bytes_per_second)
