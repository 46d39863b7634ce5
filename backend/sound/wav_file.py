"""A WAV file that is whole at every moment while it is written."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
from pathlib import Path

from as2d.backend.errors import InputRefused

_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_SAMPLE_BYTES = 2
MOST_BYTES = 0xFFFFFFFF - _HEADER.size
_UNFINISHED = ".unfinished.wav"


class GrowingWav:
    """Takes int16 samples of one channel. Its header never promises more than is there, so that the file can
    be read whatever ends this program; its name says that it is unfinished until `finish`.
    """

    def __init__(self, folder: Path, name: str, rate: int) -> None:
        """Begin `name` in `folder`, which is made where it is missing; a taken name gets a number.

        Raises:
            OSError: the folder cannot be written, or the disk is full.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._rate = rate
        self.bytes = 0
        number = 1
        while True:
            stem = name if number == 1 else f"{name} ({number})"
            self.path = folder / f"{stem}{_UNFINISHED}"
            if not (folder / f"{stem}.wav").exists():
                try:
                    self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
                except FileExistsError:
                    pass
                else:
                    with contextlib.suppress(OSError):  # a file system without locks
                        fcntl.flock(self._file, fcntl.LOCK_EX)
                    if os.fstat(self._file).st_nlink:
                        break
                    os.close(self._file)  # a window that starts took it for left before it was locked
                    continue
            number += 1
        try:
            self._write_header()
        except OSError:
            os.close(self._file)
            self.path.unlink(missing_ok=True)
            raise

    @property
    def seconds(self) -> float:
        """Length of what is in the file."""
        return self.bytes / (_SAMPLE_BYTES * self._rate)

    def append(self, samples: bytes) -> None:
        """Add samples.

        Raises:
            OSError: the disk takes no more; what was written stays and is whole.
        """
        view = memoryview(samples)[: MOST_BYTES - self.bytes]
        end = _HEADER.size + self.bytes
        try:
            while view:
                written = os.pwrite(self._file, view, end)
                end += written
                view = view[written:]
        finally:
            self.bytes = (end - _HEADER.size) // _SAMPLE_BYTES * _SAMPLE_BYTES
            self._write_header()

    @property
    def full(self) -> bool:
        """Whether a WAV file takes no more (4 GiB)."""
        return self.bytes + self._rate * _SAMPLE_BYTES > MOST_BYTES

    def sync(self) -> None:
        """Bring what is written to the disk itself.

        Raises:
            OSError: that failed.
        """
        os.fsync(self._file)

    def finish(self) -> Path | None:
        """Close the file and give it its name; None: it holds nothing and is gone."""
        os.ftruncate(self._file, _HEADER.size + self.bytes)
        try:
            if not self.bytes:
                self.path.unlink(missing_ok=True)
                return None
            return _named(self.path)
        finally:
            os.close(self._file)

    def _write_header(self) -> None:
        size = self.bytes
        header = _HEADER.pack(
            *(b"RIFF", 36 + size, b"WAVE", b"fmt ", 16, 1, 1, self._rate),
            *(_SAMPLE_BYTES * self._rate, _SAMPLE_BYTES, 8 * _SAMPLE_BYTES, b"data", size),
        )
        if os.pwrite(self._file, header, 0) != len(header):
            raise OSError(28, os.strerror(28))


def take_interrupted(folder: Path) -> list[Path]:
    """Give their names to recordings whose program ended while it took them down; those that hold sound.

    Raises:
        InputRefused: one of them cannot be renamed.
    """
    found: list[Path] = []
    for path in sorted(folder.glob(f"*{_UNFINISHED}")):
        try:
            with path.open("r+b") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except OSError:  # another window is taking it down, or a file system without locks
                    continue
                if path.stat().st_size <= _HEADER.size:
                    path.unlink()
                    continue
                found.append(_named(path))
        except FileNotFoundError:  # another window has just finished it
            continue
        except OSError as error:
            raise InputRefused(
                f"The interrupted recording {path} cannot be renamed ({error.strerror or error}); "
                "check that you may write there."
            ) from error
    return found


def _named(path: Path) -> Path:
    """The file under the name of a finished recording; no other file is replaced."""
    stem = path.name.removesuffix(_UNFINISHED)
    final, number = path.with_name(f"{stem}.wav"), 1
    while final.exists():
        number += 1
        final = path.with_name(f"{stem} ({number}).wav")
    return path.rename(final)
