"""A recorded run over and over, as one long run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from as2d.backend.protocol.lines import RecordedEvent

_TIMES = ("t", "start", "end")
_NAMES = ("recording", "window", "preparation", "request")
_ONCE = {"hello", "loaded", "self_test", "bye"}


def repeated(events: Sequence[RecordedEvent]) -> Iterator[list[RecordedEvent]]:
    """The run again and again, each time behind the last one and with names of its own."""
    body = [event for event in events if _belongs(event)]
    span = body[-1].t - body[0].t + 1_000_000
    number = 0
    while True:
        yield [_moved(event, number * span, f"n{number}.") for event in body]
        number += 1


def _belongs(event: RecordedEvent) -> bool:
    name = getattr(event, "event", "")
    host = getattr(event, "host", "")
    return name not in _ONCE and host not in ("step", "run_ended", "recording_queued")


def _moved(event: RecordedEvent, by: int, prefix: str) -> RecordedEvent:
    changes: dict[str, Any] = {}
    for field in _TIMES:
        value = getattr(event, field, None)
        if isinstance(value, int):
            changes[field] = value + by
    for field in _NAMES:
        value = getattr(event, field, None)
        if isinstance(value, str):
            changes[field] = prefix + value
    times = getattr(event, "times", None)
    if times is not None:
        changes["times"] = times.model_copy(update={name: value + by for name, value in times})
    return event.model_copy(update=changes)
