"""What a file is, told from its first bytes and never from its name."""

from __future__ import annotations

import re
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

HEAD_BYTES = 65_536

# Magic bytes of files that people drop by mistake: (offset, bytes, what it is).
_NOT_SOUND = (
    (0, b"\x89PNG", "a PNG picture"),
    (0, b"\xff\xd8\xff", "a JPEG picture"),
    (0, b"GIF8", "a GIF picture"),
    (0, b"%PDF", "a PDF document"),
    (0, b"PK\x03\x04", "a ZIP archive or office document"),
    (0, b"\x1f\x8b", "a gzip archive"),
    (0, b"BZh", "a bzip2 archive"),
    (0, b"\xfd7zXZ", "an xz archive"),
    (0, b"(\xb5/\xfd", "a zstd archive"),
    (0, b"7z\xbc\xaf'\x1c", "a 7-Zip archive"),
    (0, b"Rar!", "a RAR archive"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, b"SQLite format 3\0", "a database"),
    (0, b"MThd", "a MIDI file (notes, not sound)"),
    (257, b"ustar", "a tar archive"),
)
_UNCOMPRESSED = (
    *(b"RIFF", b"RIFX", b"RF64", b"riff", b"FORM", b".snd", b"dns.", b"caff", b"NIST"),
    *(
        b"Creative Voice File",
        b"\x64\xa3",
        b" paf",
        b"fap ",
        b"PVF1",
        b"2BIT",
        b"MATLAB 5.0",
        b"Extended Instrument",
    ),
)
_RAW_ENDINGS = re.compile(r"(raw|pcm|sw|al|ul|[su]8|[suf](16|24|32|64)([bl]e)?)$", re.IGNORECASE)
_GSM_FRAME = 33


def not_sound(head: bytes) -> str | None:
    """Name the kind of file that is no recording ("a PNG picture"); None when `head` may be sound."""
    for offset, magic, name in _NOT_SOUND:
        if head[offset : offset + len(magic)] == magic:
            return name
    text = _as_text(head)
    if text is None:
        return None
    start = text.lstrip("\ufeff \t\r\n")[:200].lower()
    if start.startswith(("<!doctype html", "<html")):
        return "a web page (HTML), perhaps an error page saved under this name"
    if start.startswith("#extm3u") or start.startswith("[playlist]"):
        return "a playlist, which only names recordings"
    if start.startswith("<"):
        return "an XML text"
    if start.startswith(("{", "[")):
        return "a JSON text"
    return "a text"


def _as_text(head: bytes) -> str | None:
    """The text that `head` is, or None when it is binary."""
    if head.startswith(b"NIST_1A"):
        return None
    for encoding in ("utf-16",) if head[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8",):
        try:
            # A multi-byte character may be cut at the end of the head.
            text = head.decode(encoding, errors="strict" if len(head) < HEAD_BYTES else "ignore")
        except UnicodeDecodeError:
            return None
        if len(head) >= HEAD_BYTES and len(text.encode(encoding)) < len(head) - 8:
            return None
        control = len(re.findall(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]", text))
        return text if control == 0 else None
    return None


def is_uncompressed_container(head: bytes) -> bool:
    """True for WAV, RF64, Wave64, AIFF, AU, CAF, NIST SPHERE and the like, which libsndfile reads best."""
    return head.startswith(_UNCOMPRESSED)


def is_gsm(head: bytes) -> bool:
    """True for raw GSM 06.10: frames of 33 bytes, each beginning with the nibble 0xD."""
    frames = len(head) // _GSM_FRAME
    return frames >= 8 and all(head[_GSM_FRAME * index] >> 4 == 0xD for index in range(frames))


def looks_like_raw_pcm(head: bytes, name: str) -> bool:
    """True for what seems to be samples without a header, by its statistics or by its name's ending."""
    if _RAW_ENDINGS.match(PurePath(name).suffix[1:]):
        return True
    if len(head) < 2048:
        return False
    data = np.frombuffer(head[: len(head) // 2 * 2], np.uint8).reshape(-1, 2)
    first, second = _entropy(data[:, 0]), _entropy(data[:, 1])
    # The high byte of a 16-bit sample is predictable, the low byte is not; compressed data has no such pair.
    return abs(first - second) > 0.7 and max(first, second) > 4.0 and min(first, second) < 7.0


def _entropy(values: NDArray[np.uint8]) -> float:
    """Shannon entropy of byte values in bits, 0 to 8."""
    counts = np.bincount(values, minlength=256)
    shares = counts[counts > 0] / len(values)
    return float(-(shares * np.log2(shares)).sum())
