"""A step without progress of its own says that it goes on."""

from __future__ import annotations

import itertools
import queue
import threading

import pytest

from as2d.backend.transcribe.still_busy import duration_text, still_busy


def test_it_is_told_until_the_end_and_not_afterwards() -> None:
    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    minutes = itertools.count(0, 60)
    with still_busy(told.put, 0.01, lambda: next(minutes)):
        assert [told.get(timeout=60) for _ in range(3)] == ["1 min", "2 min", "3 min"]
    assert not any(thread.name == "still-busy" for thread in threading.enumerate())


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (59.4, "59 s"), (60, "1 min"), (125, "2 min 5 s"), (3600, "60 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
