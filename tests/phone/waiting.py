"""Waiting for what other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_SECONDS = 60.0


def until(condition: Callable[[], bool], what: str) -> None:
    """Returns as soon as the condition holds; raises TimeoutError naming `what` after a minute."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"never: {what}")
        time.sleep(0.02)
