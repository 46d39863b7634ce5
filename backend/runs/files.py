"""Files that are whole or not there, and full disks told apart from other failures."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from as2d.backend.errors import InputRefused, OutOfSpace, UserError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_PREFIX = ".as2d-"
_SUFFIX = ".tmp"
_MARK_DIGITS = 12
_MOST_LINKS = 40


def is_full(error: OSError) -> bool:
    """Whether the error says that there is no room (or no quota) left."""
    return error.errno in _FULL


def storage_error(error: OSError, place: Path, what: str) -> UserError:
    """The error to raise when `what` cannot be written at `place`."""
    if is_full(error):
        return OutOfSpace(f"There is no space left at {place} for {what}; free some space and run it again.")
    what = what[:1].upper() + what[1:]
    begin = f"{what} cannot be written to {place}"
    if error.errno == errno.EISDIR:
        return InputRefused(f"{begin}, which is a folder; name a file in it.")
    if error.errno == errno.EPIPE:
        return InputRefused(f"{begin}: whoever read it closed it.")
    return InputRefused(
        f"{begin} ({error.strerror or error}); check that the folder exists and that you may write there."
    )


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it holds either its old content or all of the new, also after a crash.

    Raises:
        OSError: as `atomic_file`.
    """
    with atomic_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write in pieces that takes its name at the end of this block; an error leaves the old one.

    Links are followed. What is no ordinary file, as a device, a pipe or this program's standard output, is
    written into as it is. The temporary name is short and beside the file, so that names of any allowed
    length work; those that killed programs left of this file are removed.

    Raises:
        OSError: the folder is missing, may not be written, or is full, or `path` is a folder; an old file is
            as it was.
    """
    straight = _open_straight(path)
    if straight is not None:
        with straight as file:
            yield file
        return
    final = Path(os.path.realpath(path))
    descriptor, temporary = _temporary_beside(final)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101  (the name is a string)
            os.replace(temporary, final)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)  # noqa: PTH108
        raise


def is_ordinary(path: Path) -> bool:
    """Whether `path`, or what it links to, is a file with content of its own and none of this program's
    open ones.
    """
    try:
        return _descriptor_of(path) is None and stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _open_straight(path: Path) -> BinaryIO | None:
    """What is there and no ordinary file, opened to be written into; None: a new file can take its name."""
    descriptor = _descriptor_of(path)
    if descriptor is not None:
        return os.fdopen(os.dup(descriptor), "wb")
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return None
    return None if stat.S_ISREG(mode) else path.open("wb")


def _descriptor_of(path: Path) -> int | None:
    """The number of the open file of this process that a path such as /dev/stdout stands for."""
    for _ in range(_MOST_LINKS):
        parent = Path(os.path.realpath(path.parent))
        if parent in (Path(f"/proc/{os.getpid()}/fd"), Path("/dev/fd")) and path.name.isdecimal():
            return int(path.name)
        if not path.is_symlink():
            return None
        path = parent / os.readlink(path)  # noqa: PTH115  (a link into /proc need not be a path)
    return None


def _temporary_beside(final: Path) -> tuple[int, str]:
    """A new file that is renamed to `final` later, locked for as long as it is open."""
    mark = f"{_PREFIX}{hashlib.sha256(os.fsencode(final.name)).hexdigest()[:_MARK_DIGITS]}-"
    _remove_stale(final.parent, mark)
    while True:
        descriptor, temporary = tempfile.mkstemp(prefix=mark, suffix=_SUFFIX, dir=final.parent)
        with contextlib.suppress(OSError):  # a file system without locks: nothing is ever found stale there
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, temporary
        os.close(descriptor)  # another program took it for stale before it was locked


def _remove_stale(folder: Path, mark: str) -> None:
    """Remove the temporary files of that mark that no program holds any more."""
    with contextlib.suppress(OSError):  # a folder that may not be listed
        for name in os.listdir(folder):  # noqa: PTH208  (much faster where there are many)
            if name.startswith(mark) and name.endswith(_SUFFIX):
                _remove_unlocked(folder / name)


def _remove_unlocked(path: Path) -> None:
    with contextlib.suppress(OSError), path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
