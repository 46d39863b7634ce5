"""Files that are whole or not there, and full disks told apart from other failures."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from as2d.backend.errors import InputRefused, OutOfSpace, UserError

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def is_full(error: OSError) -> bool:
    """Whether the error says that there is no room (or no quota) left."""
    return error.errno in _FULL


def storage_error(error: OSError, place: Path, what: str) -> UserError:
    """The error to raise when `what` cannot be written at `place`."""
    if is_full(error):
        return OutOfSpace(f"There is no space left at {place} for {what}; free some space and run it again.")
    return InputRefused(
        f"{what[:1].upper()}{what[1:]} cannot be written to {place} ({error.strerror or error}); "
        "check that the folder exists and that you may write there."
    )


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it holds either its old content or all of the new, also after a crash.

    Raises:
        OSError: the folder is missing, may not be written, or is full; the old file is as it was.
    """
    with atomic_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write in pieces that takes its name at the end of this block; an error leaves the old one.

    The temporary name is short and beside the file, so that names of any allowed length work.

    Raises:
        OSError: as `write_atomically`.
    """
    descriptor, temporary = tempfile.mkstemp(prefix=".as2d-", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101  (the name is a string)
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)  # noqa: PTH108
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
