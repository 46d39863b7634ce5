"""Names and writing of transcript files."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from as2d.backend.errors import UserError, WrongUse
from as2d.backend.runs.files import is_full, is_ordinary, storage_error, write_atomically

_NAME_BYTES = 255


class OutputFolder:
    """A folder that takes the transcripts of one command; no file of it is overwritten by another
    recording's.

    Names keep the recording's name with the format's ending. A name that is taken, by this command or by a
    file that is there with other content, gets a number: `talk (2).srt`. With `overwrite` files of earlier
    commands are replaced, but never one that is `kept`: a recording whose own name ends as a transcript's.
    What is no file, as a pipe or a link that leads nowhere, is left alone.
    """

    def __init__(self, folder: Path, *, overwrite: bool = False, kept: Sequence[Path] = ()) -> None:
        """Make the folder where it is missing.

        Raises:
            WrongUse: it cannot be made or is no folder.
            OutOfSpace: the disk is full.
        """
        self._folder = folder
        self._overwrite = overwrite
        self._kept = tuple(kept)
        self._taken: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError as error:
            raise WrongUse(f"--output-dir {folder} is a file; name a folder.") from error
        except OSError as error:
            if is_full(error):
                raise storage_error(error, folder, "the folder of the transcripts") from error
            raise WrongUse(
                f"--output-dir {folder} cannot be made ({error.strerror}); name a folder where you may write."
            ) from error

    def write(self, recording: Path, ending: str, text: str) -> Path:
        """Write the transcript of a recording; the path of the file.

        Raises:
            UserError: the disk is full, or the folder cannot be written.
        """
        content = text.encode("utf-8", "backslashreplace")
        path = self._free_path(recording.stem or "recording", ending, content)
        try:
            write_atomically(path, content)
        except OSError as error:
            raise self._error(error) from error
        self._taken.add(path.name.casefold())
        return path

    def _free_path(self, stem: str, ending: str, content: bytes) -> Path:
        number = 1
        while True:
            mark = f".{ending}" if number == 1 else f" ({number}).{ending}"
            path = self._folder / (_shortened(stem, _NAME_BYTES - len(mark)) + mark)
            # Folders of some systems do not tell capitals from small letters.
            if path.name.casefold() not in self._taken and self._may_write(path, content):
                return path
            number += 1

    def _may_write(self, path: Path, content: bytes) -> bool:
        if self._overwrite and is_ordinary(path):
            return not any(_is_same_file(path, kept) for kept in self._kept)
        return _is_free(path, content)

    def _error(self, error: OSError) -> UserError:
        return storage_error(error, self._folder, "the transcript")


def _is_free(path: Path, content: bytes) -> bool:
    """Whether nothing would be lost by writing: no file there, or one with the same content."""
    try:
        status = path.stat()
        # A pipe of this name would be read for ever.
        return (
            stat.S_ISREG(status.st_mode) and status.st_size == len(content) and path.read_bytes() == content
        )
    except FileNotFoundError:
        return not path.is_symlink()
    except OSError:
        return False


def _is_same_file(left: Path, right: Path) -> bool:
    try:
        return left.samefile(right)
    except OSError:  # one of them is not there
        return False


def _shortened(stem: str, most_bytes: int) -> str:
    raw = os.fsencode(stem)
    if len(raw) <= most_bytes:
        return stem
    return raw[:most_bytes].decode("utf-8", "ignore")
