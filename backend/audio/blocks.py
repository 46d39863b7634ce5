"""What every decoder yields: blocks of samples, and the interface of a decoder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# Long enough for array arithmetic to pay, short enough for memory, progress and cancelling.
BLOCK_S = 1.0
# More channels or a higher rate than this is a damaged header, not a recording.
MAX_CHANNELS = 64
MAX_RATE = 768_000
UNKNOWN_CONTENT = "its content is not a sound format that can be decoded"


@dataclass(frozen=True)
class Block:
    """Consecutive samples of one recording.

    `samples`: float32 [frames, channels], full scale ±1, may hold NaN, infinities and peaks over full scale.
    `rate`: Hz; may differ from the block before it.
    """

    samples: NDArray[np.float32]
    rate: int


class Source(Protocol):
    """An opened recording that can be decoded once, from its beginning."""

    decoder: str
    container: str
    codec: str
    duration_s: float | None
    """Seconds that the file declares, or an estimate from its bit rate; None where neither is possible."""
    warnings: list[str]
    """Sentences about what could not be decoded; complete when `blocks` has ended."""

    def blocks(self) -> Iterator[Block]:
        """Yield the sound in order. A damaged file ends early with a warning instead of an exception."""
        ...

    def blocks_from(self, seconds: float) -> Iterator[Block]:
        """Yield the sound from a place on, for listening: what `blocks` yields there, to a few milliseconds
        where a file's time stamps are exact, to 0.1 s in WMA.

        Raises:
            CannotDecode: this content can be decoded from its beginning only.
        """
        ...

    def close(self) -> None:
        """Close what this source opened; may be called twice."""
        ...


class CannotDecode(Exception):
    """This decoder cannot read this content; the message is a clause that names the reason."""


def joined(blocks: Iterable[Block]) -> Iterator[Block]:
    """Join neighbouring small blocks of the same rate and channel count into blocks of about `BLOCK_S`."""
    waiting: list[Block] = []
    frames = 0
    for block in blocks:
        if waiting and (
            block.rate != waiting[0].rate or block.samples.shape[1] != waiting[0].samples.shape[1]
        ):
            yield _one(waiting)
            waiting, frames = [], 0
        waiting.append(block)
        frames += len(block.samples)
        if frames >= BLOCK_S * block.rate:
            yield _one(waiting)
            waiting, frames = [], 0
    if waiting:
        yield _one(waiting)


def _one(blocks: list[Block]) -> Block:
    if len(blocks) == 1:
        return blocks[0]
    return Block(np.concatenate([block.samples for block in blocks]), blocks[0].rate)
