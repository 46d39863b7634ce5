"""How long the window takes to appear and take input, from the start of its process, and to close."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.paths import models_dir

_CHILD = "as2d.app.bench.started"
_PATIENCE_S = 120


@dataclass(frozen=True)
class Starting:
    """Seconds until the window took input, processor seconds of these, and seconds from closing to the end of
    the process; medians of so many starts.
    """

    files: str
    starts: int
    usable_s: float
    slowest_s: float
    work_s: float
    closing_s: float


def starting(starts: int, *, cold: bool) -> Starting:
    """Start `as2d studio` so often, one after another; cold: its files are not in the system's cache."""
    usable, work, closing = [], [], []
    with tempfile.TemporaryDirectory(prefix="as2d-bench-") as folder:
        (Path(folder) / "models").symlink_to(models_dir())
        environment = {**os.environ, "AS2D_DATA_DIR": folder}
        for number in range(starts + 1):
            if cold:
                _forget_files()
            begin = time.monotonic()
            done = subprocess.run(
                [sys.executable, "-m", _CHILD, "studio"],
                env=environment,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_S,
                check=True,
            )
            end = time.monotonic()
            seen, worked, closed = map(float, done.stdout.split())
            if number > 0 or cold:  # the first start makes the settings' file and fills the caches
                usable.append(seen - begin)
                work.append(worked)
                closing.append(end - closed)
    return Starting(
        "cold" if cold else "warm",
        len(usable),
        statistics.median(usable),
        max(usable),
        statistics.median(work),
        statistics.median(closing),
    )


def _forget_files() -> None:
    """Ask the system to drop what it keeps of the program's files; those that others use at the time stay."""
    for path in _program_files():
        try:
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        except OSError:  # a file that may not be read is not the program's
            continue


def _program_files() -> Iterator[Path]:
    folders = {Path(entry).resolve() for entry in sys.path if entry} | {Path(__file__).resolve().parents[2]}
    for folder in folders:
        if folder.is_dir():
            yield from (
                path
                for path in folder.rglob("*")
                if path.suffix in (".py", ".pyc", ".so", ".svg", ".json") or ".so." in path.name
            )
