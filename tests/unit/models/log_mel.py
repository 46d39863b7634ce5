"""Whisper's log-mel spectrogram in float64, straight from its definition."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RATE, WINDOW, HOP, MELS = 16000, 400, 160, 80


def mel_filters() -> NDArray[np.float64]:
    """[80, 201]: Slaney's mel scale (linear to 1 kHz, then logarithmic), triangles of unit area."""

    def hertz(mel: float) -> float:
        return mel * 200 / 3 if mel < 15 else 1000 * 6.4 ** ((mel - 15) / 27)

    highest = 15 + 27 * np.log(8) / np.log(6.4)
    edges = [hertz(highest * n / (MELS + 1)) for n in range(MELS + 2)]
    filters = np.zeros((MELS, WINDOW // 2 + 1))
    for band in range(MELS):
        low, middle, high = edges[band : band + 3]
        for bin_ in range(WINDOW // 2 + 1):
            frequency = bin_ * RATE / WINDOW
            inside = min((frequency - low) / (middle - low), (high - frequency) / (high - middle))
            filters[band, bin_] = max(0.0, inside) * 2 / (high - low)
    return filters


def log_mel(pcm: NDArray[np.float32], frames: int = 3000) -> NDArray[np.float64]:
    """[80, frames] of samples in [-1, 1], zeros behind them up to 160·frames."""
    samples = np.zeros(HOP * frames)
    samples[: min(len(pcm), len(samples))] = pcm[: len(samples)]
    samples = np.pad(samples, WINDOW // 2, mode="reflect")
    window = np.sin(np.pi * np.arange(WINDOW) / WINDOW) ** 2
    pieces = np.stack([samples[HOP * n : HOP * n + WINDOW] for n in range(frames)]) * window
    power = np.abs(np.fft.rfft(pieces)) ** 2
    log = np.log10(np.maximum(power @ mel_filters().T, 1e-10)).T
    return (np.maximum(log, log.max() - 8) + 4) / 4
