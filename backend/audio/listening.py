"""A recording as it is played: 48 kHz stereo from any place on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import soxr
from numpy.typing import NDArray

from as2d.backend.audio.blocks import Block, CannotDecode, Source
from as2d.backend.audio.level import make_finite
from as2d.backend.audio.mix import Mixer
from as2d.backend.audio.names import shown_name
from as2d.backend.audio.opening import open_source

RATE = 48_000
CHANNELS = 2
_PIECE = RATE // 10


class Listening:
    """A recording opened to be heard; belongs to one thread.

    Raises:
        InputRefused: as `open_recording`.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._source: Source
        self._begun: Iterator[Block] | None
        self._source, self._begun, _ = open_source(path, shown_name(path))
        self.duration_s = self._source.duration_s

    def pieces(self, from_s: float = 0.0) -> Iterator[NDArray[np.float32]]:
        """The sound from a place on: float32 [frames, 2] at 48 kHz within ±1, at most 0.1 s a piece.

        Recordings of one channel sound on both sides, those of more than two are mixed.

        Raises:
            InputRefused: the file has changed and cannot be opened again.
        """
        for sound in _resampled(self._blocks(from_s)):
            for first in range(0, len(sound), _PIECE):
                yield np.clip(sound[first : first + _PIECE], -1, 1)

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._source.close()

    def _blocks(self, from_s: float) -> Iterator[Block]:
        begun, self._begun = self._begun, None
        if begun is not None and from_s <= 0:
            return begun
        try:
            return self._source.blocks_from(from_s)
        except CannotDecode:
            self._source.close()
            self._source, begun, _ = open_source(self._path, shown_name(self._path))
            return _behind(begun, from_s)


def _behind(blocks: Iterator[Block], seconds: float) -> Iterator[Block]:
    """The blocks behind a place, where only decoding leads to it."""
    for block in blocks:
        length = len(block.samples) / block.rate
        if seconds < length:
            yield Block(block.samples[round(seconds * block.rate) :], block.rate)
        seconds = max(0.0, seconds - length)


def _resampled(blocks: Iterator[Block]) -> Iterator[NDArray[np.float32]]:
    mixer = Mixer()
    stream: soxr.ResampleStream | None = None
    rate = RATE
    for block in blocks:
        if block.rate != rate and stream is not None:
            yield stream.resample_chunk(np.zeros((0, CHANNELS), np.float32), last=True)
            stream = None
        if block.rate != rate and block.rate != RATE:
            stream = soxr.ResampleStream(block.rate, RATE, CHANNELS, dtype="float32", quality="HQ")
        rate = block.rate
        sound = _stereo(make_finite(block.samples)[0], block.rate, mixer)
        yield sound if stream is None else stream.resample_chunk(sound)
    if stream is not None:
        yield stream.resample_chunk(np.zeros((0, CHANNELS), np.float32), last=True)


def _stereo(samples: NDArray[np.float32], rate: int, mixer: Mixer) -> NDArray[np.float32]:
    if samples.shape[1] == CHANNELS:
        return np.ascontiguousarray(samples)
    return np.repeat(mixer.mix(samples, rate)[:, None], CHANNELS, axis=1)
