"""Disks that are soon full."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

SmallDisk = Callable[[int], Path]


@contextmanager
def _mounted(folder: Path, kib: int) -> Iterator[None]:
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def _limited(kib: int) -> Iterator[None]:
    """No file may grow beyond a size: what a user without the right to mount can have."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (kib * 1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    """Makes a folder that takes so many KiB."""
    with ExitStack() as stack:

        def make(kib: int) -> Path:
            folder = tmp_path / "small"
            folder.mkdir()
            stack.enter_context(_mounted(folder, kib) if os.geteuid() == 0 else _limited(kib))
            return folder

        yield make
