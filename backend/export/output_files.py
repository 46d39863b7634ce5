"""Names and writing of transcript files."""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from as2d.backend.errors import WrongUse
from as2d.backend.runs.files import is_full, is_ordinary, storage_error, write_atomically

_NAME_BYTES = 255
_DEEPEST = 16


class OutputFolder:
    """A folder that takes the transcripts of one command; no file of it is overwritten by another
    recording's.

    Names keep the recording's name with the format's ending. A name that is taken, by this command or by a
    file that is there with other content, gets a number: `talk (2).srt`. With `overwrite` files of earlier
    commands are replaced, but never one that is `kept`: a recording whose own name ends as a transcript's.
    Recordings that were found in a folder keep their path within it. What is no file or folder, as a pipe or
    a link that leads nowhere, and links that lead out of this folder are left alone.
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

    def write(
        self, recording: Path, ending: str, text: str, within: str | os.PathLike[str] | None = None
    ) -> Path:
        """Write the transcript of a recording; the path of the file. `within`: as of a `FoundRecording`, also
        as somebody else's run tells it.

        Raises:
            UserError: the disk is full, or the folder cannot be written.
        """
        content = text.encode("utf-8", "backslashreplace")
        stem = Path(recording if within is None else within).stem.replace("\0", "_") or "recording"
        try:
            path = self._free_path(self._folder_of(within), stem, ending, content)
            write_atomically(path, content)
        except OSError as error:
            raise storage_error(error, self._folder, "the transcript") from error
        self._taken.add(str(path).casefold())
        return path

    def _folder_of(self, within: str | os.PathLike[str] | None) -> Path:
        """The folder for a recording, made where it is missing."""
        folder = self._folder
        for name in _folder_names(within) if within is not None else ():
            folder = next(place for place in _numbered(folder, name, "") if self._is_own_folder(place))
        return folder

    def _is_own_folder(self, place: Path) -> bool:
        """Whether it is a folder in this one; a new one if nothing is there."""
        with suppress(FileExistsError):
            place.mkdir()
        return place.is_dir() and self._leads_here(place)

    def _free_path(self, folder: Path, stem: str, ending: str, content: bytes) -> Path:
        return next(
            path
            for path in _numbered(folder, stem, f".{ending}")
            # Folders of some systems do not tell capitals from small letters.
            if str(path).casefold() not in self._taken and self._may_write(path, content)
        )

    def _leads_here(self, path: Path) -> bool:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(self._folder))

    def _may_write(self, path: Path, content: bytes) -> bool:
        if not self._leads_here(path):
            return False
        if self._overwrite and is_ordinary(path):
            return not any(_is_same_file(path, kept) for kept in self._kept)
        return _is_free(path, content)


def _numbered(folder: Path, stem: str, ending: str) -> Iterator[Path]:
    """The paths that a name can have in a folder: itself, then with numbers."""
    for number in itertools.count(1):
        mark = ending if number == 1 else f" ({number}){ending}"
        yield folder / (_shortened(stem, _NAME_BYTES - len(mark)) + mark)


def _folder_names(within: str | os.PathLike[str]) -> Sequence[str]:
    """The folders that a path within a folder names, without what would lead out of it."""
    names = Path(within).parent.parts
    return [name.replace("\0", "_") for name in names if name not in ("/", "//", "..")][:_DEEPEST]


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
