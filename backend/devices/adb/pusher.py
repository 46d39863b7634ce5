"""The name by which this computer's unfinished files on phones are told from those of other computers."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import secrets
from pathlib import Path

from as2d.backend.runs.files import storage_error

_FILE = "pusher"
_NAME = re.compile(r"[0-9a-f]{8}")


def pusher_name(records: Path) -> str:
    """Eight hexadecimal digits, the same ever after for the folder of records `records`, which is made.

    Raises:
        UserError: it cannot be kept there.
    """
    path = records / _FILE
    try:
        records.mkdir(parents=True, exist_ok=True)
        known = _read(path)
        return known if known is not None else _made(path)
    except OSError as error:
        raise storage_error(error, records, "this computer's name among those that push") from error


def _made(path: Path) -> str:
    """A new name; of several programs at once the first names them all."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666), "r+b", buffering=0) as file:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        known = _read(path)
        if known is not None:
            return known
        name = secrets.token_hex(4)
        file.truncate()
        if file.write(name.encode("ascii")) != len(name):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return name


def _read(path: Path) -> str | None:
    try:
        text = path.read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return text if _NAME.fullmatch(text) else None
