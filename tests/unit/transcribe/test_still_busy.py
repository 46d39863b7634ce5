"""A step without progress of its own says that it goes on."""

from __future__ import annotations

import queue

import pytest

from as2d.backend.transcribe.still_busy import duration_text, still_busy


def test_it_is_told_until_the_end_and_not_afterwards() -> None:
    told: queue.SimpleQueue[str] = queue.SimpleQueue()
    with still_busy(told.put, 0.01):
        assert [told.get(timeout=60) for _ in range(3)] == ["0 s"] * 3
    while not told.empty():
        told.get()
    with pytest.raises(queue.Empty):
        told.get(timeout=0.05)


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (59.4, "59 s"), (60, "1 min"), (125, "2 min 5 s"), (3600, "60 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text
