"""Recordings are heard from any place, and their outlines show what is in them."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from as2d.backend.audio import write_wav
from as2d.backend.audio.listening import RATE, Listening
from as2d.backend.audio.peaks import PER_SECOND, Peaks, read_peaks

SPEECH = (
    "libri_198-209-0000.ogg",
    "cv_en_651325.mp3",
    "ami_trn04.flac",
    "aishell_S0764_0121-0130.opus",
    "noisy0dB_LJ001-0021.wav",
)


def heard(path: Path, from_s: float, seconds: float | None = None) -> NDArray[np.float32]:
    listening = Listening(path)
    try:
        pieces: list[NDArray[np.float32]] = []
        frames = 0
        for piece in listening.pieces(from_s):
            pieces.append(piece)
            frames += len(piece)
            if seconds is not None and frames >= seconds * RATE:
                break
        return np.concatenate(pieces)
    finally:
        listening.close()


@pytest.mark.parametrize("name", SPEECH)
def test_a_place_sounds_as_it_does_when_played_from_the_beginning(repository: Path, name: str) -> None:
    path = repository / "tests" / "data" / "speech" / name
    whole = heard(path, 0.0)
    place = len(whole) / RATE * 0.6
    part = heard(path, place, 1.0)
    expected = whole[round(place * RATE) :][: len(part)]
    # A frame of 48 kHz more or less is the rounding of the place to the file's own rate.
    errors = [
        float(np.abs(part[600 + shift : -600] - expected[600 : -600 - shift]).max()) for shift in (0, 1, 2, 3)
    ] + [float(np.abs(part[600 : -600 - shift] - expected[600 + shift : -600]).max()) for shift in (1, 2, 3)]
    assert min(errors) < 0.02
    assert float(np.abs(expected).max()) > 0.02


def test_an_m4a_made_here_is_heard_from_its_end(tmp_path: Path) -> None:
    import av

    path = tmp_path / "steps.m4a"
    loud = np.repeat(np.arange(1, 9, dtype=np.float32) / 10, RATE) * np.sin(
        2 * np.pi * 300 * np.arange(8 * RATE) / RATE
    ).astype(np.float32)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=RATE, layout="mono")
        for first in range(0, len(loud), 1024):
            frame = av.AudioFrame.from_ndarray(loud[None, first : first + 1024], format="fltp", layout="mono")
            frame.sample_rate = RATE
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    sound = heard(path, 6.2, 0.5)
    assert np.abs(sound).max() == pytest.approx(0.7, abs=0.05)
    assert len(heard(path, 7.5)) / RATE == pytest.approx(0.5, abs=0.05)


def test_behind_the_end_there_is_nothing(repository: Path) -> None:
    listening = Listening(repository / "resources" / "sample" / "jfk.flac")
    assert list(itertools.islice(listening.pieces(500.0), 3)) == []
    listening.close()


def test_one_channel_is_heard_on_both_sides(tmp_path: Path) -> None:
    write_wav(tmp_path / "mono.wav", (np.sin(np.arange(16000) / 20) * 9000).astype(np.int16))
    sound = heard(tmp_path / "mono.wav", 0.0)
    assert np.array_equal(sound[:, 0], sound[:, 1])
    assert len(sound) == pytest.approx(RATE, abs=100)


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 16000])
def test_outlines_show_every_peak_at_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: int
) -> None:
    import soundfile

    monkeypatch.setenv("AS2D_CACHE_DIR", str(tmp_path / "cache"))
    sound = np.zeros(rate * 7 + 123, np.float32)
    sound[round(2.345 * rate)] = 0.5
    sound[round(6.005 * rate)] = -0.75
    soundfile.write(tmp_path / "clicks.wav", sound, rate, subtype="FLOAT")
    peaks = Peaks()
    read_peaks(tmp_path / "clicks.wav", peaks)
    assert peaks.complete
    assert peaks.duration_s == pytest.approx(len(sound) / rate, abs=0.011)
    assert peaks.values[234, 1] == round(0.5 * 32767)
    assert peaks.values[600, 0] == -round(0.75 * 32767)
    assert np.count_nonzero(peaks.values) == 2
    columns = peaks.columns(0.0, 7.0, 7)
    assert columns[:, 1].round(2).tolist() == [0, 0, 0.5, 0, 0, 0, 0]
    assert columns[:, 0].round(2).tolist() == [0, 0, 0, 0, 0, 0, -0.75]


def test_a_known_outline_is_not_decoded_again_and_a_changed_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AS2D_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "a.wav"
    write_wav(path, np.full(16000, 8000, np.int16))
    first = Peaks()
    read_peaks(path, first)
    kept = next((tmp_path / "cache" / "peaks").iterdir())
    np.save(kept, np.full((PER_SECOND, 2), 77, np.int16))
    again = Peaks()
    read_peaks(path, again)
    assert again.values.max() == 77
    kept.write_bytes(b"damaged")
    repaired = Peaks()
    read_peaks(path, repaired)
    assert np.array_equal(repaired.values, first.values)
    write_wav(path, np.full(32000, 4000, np.int16))
    changed = Peaks()
    read_peaks(path, changed)
    assert changed.count == 2 * PER_SECOND


def test_long_outlines_keep_what_short_ones_show() -> None:
    rng = np.random.default_rng(7)
    values = np.sort(rng.integers(-20000, 20000, (360_000, 2)).astype(np.int16), axis=1)
    peaks = Peaks()
    for first in range(0, len(values), 1000):
        peaks.append(values[first : first + 1000])
    assert np.array_equal(peaks.values, values)
    columns = peaks.columns(0, 3600, 300)
    assert columns[:, 0].min() == pytest.approx(values[:, 0].min() / 32767)
    narrow = peaks.columns(100.0, 100.5, 500)
    assert narrow[0].tolist() == pytest.approx((values[10000] / 32767).tolist())


def test_reading_an_outline_stops_when_it_is_cancelled(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AS2D_CACHE_DIR", str(tmp_path))
    peaks = Peaks()
    read_peaks(repository / "resources" / "sample" / "jfk.flac", peaks, cancelled=lambda: True)
    assert not peaks.complete
    assert 0 < peaks.duration_s < 3
    assert not list(tmp_path.iterdir())
