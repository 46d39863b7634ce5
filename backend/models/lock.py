"""One process at a time in a folder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from as2d.backend.models.progress import Reporter

_POLL_SECONDS = 0.1


@contextmanager
def folder_lock(
    folder: Path, reporter: Reporter, waiting: str = "waiting for another installation"
) -> Iterator[None]:
    """Holds the folder's lock; waits for another process that has it, reporting `waiting`.

    The operating system releases the lock when its holder ends in any way.

    Raises:
        Cancelled: cancelled while waiting.
    """
    descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                reporter.report(waiting, 0, 0)
                time.sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)
