"""Files of this process that can no longer be written."""

from __future__ import annotations

import os
from pathlib import Path


def spoil_descriptor(path: Path) -> None:
    """From here on no write to this open file of this process succeeds, as on a disk that fails."""
    for entry in Path("/proc/self/fd").iterdir():
        if entry.is_symlink() and os.path.realpath(entry) == str(path.resolve()):
            reading = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            os.dup2(reading, int(entry.name), inheritable=False)
            os.close(reading)
