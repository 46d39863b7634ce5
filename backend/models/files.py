"""Files that are either complete or absent, and disks that are full."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from as2d.backend.errors import OutOfSpace, UserError
from as2d.backend.models.progress import Reporter

CHUNK = 1 << 20
_FULL = {errno.ENOSPC, errno.EDQUOT}


class StoreFailed(UserError):
    """The model store cannot be read or written, a download or a conversion failed."""

    exit_code = 3


def fsync_folder(folder: Path) -> None:
    """Makes the names inside a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def fsync_file(path: Path) -> None:
    """Makes the content of a file durable."""
    with path.open("rb") as file:
        os.fsync(file.fileno())


def move_into_place(temporary: Path, final: Path) -> None:
    """Renames a complete file or folder of the same file system to its final name, durably."""
    if temporary.is_file():
        fsync_file(temporary)
    else:
        fsync_folder(temporary)
    temporary.replace(final)
    fsync_folder(final.parent)


def write_atomically(final: Path, content: bytes) -> None:
    """Writes a small file so that it is there completely or not at all, whichever threads write it."""
    temporary = final.with_name(f".{final.name}.{os.getpid()}-{threading.get_native_id()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
        move_into_place(temporary, final)
    finally:
        temporary.unlink(missing_ok=True)


def sha256_of(path: Path, reporter: Reporter | None = None, stage: str = "") -> str:
    """SHA-256 of a file in hexadecimal digits."""
    digest = hashlib.sha256()
    total = path.stat().st_size
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            if reporter is not None:
                reporter.report(stage, done, total)
    return digest.hexdigest()


def copy_stream(chunks: Iterable[bytes], target: Path, on_chunk: Callable[[int], None]) -> tuple[int, str]:
    """Writes chunks to a new file; returns its size and SHA-256. `on_chunk` gets each chunk's length."""
    digest = hashlib.sha256()
    size = 0
    with target.open("xb") as file:
        for chunk in chunks:
            file.write(chunk)
            digest.update(chunk)
            size += len(chunk)
            on_chunk(len(chunk))
    return size, digest.hexdigest()


def existing_folder(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())


def require_space(folder: Path, needed: int, what: str) -> None:
    """Refuses to start what the disk has no room for.

    Raises:
        OutOfSpace: fewer than `needed` bytes are free where `folder` is (or will be).
    """
    free = shutil.disk_usage(existing_folder(folder)).free
    if free < needed:
        raise OutOfSpace(
            f"{what} needs {megabytes(needed)} in {folder}, but only {megabytes(free)} are free; "
            "free some space or choose another place with AS2D_DATA_DIR and AS2D_CACHE_DIR."
        )


def megabytes(size: int) -> str:
    """A size for people, in steps of 10^6 bytes."""
    return f"{size / 1e6:.0f} MB" if size >= 10_000_000 else f"{size / 1e6:.1f} MB"


@contextmanager
def disk_errors_explained(folder: Path, what: str) -> Iterator[None]:
    """Turns errors of the file system into sentences.

    Raises:
        OutOfSpace: the disk became full.
        StoreFailed: it cannot be written for another reason.
    """
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise OutOfSpace(
                f"{what} stopped because the disk with {folder} is full; free some space and run it again, "
                "what is complete is kept."
            ) from error
        raise StoreFailed(
            f"{what} stopped because {error.filename or folder} cannot be used ({error.strerror}); "
            "correct its permissions or choose another place with AS2D_DATA_DIR and AS2D_CACHE_DIR."
        ) from error
