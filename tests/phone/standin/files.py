"""Files of a stand-in's tree, written from outside while programs inside may read them."""

from __future__ import annotations

import os
from pathlib import Path


def write_file(root: Path, path: str, text: str) -> None:
    """Writes `path` (from the phone's root) in place, so that whoever holds it open reads the new text."""
    place = root / path.lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    data = text.encode()
    fd = os.open(place, os.O_WRONLY | os.O_CREAT, 0o644)
    try:
        os.pwrite(fd, data, 0)
        os.ftruncate(fd, len(data))
    finally:
        os.close(fd)
