"""Moments of records in the user's own time."""

from __future__ import annotations

from datetime import datetime


def moment_text(utc: str) -> str:
    """A moment of a record, ISO 8601 in UTC, as local time; a text that is none stays as it is."""
    try:
        return datetime.fromisoformat(utc).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return utc
