"""The length that an MP3 file declares of itself."""

from __future__ import annotations

import struct

# Sampling rates of MPEG 1, 2 and 2.5 by the version bits of a frame header.
_RATES = {3: (44_100, 48_000, 32_000), 2: (22_050, 24_000, 16_000), 0: (11_025, 12_000, 8_000)}
_SEARCHED = 4096


def declared_seconds(head: bytes) -> float | None:
    """Seconds that the Xing, Info or VBRI header of an MP3 file declares; None when there is none.

    Without such a header every player's duration is an estimate from the bit rate. `head` is the beginning of
    the file; a leading ID3v2 tag must fit in it.
    """
    start = _after_id3(head)
    for position in range(start, min(start + _SEARCHED, len(head) - 192)):
        if head[position] != 0xFF or head[position + 1] & 0xE6 != 0xE2:  # sync, layer III
            continue
        version, rate_index = head[position + 1] >> 3 & 3, head[position + 2] >> 2 & 3
        if version == 1 or rate_index == 3:
            continue
        frames = _frames(head[position : position + 192])
        if frames is None:
            return None
        return frames * (1152 if version == 3 else 576) / _RATES[version][rate_index]
    return None


def _after_id3(head: bytes) -> int:
    if head[:3] != b"ID3" or len(head) < 10:
        return 0
    size = 0
    for byte in head[6:10]:
        size = size << 7 | byte & 127
    return 10 + size


def _frames(frame: bytes) -> int | None:
    """The number of frames that the first frame declares."""
    for tag in (b"Xing", b"Info"):
        at = frame.find(tag)
        if at >= 0 and at + 12 <= len(frame):
            flags, count = struct.unpack_from(">II", frame, at + 4)
            return count if flags & 1 else None
    at = frame.find(b"VBRI")
    if at >= 0 and at + 18 <= len(frame):
        return int.from_bytes(frame[at + 14 : at + 18], "big")
    return None
