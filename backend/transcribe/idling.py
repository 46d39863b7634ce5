"""Staying idle for a while, so that a run knows what its device draws without work."""

from __future__ import annotations

import math
import threading
import time

from as2d.backend.models.progress import Progress
from as2d.backend.transcribe.cancel import CancelToken

_STEP_SECONDS = 1.0


def stay_idle(seconds: float, progress: Progress, cancel: CancelToken) -> None:
    """Wait, telling every second how much of it is over.

    Raises:
        Cancelled: cancelled meanwhile.
    """
    woken = threading.Event()
    end = time.monotonic() + seconds
    whole = math.ceil(seconds)
    with cancel.calling(woken.set):
        while (left := end - time.monotonic()) > 0 and not woken.is_set():
            progress("stay idle to measure the device's idle power", whole - math.ceil(left), whole)
            woken.wait(min(left, _STEP_SECONDS))
    cancel.check()
