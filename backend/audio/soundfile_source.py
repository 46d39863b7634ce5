"""Decoding with libsndfile: exact and fast for uncompressed containers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import soundfile

from as2d.backend.audio.blocks import BLOCK_S, MAX_CHANNELS, MAX_RATE, UNKNOWN_CONTENT, Block, CannotDecode


class SoundfileSource:
    """A recording opened with libsndfile.

    Raises:
        CannotDecode: libsndfile does not read this content.
        OSError: the file cannot be opened.
    """

    decoder = "libsndfile"

    def __init__(self, path: Path) -> None:
        # A descriptor instead of a name: any name works, and its ending decides nothing.
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._file: soundfile.SoundFile | None = None
        try:
            self._file = soundfile.SoundFile(self._descriptor, closefd=False)
            if self._file.channels > MAX_CHANNELS:
                raise CannotDecode(f"its header says {self._file.channels} channels")
            if not 0 < self._file.samplerate <= MAX_RATE:
                raise CannotDecode(f"its header says a sample rate of {self._file.samplerate} Hz")
        except soundfile.LibsndfileError as error:
            self.close()
            raise CannotDecode(UNKNOWN_CONTENT) from error
        except CannotDecode:
            self.close()
            raise
        self.container = str(self._file.format).lower()
        self.codec = str(self._file.subtype).lower()
        self.duration_s: float | None = self._file.frames / self._file.samplerate
        self.warnings: list[str] = []

    def blocks(self) -> Iterator[Block]:
        """See `Source.blocks`."""
        file = self._file
        if file is None:
            return
        rate = int(file.samplerate)
        size = max(1, int(BLOCK_S * rate))
        done = 0
        while True:
            try:
                samples = file.read(size, dtype="float32", always_2d=True)
            except soundfile.LibsndfileError:
                self.warnings.append(
                    f"The file is damaged after {done / rate:.1f} s; what comes later is lost."
                )
                return
            if len(samples) == 0:
                return
            done += len(samples)
            yield Block(samples, rate)

    def blocks_from(self, seconds: float) -> Iterator[Block]:
        """See `Source.blocks_from`."""
        file = self._file
        if file is None:
            return iter(())
        try:
            file.seek(min(round(seconds * file.samplerate), file.frames))
        except soundfile.LibsndfileError as error:
            raise CannotDecode("it can be read from its beginning only") from error
        return self.blocks()

    def close(self) -> None:
        """See `Source.close`."""
        if self._file is not None:
            self._file.close()
            self._file = None
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
