"""Which windows are recorded together, and when the language of the next one is waited for."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from as2d.backend.replay.window_tracer import WindowToTrace
from as2d.backend.sweep.tracing import parts_of_windows

_SOUND = np.zeros(16, np.int16)


def _windows(recordings: Sequence[tuple[str, int, str | None]]) -> list[WindowToTrace]:
    return [
        WindowToTrace(name, f"{name}.w{index}", name, None, float(index), index + 1.0, _SOUND, language)
        for name, count, language in recordings
        for index in range(count)
    ]


def test_windows_of_a_known_language_are_given_away_in_fours() -> None:
    windows = _windows([("a1", 6, "en"), ("a2", 3, "de")])
    given: deque[tuple[WindowToTrace, ...]] = deque()
    parts = list(parts_of_windows(iter(windows), {}, given))
    assert [len(part) for part in parts if part is not None] == [4, 4, 1]
    assert [window for part in parts if part is not None for window in part] == windows
    assert list(given) == parts


def test_later_windows_wait_for_the_language_of_their_recording() -> None:
    windows = _windows([("a1", 6, None), ("a2", 1, None)])
    languages: dict[str, str] = {}
    parts = parts_of_windows(iter(windows), languages, deque())
    first = next(parts)
    assert first is not None
    assert [window.language for window in first] == [None] * 4
    assert next(parts) is None
    assert next(parts) is None
    languages["a1"] = "fr"
    rest = next(parts)
    assert rest is not None
    assert [(window.recording, window.language) for window in rest] == [
        ("a1", "fr"), ("a1", "fr"), ("a2", None)
    ]  # fmt: skip
    assert list(parts) == []
