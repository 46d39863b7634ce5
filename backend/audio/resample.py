"""Resampling to 16 kHz, streamed."""

from __future__ import annotations

import numpy as np
import soxr
from numpy.typing import NDArray

TARGET_RATE = 16_000


class Resampler:
    """Turns mono blocks of any rate into one stream of 16 kHz samples.

    The number of samples out is the duration in times 16,000 (±1) for every stretch of one rate. A change of
    rate in the middle flushes what the filter holds and goes on without losing a sample.
    """

    def __init__(self) -> None:
        self._rate = TARGET_RATE
        self._stream: soxr.ResampleStream | None = None

    def feed(self, samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
        """Take float32 [frames] at `rate` Hz; return what is ready, float32 [frames] at 16 kHz."""
        before = np.zeros(0, np.float32)
        if rate != self._rate:
            before = self.flush()
            self._rate = rate
            if rate != TARGET_RATE:
                self._stream = soxr.ResampleStream(rate, TARGET_RATE, 1, dtype="float32", quality="HQ")
        if self._stream is None:
            ready = samples
        else:
            ready = self._stream.resample_chunk(np.ascontiguousarray(samples))
        return np.concatenate([before, ready]) if len(before) else ready

    def flush(self) -> NDArray[np.float32]:
        """Return the rest, float32 [frames] at 16 kHz; the next block starts a new stretch."""
        stream, self._stream, self._rate = self._stream, None, TARGET_RATE
        if stream is None:
            return np.zeros(0, np.float32)
        rest: NDArray[np.float32] = stream.resample_chunk(np.zeros(0, np.float32), last=True)
        return rest
