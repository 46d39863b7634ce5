"""The outline of a recording for a waveform: the lowest and highest sample of every 10 ms."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from as2d.backend.audio.blocks import Block
from as2d.backend.audio.level import make_finite
from as2d.backend.audio.mix import Mixer
from as2d.backend.audio.names import shown_name
from as2d.backend.audio.opening import open_source
from as2d.backend.paths import cache_dir
from as2d.backend.runs.files import write_atomically

PER_SECOND = 100
_SCALE = 32767
_COARSE = 64
_MOST_KEPT = 300


class Peaks:
    """Grows in one thread and may be read in another; an hour takes 1.5 MB.

    `count`: buckets of 10 ms so far; `complete`: the whole recording is in it.
    """

    def __init__(self, values: NDArray[np.int16] | None = None) -> None:
        """`values`: int16 [buckets, 2], lowest and highest, of a whole recording."""
        self._values = np.zeros((4096, 2), np.int16) if values is None else values
        self._coarse = np.zeros((0, 2), np.int16)
        self.count = 0
        self.complete = False
        if values is not None:
            self._grown(len(values))
            self.complete = True

    @property
    def duration_s(self) -> float:
        """Seconds of sound in it."""
        return self.count / PER_SECOND

    @property
    def values(self) -> NDArray[np.int16]:
        """All buckets."""
        return self._values[: self.count]

    def append(self, values: NDArray[np.int16]) -> None:
        """Add buckets at the end."""
        end = self.count + len(values)
        if end > len(self._values):
            grown = np.zeros((max(end, 2 * len(self._values)), 2), np.int16)
            grown[: self.count] = self.values
            self._values = grown
        self._values[self.count : end] = values
        self._grown(end)

    def columns(self, begin_s: float, end_s: float, count: int) -> NDArray[np.float32]:
        """Lowest and highest of `count` equal stretches: float32 [count, 2] within ±1; 0 where nothing is
        known.
        """
        per_bucket, values = 1, self._values[: self.count]
        if (end_s - begin_s) * PER_SECOND > 2 * _COARSE * count:
            per_bucket, values = _COARSE, self._coarse
        edges = np.linspace(begin_s, end_s, count + 1) * PER_SECOND / per_bucket
        firsts = np.floor(edges[:-1]).astype(np.int64)
        lasts = np.maximum(np.floor(edges[1:]).astype(np.int64), firsts + 1)
        found = np.zeros((count, 2), np.float32)
        known = (firsts >= 0) & (firsts < len(values))
        if known.any():
            # Two marks a stretch: every second result is the stretch, those between are overlaps.
            marks = np.stack([firsts[known], np.minimum(lasts[known], len(values))], axis=1).ravel()
            padded = np.concatenate([values, np.zeros((1, 2), np.int16)])
            found[known, 0] = np.minimum.reduceat(padded[:, 0], marks)[::2]
            found[known, 1] = np.maximum.reduceat(padded[:, 1], marks)[::2]
        found /= _SCALE
        return found

    def loudest(self) -> float:
        """The largest deflection so far, 0 to 1."""
        return float(np.abs(self._coarse.astype(np.int32)).max(initial=0)) / _SCALE

    def _grown(self, count: int) -> None:
        whole = count // _COARSE
        before = len(self._coarse)
        if whole > before:
            fresh = self._values[before * _COARSE : whole * _COARSE].reshape(-1, _COARSE, 2)
            rows = np.stack([fresh[:, :, 0].min(axis=1), fresh[:, :, 1].max(axis=1)], axis=1)
            self._coarse = np.concatenate([self._coarse, rows])
        self.count = count


def read_peaks(path: Path, into: Peaks, *, cancelled: Callable[[], bool] | None = None) -> None:
    """Outline a whole recording, in bounded memory; a file whose outline is known is not decoded again.

    `cancelled` is asked about once a second of sound; what is there then stays.

    Raises:
        InputRefused: as `open_recording`.
    """
    kept = _kept_at(path)
    if kept is not None and (values := _load(kept)) is not None:
        into.append(values)
        into.complete = True
        return
    source, blocks, _ = open_source(path, shown_name(path))
    outline = _Outline()
    try:
        for block in blocks:
            into.append(outline.feed(block))
            if cancelled is not None and cancelled():
                return
        into.append(outline.rest())
    finally:
        source.close()
    into.complete = True
    if kept is not None:
        _keep(kept, into.values)


class _Outline:
    """Cuts blocks of any rate into buckets of 10 ms."""

    def __init__(self) -> None:
        self._mixer = Mixer()
        self._waiting = np.zeros(0, np.float32)
        self._rate = 0
        self._bucket = 0

    def feed(self, block: Block) -> NDArray[np.int16]:
        before = np.zeros((0, 2), np.int16)
        if block.rate != self._rate:
            before = self.rest()
            self._rate, self._bucket = block.rate, 0
        sound = self._mixer.mix(make_finite(block.samples)[0], block.rate)
        self._waiting = np.concatenate([self._waiting, sound])
        return np.concatenate([before, self._cut()])

    def rest(self) -> NDArray[np.int16]:
        """What is left when a stretch ends."""
        waiting, self._waiting = self._waiting, np.zeros(0, np.float32)
        return _extremes(waiting, np.array([0])) if len(waiting) else np.zeros((0, 2), np.int16)

    def _cut(self) -> NDArray[np.int16]:
        # Buckets begin at whole samples, whatever the rate: the n-th at n * rate / 100.
        begin = self._bucket * self._rate // PER_SECOND
        count = (begin + len(self._waiting)) * PER_SECOND // self._rate - self._bucket
        if count <= 0:
            return np.zeros((0, 2), np.int16)
        edges = (self._bucket + np.arange(count + 1)) * self._rate // PER_SECOND - begin
        edges = np.minimum(edges, len(self._waiting))
        self._bucket += count
        sound, self._waiting = self._waiting[: edges[-1]], self._waiting[edges[-1] :]
        return _extremes(sound, edges[:-1])


def _extremes(sound: NDArray[np.float32], firsts: NDArray[np.int64]) -> NDArray[np.int16]:
    firsts = np.minimum(firsts, len(sound) - 1)
    pairs = np.stack([np.minimum.reduceat(sound, firsts), np.maximum.reduceat(sound, firsts)], axis=1)
    scaled: NDArray[np.int16] = np.rint(np.clip(pairs, -1, 1) * _SCALE).astype(np.int16)
    return scaled


def _kept_at(path: Path) -> Path | None:
    """Where the outline of this content is kept; None: the file cannot be looked at."""
    try:
        status = path.stat()
    except OSError:
        return None
    mark = f"{os.path.realpath(path)}\0{status.st_size}\0{status.st_mtime_ns}"
    name = hashlib.sha256(mark.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return cache_dir() / "peaks" / f"{name}.npy"


def _load(kept: Path) -> NDArray[np.int16] | None:
    try:
        values: NDArray[np.int16] = np.load(kept, allow_pickle=False)
        os.utime(kept)
    except (OSError, ValueError, EOFError):
        return None
    whole = values.dtype == np.int16 and values.ndim == 2 and values.shape[1] == 2
    return values if whole else None


def _keep(kept: Path, values: NDArray[np.int16]) -> None:
    """Keep an outline, and the newest others; a cache that cannot be written is none."""
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(kept, _npy_bytes(values))
        others = sorted(kept.parent.glob("*.npy"), key=lambda path: path.stat().st_mtime)
        for old in others[:-_MOST_KEPT]:
            old.unlink(missing_ok=True)
    except OSError:
        return


def _npy_bytes(values: NDArray[np.int16]) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values, allow_pickle=False)
    return buffer.getvalue()
