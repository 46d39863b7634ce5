"""Keeps what was put into audio time for a while: a live run changes with every event."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")
_SHARE = 10


class Kept(Generic[_T]):
    """A value that follows a version. Making it takes at most a tenth of the time, so that it may be behind
    for a moment.
    """

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._value: _T | None = None
        self._version = -1
        self._again = 0.0

    def get(self, version: int) -> _T:
        """The value of that version, or of one shortly before."""
        now = time.perf_counter()
        if self._value is None or (version != self._version and now >= self._again):
            self._value = self._make()
            self._version = version
            after = time.perf_counter()
            self._again = after + (after - now) * _SHARE
        return self._value
