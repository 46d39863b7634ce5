"""Asking a long step to end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from as2d.backend.models.progress import Cancelled


class CancelToken:
    """A wish to end that any thread may express and that long steps look at."""

    def __init__(self, parent: CancelToken | None = None) -> None:
        """With a `parent`, cancelling the parent cancels this one too."""
        self._parent = parent
        self._set = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Ask for the end; what is being waited for is told at once. Again is no error."""
        with self._lock:
            self._set.set()
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()

    def __call__(self) -> bool:
        """Whether the end was asked for."""
        return self._set.is_set() or (self._parent is not None and self._parent())

    def check(self) -> None:
        """End here if that was asked for.

        Raises:
            Cancelled: it was.
        """
        if self():
            raise Cancelled

    @contextmanager
    def calling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Within this block `callback` is called, once, on the thread that cancels; it returns at once."""
        if self._parent is not None:
            with self._parent.calling(callback), self._calling_here(callback):
                yield
        else:
            with self._calling_here(callback):
                yield

    @contextmanager
    def _calling_here(self, callback: Callable[[], None]) -> Iterator[None]:
        with self._lock:
            self._callbacks.append(callback)
            already = self._set.is_set()
        if already:
            callback()
        try:
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)
