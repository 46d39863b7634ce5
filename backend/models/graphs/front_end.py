"""Whisper's log-mel front end as graph operators.

80 mel bands of a 400-sample Hann-windowed spectrum every 160 samples (16 kHz), then
`(max(log10(max(mel, 1e-10)), loudest - 8) + 4) / 4` (Radford et al. 2022, section 2.2, and its reference
code).

Every constant is exact in a float16 file although the transform needs float32: a matrix is stored as the
sum of two float16 parts (`_two_parts`), and the power is scaled by 1e10 so that the clamp becomes 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from as2d.backend.models.graphs.writer import GraphWriter

SAMPLE_RATE = 16000
N_FFT = 400
HOP = 160
BINS = N_FFT // 2 + 1
BLOCK = 80  # samples: the window is 5 blocks, the hop 2
_LOW_PART_SCALE = 2.0**11
# Spectrum times 2^12, mel filters times 1e10 / 2^24: both stay well inside float16's range.
_SPECTRUM_SCALE = 2.0**12
_POWER_SCALE = 1e10


def mel_filters(mels: int) -> NDArray[np.float64]:
    """[mels, BINS] triangular filters on the Slaney mel scale, each of unit area, 0..8000 Hz."""
    step, knee = 200.0 / 3.0, 1000.0
    growth = np.log(6.4) / 27.0

    def to_mel(hertz: float) -> float:
        return hertz / step if hertz < knee else float(knee / step + np.log(hertz / knee) / growth)

    points = np.linspace(0.0, to_mel(SAMPLE_RATE / 2), mels + 2)
    hertz = np.where(points < knee / step, points * step, knee * np.exp(growth * (points - knee / step)))
    bins = np.fft.rfftfreq(N_FFT, 1.0 / SAMPLE_RATE)
    rising = (bins[None, :] - hertz[:-2, None]) / (hertz[1:-1] - hertz[:-2])[:, None]
    falling = (hertz[2:, None] - bins[None, :]) / (hertz[2:] - hertz[1:-1])[:, None]
    filters: NDArray[np.float64] = np.maximum(0.0, np.minimum(rising, falling))
    return filters * (2.0 / (hertz[2:] - hertz[:-2]))[:, None]


def spectrum_kernels() -> NDArray[np.float64]:
    """[2 · BINS, N_FFT]: real then imaginary parts of the Hann-windowed (periodic) transform."""
    n = np.arange(N_FFT)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * n / N_FFT)
    angle = 2.0 * np.pi * np.outer(np.arange(BINS), n) / N_FFT
    return np.concatenate([np.cos(angle), np.sin(angle)]) * window


def _two_parts(matrix: NDArray[np.float64]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """(high, low), both exact in float16, with matrix ≈ high + low / 2^11 to 22 binary digits."""
    high = matrix.astype(np.float16).astype(np.float64)
    low = ((matrix - high) * _LOW_PART_SCALE).astype(np.float16)
    return high.astype(np.float32), low.astype(np.float32)


def add_log_mel(graph: GraphWriter, pcm: str, mels: int) -> str:
    """pcm [1, 1, 160·T + 240] in [-1, 1], reflect-padded → log-mel [1, mels, T]."""
    blocks = graph.transpose(graph.reshape(pcm, 1, -1, BLOCK), 0, 2, 1)  # [1, 80, 2T + 3]
    both = graph.op("Concat", blocks, graph.scaled(blocks, 1.0 / _LOW_PART_SCALE), axis=1)
    kernels = np.concatenate(
        [
            part.reshape(2 * BINS, N_FFT // BLOCK, BLOCK).transpose(0, 2, 1)
            for part in _two_parts(spectrum_kernels() * _SPECTRUM_SCALE)
        ],
        axis=1,
    )  # [2 · BINS, 160, 5]
    spectrum = graph.op("Conv", both, graph.constant(kernels), strides=[HOP // BLOCK])
    power = graph.op("Mul", spectrum, spectrum)
    filters = mel_filters(mels) * (_POWER_SCALE / _SPECTRUM_SCALE**2)
    summed = np.concatenate(
        [np.tile(part, (1, 2)) for part in _two_parts(filters)]
    )  # adds real² and imaginary²
    parts = graph.op("Conv", power, graph.constant(summed[:, :, None]))  # [1, 2 · mels, T]
    low = graph.scaled(graph.slice(parts, 1, mels, 2 * mels), 1.0 / _LOW_PART_SCALE)
    mel = graph.op("Add", graph.slice(parts, 1, 0, mels), low)
    natural = graph.op("Log", graph.op("Max", mel, graph.constant(1.0)))
    log_high, log_low = _two_parts(np.array(1.0 / np.log(10.0)))
    log10 = graph.op(
        "Add",
        graph.scaled(natural, float(log_high)),
        graph.scaled(graph.scaled(natural, 1.0 / _LOW_PART_SCALE), float(log_low)),
    )  # 10 + log10 of the power
    loudest = graph.op("ReduceMax", log10, axes=[1, 2], keepdims=1)
    floored = graph.op("Max", log10, graph.op("Sub", loudest, graph.constant(8.0)))
    return graph.op("Sub", graph.scaled(floored, 0.25), graph.constant(1.5))
