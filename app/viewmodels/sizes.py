"""Sizes of files for people."""

from __future__ import annotations

_KILOBYTE = 1_000
_GIGABYTE = 1_000_000_000
_MEGABYTE = 1_000_000


def size_text(size: int) -> str:
    """A size in kB, MB or GB: `35 kB`, `3.5 MB`, `220 MB`, `1.4 GB`."""
    if size < _MEGABYTE // 10:
        return f"{-(-size // _KILOBYTE)} kB"
    if size >= _GIGABYTE:
        return f"{size / _GIGABYTE:.1f} GB"
    return f"{size / _MEGABYTE:.{0 if size >= 10 * _MEGABYTE else 1}f} MB"
