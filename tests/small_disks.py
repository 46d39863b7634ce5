"""Disks that are soon full."""

from __future__ import annotations

import contextlib
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOM = "64m"


class SmallDisk:
    """Makes a folder that takes so many KiB.

    Where nothing may be mounted, no file that this process writes may grow beyond that, wherever it is, until
    `make_room` or the end of the test.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._mounted = False
        self._before: tuple[int, int] | None = None
        self._handler = signal.getsignal(signal.SIGXFSZ)

    def __call__(self, kib: int) -> Path:
        self._folder.mkdir()
        mount: list[str | Path] = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", self._folder]
        with contextlib.suppress(FileNotFoundError):
            self._mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
        if not self._mounted:
            self._limit(kib * 1024)
        return self._folder

    def fill(self) -> None:
        """Leave no byte of it."""
        if not self._mounted:
            self._limit(0)
            return
        with contextlib.suppress(OSError), (self._folder / "filler").open("wb", buffering=0) as filler:
            while True:
                filler.write(bytes(4096))

    def make_room(self) -> None:
        """Let it take as much as any test needs."""
        (self._folder / "filler").unlink(missing_ok=True)
        if self._mounted:
            subprocess.run(["mount", "-o", f"remount,size={_ROOM}", self._folder], check=True)
        elif self._before is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, self._before)
            signal.signal(signal.SIGXFSZ, self._handler)
            self._before = None

    def close(self) -> None:
        """Take it away."""
        if self._mounted:
            subprocess.run(["umount", self._folder], check=True)
        elif self._before is not None:
            self.make_room()

    def _limit(self, size: int) -> None:
        if self._before is None:
            self._before = resource.getrlimit(resource.RLIMIT_FSIZE)
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, self._before[1]))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Makes a folder that takes so many KiB."""
    disk = SmallDisk(tmp_path / "small")
    yield disk
    disk.close()
