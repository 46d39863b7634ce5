"""Keeping samples finite and within full scale."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Recordings stored as floats at 16-bit scale peak at 32,768; anything far beyond is damage.
_LARGEST = np.float32(1e6)
# A peak is forgotten by 5 % a frame of 32 ms: the gain is back after about 1.3 s for a peak of 8.
_FORGET = 0.95


def make_finite(samples: NDArray[np.float32]) -> tuple[NDArray[np.float32], int]:
    """Replace NaN and infinities by 0; return the samples (same shape) and how many were replaced."""
    with np.errstate(invalid="ignore"):
        total = samples.sum(dtype=np.float64)
    if np.isfinite(total):
        return _within(samples), 0
    bad = ~np.isfinite(samples)
    return _within(np.where(bad, np.float32(0), samples)), int(bad.sum())


def _within(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.clip(samples, -_LARGEST, _LARGEST)


class Limiter:
    """Turns down what exceeds full scale instead of clipping it; what stays within ±1 is left as it is."""

    def __init__(self) -> None:
        self._peak = 1.0
        self._gain = 1.0

    def limit(self, frames: NDArray[np.float32]) -> NDArray[np.float32]:
        """Take float32 [frames, samples], each frame 32 ms; return them within ±1."""
        if len(frames) == 0 or (self._gain == 1.0 and float(np.abs(frames).max(initial=0.0)) <= 1.0):
            return frames
        return np.stack([self._one(frame) for frame in frames])

    def _one(self, frame: NDArray[np.float32]) -> NDArray[np.float32]:
        highest = float(np.abs(frame).max(initial=0.0))
        self._peak = max(highest, self._peak * _FORGET, 1.0)
        gain = 1.0 / self._peak
        ramp = np.linspace(self._gain, gain, len(frame), endpoint=False, dtype=np.float32)
        # Gains glide only upwards: a glide down would let the peak through.
        limited = frame * (ramp if gain > self._gain else np.float32(gain))
        self._gain = gain
        clipped: NDArray[np.float32] = np.clip(limited, -1, 1)
        return clipped


def to_int16(frame: NDArray[np.float32]) -> NDArray[np.int16]:
    """Quantise float32 samples within ±1 to int16; 16-bit input comes back bit for bit."""
    quantised: NDArray[np.int16] = np.clip(np.rint(frame * 32768.0), -32768, 32767).astype(np.int16)
    return quantised
