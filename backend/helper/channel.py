"""The way to one running helper, wherever it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol


class SilentHelper(Exception):
    """The helper said nothing for too long."""


class HelperChannel(Protocol):
    """The three streams of a running helper, and its end.

    One thread reads `lines`, another `error_lines`; the other members may be called from any thread.
    """

    @property
    def pid(self) -> int | None:
        """The helper's process id on its device; None: not known."""

    def write(self, data: bytes) -> None:
        """Write all of `data` to the helper's input.

        Raises:
            OSError, ValueError: the input is closed or broken.
        """

    def close_input(self) -> None:
        """End the helper's input, which ends the helper in order."""

    def lines(self, silence_seconds: float) -> Iterator[bytes]:
        """The lines of its output until that closes, without line feeds and empty lines.

        Raises:
            SilentHelper: nothing arrived for `silence_seconds`.
        """

    def error_lines(self) -> Iterator[bytes]:
        """The lines of its error output until that closes."""

    def reachable(self) -> bool:
        """Whether the helper's device answers; False: the connection is lost, though nobody said so.

        Asked when the helper itself says nothing; it may take seconds.
        """

    def kill(self) -> None:
        """End the helper at once; one that is gone is no error."""

    def wait(self) -> int | None:
        """Collect the helper after its output closed, by force if need be.

        Its return code as `subprocess` gives it; None: the connection was lost before it was known.
        """

    def close(self) -> None:
        """Give the streams back, after both readers ended."""


OpenChannel = Callable[[], HelperChannel]
"""Starts a helper, on the thread that will read its output. Raises UserError when it cannot be started."""
