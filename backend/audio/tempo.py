"""Plays faster or slower at the same pitch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import av
import av.error
import numpy as np
from av.audio.frame import AudioFrame
from av.filter import Graph
from numpy.typing import NDArray

SLOWEST, FASTEST = 0.5, 3.0


def at_speed(pieces: Iterable[NDArray[np.float32]], speed: float, rate: int) -> Iterator[NDArray[np.float32]]:
    """Pieces of float32 [frames, 2] at `speed` times their tempo, 0.5 to 3, by FFmpeg's atempo."""
    if speed == 1.0:
        yield from pieces
        return
    graph = Graph()
    source = graph.add_abuffer(sample_rate=rate, format="flt", layout="stereo", time_base=None)
    tempo = graph.add("atempo", f"{min(max(speed, SLOWEST), FASTEST):g}")
    sink = graph.add("abuffersink")
    source.link_to(tempo)
    tempo.link_to(sink)
    graph.configure()
    for piece in pieces:
        frame = AudioFrame.from_ndarray(
            np.ascontiguousarray(piece).reshape(1, -1), format="flt", layout="stereo"
        )
        frame.sample_rate = rate
        source.push(frame)
        yield from _pulled(sink)
    source.push(None)
    yield from _pulled(sink)


def _pulled(sink: av.filter.context.FilterContext) -> Iterator[NDArray[np.float32]]:
    while True:
        try:
            frame = sink.pull()
        except (av.error.BlockingIOError, av.error.EOFError):
            return
        assert isinstance(frame, AudioFrame)
        yield frame.to_ndarray().reshape(-1, 2).astype(np.float32, copy=False)
