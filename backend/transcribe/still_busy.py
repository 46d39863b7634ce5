"""Signs of life of a step that tells no progress of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SIGN_SECONDS = 20.0
"""Work that takes no longer needs no sign of life."""


@contextmanager
def still_busy(
    tell: Callable[[str], None],
    every_seconds: float = SIGN_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Tell how long this block has taken so far, such as `1 min 30 s`, on a thread of its own.

    `clock` tells the time in seconds.
    """
    ended = threading.Event()
    begin = clock()

    def run() -> None:
        while not ended.wait(every_seconds):
            tell(duration_text(clock() - begin))

    telling = threading.Thread(target=run, name="still-busy", daemon=True)
    telling.start()
    try:
        yield
    finally:
        ended.set()
        telling.join()


def duration_text(seconds: float) -> str:
    """A duration in whole seconds: `40 s`, `2 min`, `2 min 5 s`."""
    minutes, rest = divmod(round(seconds), 60)
    parts = [f"{minutes} min"] if minutes else []
    return " ".join([*parts, f"{rest} s"] if rest or not minutes else parts)
