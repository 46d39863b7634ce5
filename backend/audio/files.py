"""Files that may be recordings, before anything of them is decoded."""

from __future__ import annotations

import stat
from pathlib import Path

from as2d.backend.audio.names import shown_name
from as2d.backend.errors import InputRefused


def require_file(path: Path) -> None:
    """Refuse, without decoding anything, what surely is no recording.

    Raises:
        InputRefused: the file is missing, empty, a folder or no regular file; as `open_recording`.
    """
    file_size(path, shown_name(path))


def file_size(path: Path, name: str) -> int:
    """The size in bytes of a file that may be a recording; its content is not looked at.

    Raises:
        InputRefused: it is missing, empty, a folder or no regular file.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputRefused(f"{name} was refused: it is a folder; name the recordings in it.")
        if not stat.S_ISREG(status.st_mode):
            raise InputRefused(f"{name} was refused: it is not a regular file.")
        if status.st_size == 0:
            raise InputRefused(f"{name} was refused: the file is empty (0 bytes).")
    except (OSError, ValueError) as error:
        raise unreadable(name, error) from error
    return status.st_size


def unreadable(name: str, error: Exception) -> InputRefused:
    """The sentence about a file that cannot be read."""
    match error:
        case FileNotFoundError():
            return InputRefused(f"{name} was refused: there is no such file.")
        case PermissionError():
            return InputRefused(f"{name} was refused: you may not read it; change its permissions.")
    return InputRefused(f"{name} was refused: it could not be read ({error}).")
