"""What is no speech must not reach the model, which invents words for it; what is speech must."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from as2d.backend.audio import AudioWindow, open_recording

Windows = Callable[[Path], list[AudioWindow]]
COUNT = 16_000 * 12
TIME = np.arange(COUNT) / 16_000


def white(level: float) -> NDArray[np.float64]:
    return level * np.random.default_rng(1).standard_normal(COUNT)


def pink(level: float) -> NDArray[np.float64]:
    spectrum = np.fft.rfft(np.random.default_rng(2).standard_normal(COUNT))
    sound = np.fft.irfft(spectrum / np.sqrt(np.maximum(1, np.arange(len(spectrum)))), COUNT)
    return level * sound / np.abs(sound).max()


def hum(hertz: float, overtones: int) -> NDArray[np.float64]:
    return 0.2 * sum(np.sin(2 * np.pi * hertz * k * TIME + k) / k for k in range(1, overtones + 1))


def beeps(first: float, second: float, on: float, off: float) -> NDArray[np.float64]:
    return (
        0.15
        * (TIME % (on + off) < on)
        * (np.sin(2 * np.pi * first * TIME) + np.sin(2 * np.pi * second * TIME))
    )


def typing() -> NDArray[np.float64]:
    random = np.random.default_rng(3)
    sound = white(0.002)
    length = np.arange(1200)
    for at in np.cumsum(random.uniform(0.05, 0.3, 60)):
        begin = int(at * 16_000)
        if begin + 1200 > COUNT:
            break
        click = random.standard_normal(1200) * np.exp(-length / random.uniform(60, 200))
        thump = np.sin(2 * np.pi * random.uniform(100, 300) / 16_000 * length) * np.exp(-length / 300)
        sound[begin : begin + 1200] += random.uniform(0.1, 0.5) * (0.6 * click + 0.4 * thump)
    return sound


def engine() -> NDArray[np.float64]:
    phase = 2 * np.pi * np.cumsum(90 + 20 * np.sin(2 * np.pi * 0.2 * TIME)) / 16_000
    return 0.2 * sum(np.sin(k * phase) / k for k in range(1, 12)) + white(0.03)


NO_SPEECH = {
    "digital silence": np.zeros(COUNT),
    "constant offset": np.full(COUNT, 0.5),
    "last-bit noise": np.random.default_rng(4).integers(-1, 2, COUNT) / 32768,
    "white noise, faint": white(0.001),
    "white noise": white(0.02),
    "white noise, loud": white(0.3),
    "noise in waves": white(0.1) * (1 + np.sin(2 * np.pi * 4 * TIME)) / 2,
    "pink noise, faint": pink(0.005),
    "pink noise, loud": pink(0.9),
    "tone 440 Hz": 0.3 * np.sin(2 * np.pi * 440 * TIME),
    "tone 200 Hz": 0.3 * np.sin(2 * np.pi * 200 * TIME),
    "tone from second 4 to 9": 0.3 * np.sin(2 * np.pi * 150 * TIME) * ((TIME > 4) & (TIME < 9)),
    "mains hum 50 Hz": hum(50, 8),
    "mains hum 60 Hz": hum(60, 20),
    "transformer 100 Hz": hum(100, 4),
    "transformer 120 Hz, hiss": hum(120, 4) + white(0.003),
    "hum 150 Hz": hum(150, 2),
    "hum 200 Hz, hiss": hum(200, 2) + white(0.003),
    "telephone rings": beeps(400, 450, 0.4, 0.2),
    "busy signal": beeps(480, 620, 0.5, 0.5),
    "beeps": beeps(1000, 1000, 0.1, 0.9),
    "typing": typing(),
    "engine": engine(),
}


@pytest.mark.parametrize("name", NO_SPEECH)
def test_no_speech(name: str, recorded: Callable[..., Path], windows_of: Windows) -> None:
    sound = np.clip(NO_SPEECH[name], -1, 1).astype(np.float32)
    assert [window for window in windows_of(recorded(sound)) if window.speech] == []


def spoken_seconds(windows: list[AudioWindow]) -> float:
    return sum(window.end_s - window.start_s for window in windows if window.speech)


CLIPS = Path(__file__).resolve().parents[2] / "data" / "speech"
ROWS = [json.loads(line) for line in (CLIPS / "manifest.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row["path"] for row in ROWS])
def test_speech_of_every_kind_is_kept(row: dict[str, str | float], windows_of: Windows) -> None:
    windows = windows_of(CLIPS / str(row["path"]))
    assert all(window.speech for window in windows)
    least = 0.5 if row["path"] == "ami_trn04.flac" else 0.65  # a meeting whose microphone is far away
    assert spoken_seconds(windows) > least * float(row["duration_s"])


def whispered(voice: NDArray[np.float32]) -> NDArray[np.float64]:
    """The same words without a voice: the vocal tract of each 25 ms (linear prediction), excited by noise."""
    random = np.random.default_rng(5)
    order, size = 16, 400
    sound, shape = np.zeros(len(voice)), np.hanning(size)
    index = np.abs(np.subtract.outer(np.arange(order), np.arange(order)))
    for begin in range(0, len(voice) - size, size // 2):
        piece = voice[begin : begin + size] * shape
        likeness = np.correlate(piece, piece, "full")[size - 1 : size + order]
        if likeness[0] < 1e-7:
            continue
        likeness[0] *= 1.001
        tract = np.linalg.solve(likeness[index], likeness[1:])
        strength = np.sqrt(max(likeness[0] - tract @ likeness[1:], 0) / size)
        made = np.zeros(size + order)
        noise = strength * random.standard_normal(size)
        for at in range(size):
            made[at + order] = noise[at] + tract @ made[at : at + order][::-1]
        sound[begin : begin + size] += made[order:] * shape
    return sound


def test_whispering_is_speech(
    spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    whisper = whispered(spoken[:96_000])
    windows = windows_of(recorded((0.2 * whisper / np.abs(whisper).max()).astype(np.float32)))
    assert spoken_seconds(windows) > 5


@pytest.mark.parametrize("decibel", [-20, -40, -60])
def test_a_quiet_recording_is_speech(
    decibel: int, spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    quiet = spoken[:96_000] / np.abs(spoken).max() * 10 ** (decibel / 20)
    assert spoken_seconds(windows_of(recorded(quiet, subtype="PCM_24"))) > 5


@pytest.mark.parametrize("disturbance", ["mains hum 50 Hz", "constant offset", "white noise"])
def test_speech_over_a_disturbance_is_speech(
    disturbance: str, spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    both = 0.5 * spoken[:96_000] / np.abs(spoken).max() + 0.5 * NO_SPEECH[disturbance][:96_000]
    assert spoken_seconds(windows_of(recorded(both.astype(np.float32)))) > 5


def test_speech_after_long_silence_is_found_at_its_time(
    spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    sound = np.concatenate(
        [np.zeros(16_000 * 120, np.float32), spoken[:32_000], np.zeros(16_000 * 60, np.float32)]
    )
    windows = windows_of(recorded(sound))
    first = 120 + np.flatnonzero(np.abs(spoken) > 0.02)[0] / 16_000
    assert [window.speech for window in windows] == [True]
    assert first - 1.2 < windows[0].start_s <= first
    assert 122 <= windows[0].end_s < 123.2


@pytest.mark.shared_data
def test_speech_of_the_large_set_is_kept(shared_data: Path) -> None:
    folder = shared_data / "speech"
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text("utf-8").splitlines()]
    kept = total = 0.0
    for row in rows:
        with open_recording(folder / row["path"]) as recording:
            windows = list(islice(recording.windows(), 2))  # the long ones are cut elsewhere
            total += min(recording.position_s, windows[-1].end_s if len(windows) == 2 else 60)
        assert any(window.speech for window in windows), row["path"]
        kept += spoken_seconds(windows)
    assert len(rows) >= 52
    assert kept > 0.9 * total
