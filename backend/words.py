"""Counts in sentences."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A count with its noun, which takes an s where the count is not one: `1 window`, `2 windows`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
