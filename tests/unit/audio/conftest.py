"""Recordings for the audio tests: the clips of the repository, and sound made for one test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from as2d.backend.audio import AudioWindow, open_recording

RATE = 16_000


@pytest.fixture(scope="session")
def clips(repository: Path) -> Path:
    """Folder of the ten short recordings."""
    return repository / "tests" / "data" / "speech"


@pytest.fixture(scope="session")
def odd(repository: Path) -> Path:
    """Folder of the odd and broken files."""
    return repository / "tests" / "data" / "odd"


@pytest.fixture(scope="session")
def spoken(clips: Path) -> NDArray[np.float32]:
    """14 s of read speech, float32 [samples], 16 kHz."""
    return (
        np.concatenate([w.pcm for w in windows_of(clips / "libri_198-209-0000.ogg")]).astype(np.float32)
        / 32768
    )


@pytest.fixture
def recorded(tmp_path: Path) -> Callable[..., Path]:
    """Writes float samples [frames] or [frames, channels] to a file and returns its path."""

    def write(
        samples: NDArray[np.floating], rate: int = RATE, name: str = "made.wav", **options: str
    ) -> Path:
        path = tmp_path / name
        soundfile.write(path, samples, rate, **options)
        return path

    return write


def windows_of(path: Path) -> list[AudioWindow]:
    """All windows of a recording."""
    with open_recording(path) as recording:
        return list(recording.windows())


@pytest.fixture(scope="session", name="windows_of")
def windows_of_fixture() -> Callable[[Path], list[AudioWindow]]:
    return windows_of


@pytest.fixture(scope="session")
def same_sound() -> Callable[[NDArray[np.generic], NDArray[np.generic]], float]:
    """How well two recordings agree: their correlation from 300 to 3000 Hz at the best shift, 0 to 1."""

    def agreement(one: NDArray[np.generic], other: NDArray[np.generic]) -> float:
        size = 1 << (len(one) + len(other)).bit_length()
        a, b = (np.fft.rfft(pcm.astype(np.float64), size) for pcm in (one, other))
        hertz = np.fft.rfftfreq(size, 1 / RATE)
        voice = (hertz > 300) & (hertz < 3000)
        a, b = a * voice, b * voice
        norm = np.sqrt(np.square(np.fft.irfft(a)).sum() * np.square(np.fft.irfft(b)).sum())
        return float(np.fft.irfft(a * b.conj()).max() / norm)

    return agreement
