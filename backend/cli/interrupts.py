"""An interrupt is an exception in the main thread: what was begun ends in order, and no interrupt is lost."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from types import FrameType
from typing import NoReturn

_AGAIN_SECONDS = 0.02

_asked = threading.Event()


def take_signals() -> None:
    """From here on SIGINT, SIGTERM and SIGHUP raise KeyboardInterrupt in the main thread.

    One that arrives while a library calls back from C, or while an object is being deleted, is swallowed by
    Python ('Exception ignored in …'): it is raised once more.
    """
    with contextlib.suppress(ValueError):  # not on the main thread: whoever runs it there handles signals
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
                signal.signal(number, _interrupt)
        signal.signal(signal.SIGALRM, _interrupt)
        sys.unraisablehook = _swallowed


def interrupted() -> bool:
    """Whether an interrupt has come, whatever became of it."""
    return _asked.is_set()


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001  (a signal handler)
    _asked.set()
    raise KeyboardInterrupt


def _swallowed(ignored: sys.UnraisableHookArgs) -> None:
    if isinstance(ignored.exc_value, KeyboardInterrupt) or ignored.exc_type is KeyboardInterrupt:
        signal.setitimer(signal.ITIMER_REAL, _AGAIN_SECONDS)
        return
    sys.__unraisablehook__(ignored)
