"""Windows: at most 30 s, cut at pauses, nothing said lost or doubled, times absolute."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from as2d.backend.audio import AudioWindow, open_recording
from as2d.backend.audio.windows import LONGEST, Window, WindowCutter

Windows = Callable[[Path], list[AudioWindow]]


def lecture(spoken: NDArray[np.float32], seconds: float, pause: float = 0.35) -> NDArray[np.float32]:
    """Speech without end: phrases of the same reader with a faint room between them."""
    random = np.random.default_rng(6)
    room = lambda s: (0.0005 * random.standard_normal(int(s * 16_000))).astype(np.float32)  # noqa: E731
    parts = []
    while sum(map(len, parts)) < seconds * 16_000:
        begin = int(random.integers(0, len(spoken) - 80_000))
        parts += [spoken[begin : begin + int(random.integers(40_000, 80_000))], room(pause)]
    return np.concatenate(parts)[: int(seconds * 16_000)]


def same_pcm(window: AudioWindow, sound: NDArray[np.float32]) -> bool:
    first, end = round(window.start_s * 16_000), round(window.end_s * 16_000)
    return np.array_equal(window.pcm, np.rint(sound[first:end] * 32768).astype(np.int16))


def test_long_speech_is_cut_without_loss_or_overlap(
    spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    sound = np.rint(lecture(spoken, 200) * 32768).astype(np.float32) / 32768
    windows = windows_of(recorded(sound))
    assert [window.index for window in windows] == list(range(len(windows)))
    assert all(window.speech and same_pcm(window, sound) for window in windows)
    assert all(12 <= window.end_s - window.start_s <= 30 for window in windows[:-1])
    assert windows[-1].end_s - windows[-1].start_s >= 5
    assert windows[0].start_s < 0.3
    assert windows[-1].end_s > 199.3
    for one, following in pairwise(windows):
        assert one.end_s == following.start_s
        cut = round(one.end_s * 16_000)
        around, within = sound[cut - 800 : cut + 800], sound[cut - 160_000 : cut]
        assert np.square(around).mean() < 0.02 * np.square(within).mean(), "in a pause, never within a word"


def test_speech_without_a_pause_is_cut_where_it_is_quietest(
    spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    frames = spoken[: len(spoken) // 512 * 512].reshape(-1, 512)
    dense = frames[np.sqrt(np.square(frames).mean(axis=1)) > 0.01].reshape(-1)
    sound = np.tile(dense, 8)[: 16_000 * 50]
    windows = windows_of(recorded(sound))
    assert sum(window.end_s - window.start_s for window in windows) == pytest.approx(50, abs=1.3)
    assert all(window.end_s - window.start_s <= 30 for window in windows)


@pytest.mark.parametrize("seconds", [30.0, 30.00006, 29.99, 31, 33, 36, 37])
def test_no_window_is_a_mere_remainder(
    seconds: float, spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    windows = windows_of(recorded(lecture(spoken, seconds)))
    if seconds < 30.01:
        assert [len(window.pcm) for window in windows] == [min(480_000, int(seconds * 16_000))]
    else:
        assert len(windows) == 2
        assert all(window.end_s - window.start_s >= 4.9 for window in windows)


def test_long_silence_is_in_no_window_and_times_are_absolute(
    spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    phrase = spoken[8000:72_000]
    silence = lambda s: np.zeros(int(s * 16_000), np.float32)  # noqa: E731
    sound = np.concatenate([silence(70), phrase, silence(45), phrase, silence(2), phrase, silence(90)])
    windows = windows_of(recorded(sound))
    spans = [(window.start_s, window.end_s) for window in windows]
    assert spans == [pytest.approx((69.7, 74.3), abs=0.7), pytest.approx((118.7, 129.3), abs=0.7)]
    assert all(same_pcm(window, sound) for window in windows)
    assert all(start < at and at + 4 < end + 0.6 for (start, end), at in zip(spans, (70, 119), strict=True))


def test_a_single_word_gets_a_window_that_a_model_can_take(
    spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    sound = np.zeros(16_000 * 20, np.float32)
    sound[160_000:168_000] = spoken[32_000:40_000]
    windows = windows_of(recorded(sound))
    assert [window.speech for window in windows] == [True]
    assert 1 <= windows[0].end_s - windows[0].start_s <= 2
    assert windows[0].start_s < 10
    assert windows[0].end_s > 10.5


def test_real_recordings_are_cut_in_pauses(clips: Path, windows_of: Windows) -> None:
    for name in ("sonnet001.mp3", "aishell_S0764_0121-0130.opus", "fw_multilingual_en_de.mp3"):
        windows = windows_of(clips / name)
        assert len(windows) >= 2
        for one, following in pairwise(windows):
            assert one.end_s <= following.start_s
            edge = np.concatenate([one.pcm[-800:], following.pcm[:800]]).astype(float)
            loud = np.sqrt(np.square(one.pcm.astype(float)).mean())
            assert np.sqrt(np.square(edge).mean()) < 0.15 * loud


def cut(probabilities: NDArray[np.float32], last: int, sizes: list[int]) -> list[Window]:
    """Feed frames in pieces of the given sizes; sample values are their own numbers, modulo 30,000."""
    count = (len(probabilities) - 1) * 512 + last
    pcm = (np.arange(count) % 30_000).astype(np.int16)
    cutter = WindowCutter()
    windows: list[Window] = []
    at = 0
    for size in [*sizes, len(probabilities)]:
        end = min(len(probabilities), at + size)
        frames = [pcm[512 * k : 512 * (k + 1)] for k in range(at, end)]
        levels = 60 * probabilities[at:end] - 70
        windows += cutter.push(frames, probabilities[at:end], levels)
        at = end
    return windows + list(cutter.finish())


TRACKS = st.lists(st.tuples(st.floats(0, 1, width=32), st.integers(1, 500)), min_size=1, max_size=12)


@settings(max_examples=100, deadline=None)
@given(TRACKS, st.integers(1, 512), st.lists(st.integers(1, 400), max_size=20))
def test_whatever_the_detector_says(track: list[tuple[float, int]], last: int, sizes: list[int]) -> None:
    probabilities = np.concatenate([np.full(length, value, np.float32) for value, length in track])
    windows = cut(probabilities, last, sizes)
    count = (len(probabilities) - 1) * 512 + last
    covered = np.zeros(count, bool)
    end = 0
    for window in windows:
        assert window.first >= end
        end = window.first + len(window.pcm)
        assert 0 < len(window.pcm) <= LONGEST
        assert np.array_equal(window.pcm, np.arange(window.first, end) % 30_000)
        covered[window.first : end] = True
    at = 0
    for value, length in track:
        if value >= 0.1 and length >= 4:
            part = covered[at * 512 : (at + length) * 512]
            # Only a recording that ends just after 30 s may lose its last samples (10 ms).
            assert np.count_nonzero(~part) <= (160 if at + length == len(probabilities) else 0)
        at += length
    whole = cut(probabilities, last, [])
    assert [(w.first, len(w.pcm), w.speech) for w in whole] == [
        (w.first, len(w.pcm), w.speech) for w in windows
    ]


def test_the_size_of_the_decoder_blocks_changes_nothing(
    clips: Path, tmp_path: Path, windows_of: Windows
) -> None:
    """The same samples as WAV (blocks of 1 s) and as FLAC (packets of 4096 samples) make the same windows."""
    import soundfile

    pcm = np.concatenate([window.pcm for window in windows_of(clips / "ami_trn04.flac")])
    pcm = np.concatenate([np.zeros(3000, np.int16), pcm, pcm])
    for name in ("a.wav", "a.flac"):
        soundfile.write(tmp_path / name, pcm, 16_000)
    one, other = windows_of(tmp_path / "a.wav"), windows_of(tmp_path / "a.flac")
    assert [(w.start_s, w.end_s, w.speech) for w in one] == [(w.start_s, w.end_s, w.speech) for w in other]
    with open_recording(tmp_path / "a.flac") as recording:
        assert recording.info.decoder == "ffmpeg"
