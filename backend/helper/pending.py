"""An answer that is still to come."""

from __future__ import annotations

import threading

from as2d.backend.errors import UserError
from as2d.backend.protocol.message import Answer


class Pending:
    """The place where the answer to one op arrives, or the error that ends the wait."""

    def __init__(self, number: int, what: str) -> None:
        self.number = number
        self.what = what
        self._arrived = threading.Event()
        self._answer: Answer | None = None
        self._error: UserError | None = None

    def resolve(self, answer: Answer) -> None:
        """The answer is there."""
        self._answer = answer
        self._arrived.set()

    def fail(self, error: UserError) -> None:
        """There will be no answer; the first error is kept."""
        if not self._arrived.is_set():
            self._error = error
            self._arrived.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait for the answer or the error; false: the time is over (seconds, None: no limit)."""
        return self._arrived.wait(seconds)

    def answer(self) -> Answer:
        """The answer that arrived.

        Raises:
            UserError: the error that ended the wait instead.
        """
        if self._error is not None:
            raise self._error
        if self._answer is None:
            raise RuntimeError(f"{self.what} was not waited for")
        return self._answer
