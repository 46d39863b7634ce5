"""Rates, channels, levels: the sound reaches the model whole, at its speed, audible and within scale."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from as2d.backend.audio import AudioWindow, open_recording

Windows = Callable[[Path], list[AudioWindow]]


def at_rate(sound: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    """16 kHz sound at another rate, by linear interpolation."""
    count = round(len(sound) / 16_000 * rate)
    return np.interp(np.arange(count) / rate, np.arange(len(sound)) / 16_000, sound).astype(np.float32)


def write_m4a(path: Path, stereo: NDArray[np.float32], rate: int) -> None:
    with av.open(path, "w") as container:
        stream = container.add_stream("aac", rate=rate, layout="stereo")
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(stereo.T), format="fltp", layout="stereo")
        frame.sample_rate, frame.pts = rate, 0
        for packet in (*stream.encode(frame), *stream.encode(None)):
            container.mux(packet)


@pytest.mark.parametrize("rate", [44_100, 48_000])
@pytest.mark.parametrize("ending", ["wav", "flac", "m4a"])
def test_stereo_keeps_its_duration_and_its_sound(
    rate: int,
    ending: str,
    tmp_path: Path,
    spoken: NDArray[np.float32],
    recorded: Callable[..., Path],
    same_sound: Callable[[NDArray[np.generic], NDArray[np.generic]], float],
) -> None:
    mono = at_rate(spoken[: int(3.3 * 16_000)], rate)
    stereo = np.stack([mono, 0.5 * mono], axis=1)
    if ending == "m4a":
        path = tmp_path / "made.m4a"
        write_m4a(path, stereo, rate)
    else:
        path = recorded(stereo, rate, f"made.{ending}")
    with open_recording(path) as recording:
        windows = list(recording.windows())
        assert recording.info.channels == 2
        assert recording.info.sample_rate == rate
        assert recording.info.duration_s == pytest.approx(3.3, abs=1e-6)
        assert recording.position_s * 16_000 == pytest.approx(3.3 * 16_000, abs=1)
    assert len(windows) == 1
    assert same_sound(spoken[: int(3.3 * 16_000)], windows[0].pcm) > 0.98


def test_odd_lengths_and_rates_keep_their_duration(
    spoken: NDArray[np.float32], recorded: Callable[..., Path]
) -> None:
    for rate, extra in ((8000, 1), (11_025, 7), (22_050, 3), (37_799, 11), (96_000, 5)):
        sound = np.append(at_rate(spoken[:40_000], rate), np.zeros(extra, np.float32))
        with open_recording(recorded(sound, rate)) as recording:
            assert len(list(recording.windows())) == 1
            assert abs(recording.position_s - len(sound) / rate) * 16_000 <= 1


def test_16_khz_16_bit_arrives_bit_for_bit(clips: Path, windows_of: Windows, tmp_path: Path) -> None:
    pcm = np.frombuffer((clips / "BAC009S0764W0121.wav").read_bytes()[44:], "<i2")
    windows = windows_of(clips / "BAC009S0764W0121.wav")
    assert len(windows) == 1
    first = round(windows[0].start_s * 16_000)
    assert np.array_equal(windows[0].pcm, pcm[first : first + len(windows[0].pcm)])
    assert windows[0].pcm.dtype == np.int16


def test_both_decoders_give_the_same_samples(tmp_path: Path, spoken: NDArray[np.float32]) -> None:
    sound = spoken[:48_000]
    made = {}
    for subtype in ("PCM_16", "PCM_24"):
        for ending in ("wav", "flac"):
            path = tmp_path / f"{subtype}.{ending}"
            soundfile.write(path, sound, 16_000, subtype=subtype)
            with open_recording(path) as recording:
                made[path.name] = (recording.info.decoder, next(recording.windows()).pcm)
    assert {decoder for decoder, _ in made.values()} == {"ffmpeg", "libsndfile"}
    assert np.array_equal(made["PCM_16.wav"][1], made["PCM_16.flac"][1])
    assert np.array_equal(made["PCM_24.wav"][1], made["PCM_24.flac"][1])


def test_a_large_chunk_before_the_sound_is_skipped(
    recorded: Callable[..., Path], spoken: NDArray[np.float32], windows_of: Windows
) -> None:
    path = recorded(spoken[:48_000])
    content = path.read_bytes()
    for size in (66_000, 300_000):
        path.write_bytes(content[:36] + b"id3 " + size.to_bytes(4, "little") + bytes(size) + content[36:])
        assert [window.speech for window in windows_of(path)] == [True]


@pytest.mark.parametrize("channels", [2, 4, 6, 8])
@pytest.mark.parametrize("others", ["empty", "hiss"])
def test_speech_in_any_one_channel_stays_audible(
    channels: int,
    others: str,
    spoken: NDArray[np.float32],
    recorded: Callable[..., Path],
    windows_of: Windows,
) -> None:
    random = np.random.default_rng(1)
    voice = spoken[:48_000]
    for where in range(channels):
        sound = np.zeros((len(voice), channels), np.float32)
        if others == "hiss":
            sound += 0.0005 * random.standard_normal(sound.shape)
        sound[:, where] += voice
        windows = windows_of(recorded(sound))
        assert [window.speech for window in windows] == [True]
        heard = np.sqrt(np.square(windows[0].pcm / 32768.0).mean())
        assert heard > 0.4 * np.sqrt(np.square(voice).mean())


def test_channels_that_cancel_each_other_are_heard(
    spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    windows = windows_of(recorded(np.stack([spoken, -spoken], axis=1)))
    assert windows[0].speech
    assert np.abs(windows[0].pcm).max() > 0.8 * 32768 * np.abs(spoken).max()


def test_two_speakers_in_two_channels_are_both_heard_without_a_click(
    spoken: NDArray[np.float32], recorded: Callable[..., Path], windows_of: Windows
) -> None:
    half = len(spoken) // 2
    left, right = spoken.copy(), spoken.copy()
    left[half:], right[:half] = 0, 0
    windows = windows_of(recorded(np.stack([left, right], axis=1)))
    pcm = np.concatenate([window.pcm for window in windows]) / 32768
    for part, source in ((pcm[:half], left[:half]), (pcm[half:], right[half:])):
        assert np.sqrt(np.square(part).mean()) > 0.4 * np.sqrt(np.square(source).mean())
    assert np.abs(np.diff(pcm)).max() <= np.abs(np.diff(spoken)).max() + 0.01


def test_peaks_over_full_scale_do_not_wrap(
    spoken: NDArray[np.float32],
    recorded: Callable[..., Path],
    windows_of: Windows,
    same_sound: Callable[[NDArray[np.generic], NDArray[np.generic]], float],
) -> None:
    for scale in (3.0, 8.0, 32768.0):  # the last: a float file at 16-bit scale
        windows = windows_of(recorded(spoken[:80_000] * scale, subtype="FLOAT"))
        pcm = np.concatenate([window.pcm for window in windows])
        assert same_sound(spoken[:80_000], pcm) > 0.85
        assert np.mean(np.abs(pcm.astype(int)) >= 32767) < 0.001, "turned down, not clipped"
        source = spoken[:80_000][round(windows[0].start_s * 16_000) :][: len(pcm)]
        loud = np.abs(source) > 0.1 * np.abs(source).max()
        assert np.all(np.sign(pcm[loud]) == np.sign(source[loud]))


def test_not_a_number_becomes_silence_and_is_reported(
    spoken: NDArray[np.float32], recorded: Callable[..., Path]
) -> None:
    sound = spoken[:48_000].copy()
    sound[1000:1500], sound[20_000], sound[20_001] = np.nan, np.inf, -np.inf
    with open_recording(recorded(sound, subtype="FLOAT")) as recording:
        windows = list(recording.windows())
        assert len(recording.warnings) == 1
        assert recording.warnings[0].startswith("502 samples are not numbers")
    first = round(windows[0].start_s * 16_000)
    pcm = windows[0].pcm
    assert np.all(pcm[1000 - first : 1500 - first] == 0)
    assert np.array_equal(
        pcm[30_000 - first :], np.rint(sound[30_000 : first + len(pcm)] * 32768).astype(np.int16)
    )


def test_a_late_sound_track_keeps_its_place_in_the_video(
    tmp_path: Path, spoken: NDArray[np.float32], windows_of: Windows
) -> None:
    path = tmp_path / "late.mkv"
    with av.open(path, "w") as container:
        video = container.add_stream("mpeg4", rate=5)
        video.width, video.height, video.pix_fmt = 32, 32, "yuv420p"
        sound = container.add_stream("flac", rate=16_000, layout="mono")
        for number in range(60):
            picture = av.VideoFrame.from_ndarray(np.full((32, 32, 3), number, np.uint8))
            picture.pts = number
            for packet in video.encode(picture):
                container.mux(packet)
        pcm = (spoken[:64_000] * 32767).astype(np.int16).reshape(1, -1)
        for begin in range(0, pcm.shape[1], 4096):
            frame = av.AudioFrame.from_ndarray(
                np.ascontiguousarray(pcm[:, begin : begin + 4096]), format="s16", layout="mono"
            )
            frame.sample_rate, frame.pts = 16_000, 5 * 16_000 + begin
            for packet in sound.encode(frame):
                container.mux(packet)
        for stream in (video, sound):
            for packet in stream.encode(None):
                container.mux(packet)
    windows = windows_of(path)
    assert [window.speech for window in windows] == [True]
    loud = np.flatnonzero(np.abs(windows[0].pcm) > 2000)[0] / 16_000 + windows[0].start_s
    assert loud == pytest.approx(5 + np.flatnonzero(np.abs(spoken) > 2000 / 32768)[0] / 16_000, abs=0.02)
