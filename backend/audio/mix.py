"""Mixing any number of channels to one so that speech in any of them stays audible."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# A channel that never came within 40 dB of the loudest one is empty: it would only dilute the mix.
_EMPTY = 1e-4
# The mean is too weak when it falls below this share of the loudest channel's energy (7 dB): one voice among
# many microphones, or channels that cancel each other.
_WEAK = 0.2
_RAMP_S = 0.02


class Mixer:
    """Mixes blocks of one recording: the mean of the channels that carry sound.

    Where the mean is too weak their sum is taken, and where that is too weak as well (they cancel each other)
    the loudest channel alone. Weights are chosen a block at a time and glide for 20 ms, so that a change
    makes no click. The number of channels may change between blocks.
    """

    def __init__(self) -> None:
        self._loudest = np.zeros(0)
        self._weights = np.zeros(0, np.float32)

    def mix(self, samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
        """Mix finite float32 [frames, channels] at `rate` Hz to float32 [frames]."""
        channels = samples.shape[1]
        if channels == 1:
            only: NDArray[np.float32] = samples[:, 0]
            return only
        if len(samples) == 0:
            return np.zeros(0, np.float32)
        energy = np.einsum("fc,fc->c", samples, samples, dtype=np.float64) / len(samples)
        if len(self._loudest) != channels:
            self._loudest = np.zeros(channels)
            self._weights = np.zeros(0, np.float32)
        self._loudest = np.maximum(self._loudest, energy)
        weights = self._choose(samples, energy)
        before = self._weights if len(self._weights) else weights
        self._weights = weights
        mixed: NDArray[np.float32] = samples @ weights
        if not np.array_equal(before, weights):
            ramp = min(len(samples), max(1, int(_RAMP_S * rate)))
            share = np.linspace(0, 1, ramp, endpoint=False, dtype=np.float32)
            mixed[:ramp] = share * mixed[:ramp] + (1 - share) * (samples[:ramp] @ before)
        return mixed

    def _choose(self, samples: NDArray[np.float32], energy: NDArray[np.float64]) -> NDArray[np.float32]:
        top = self._loudest.max()
        carrying = self._loudest > _EMPTY * top if top > 0 else np.ones(len(energy), bool)
        count = int(carrying.sum())
        mean: NDArray[np.float32] = (carrying / count).astype(np.float32)
        mixed = samples @ mean
        share = float(mixed @ mixed) / len(samples) / max(float(energy.max()), 1e-30)
        if share >= _WEAK or energy.max() == 0:
            return mean
        if share * count**2 >= _WEAK:
            return mean * np.float32(count)
        loudest = np.zeros(len(energy), np.float32)
        loudest[int(energy.argmax())] = 1
        return loudest
