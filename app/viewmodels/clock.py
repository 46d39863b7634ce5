"""Times of recordings for people."""

from __future__ import annotations


def clock_text(seconds: float, *, tenths: bool = False, hours: bool = False) -> str:
    """Seconds as 0:07, 12:30 or 1:02:03, with `tenths` as 0:07.4, with `hours` always as 0:00:07."""
    whole, tenth = divmod(round(seconds * 10), 10) if tenths else (round(seconds), 0)
    hour, minutes = divmod(whole // 60, 60)
    text = f"{hour}:{minutes:02}:{whole % 60:02}" if hour or hours else f"{minutes}:{whole % 60:02}"
    return f"{text}.{tenth}" if tenths else text
