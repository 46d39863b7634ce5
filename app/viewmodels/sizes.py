"""Sizes of files for people."""

from __future__ import annotations

_GIGABYTE = 1_000_000_000
_MEGABYTE = 1_000_000


def size_text(size: int) -> str:
    """A size in MB, in GB from one on: `3.5 MB`, `220 MB`, `1.4 GB`."""
    if size >= _GIGABYTE:
        return f"{size / _GIGABYTE:.1f} GB"
    return f"{size / _MEGABYTE:.{0 if size >= 10 * _MEGABYTE else 1}f} MB"
