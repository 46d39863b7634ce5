"""Opening, watching and stopping a recording; truncated files; memory; writing WAV."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
import wave
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from as2d.backend.audio import open_recording, write_wav
from as2d.backend.errors import OutOfSpace


def test_info_says_what_the_recording_is(clips: Path) -> None:
    with open_recording(clips / "sonnet001.mp3") as recording:
        info = recording.info
        assert (info.container, info.sample_rate, info.channels, info.decoder) == ("mp3", 44_100, 2, "ffmpeg")
        assert info.duration_s == pytest.approx(53.27, abs=0.1)
        assert info.path == clips / "sonnet001.mp3"
        list(recording.windows())
        assert recording.position_s == pytest.approx(53.27, abs=0.1)
        assert recording.warnings == []


def test_progress_follows_time(clips: Path) -> None:
    seen: list[float] = []
    with open_recording(clips / "aishell_S0764_0121-0130.opus") as recording:
        list(recording.windows(progress=seen.append))
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(45.234, abs=0.01)
    assert np.diff(seen).max() < 2.1


def test_cancelling_ends_the_windows_within_a_block(clips: Path) -> None:
    seen: list[float] = []
    with open_recording(clips / "aishell_S0764_0121-0130.opus") as recording:
        windows = list(recording.windows(seen.append, cancelled=lambda: bool(seen) and seen[-1] > 5))
    assert windows == []
    assert 5 < seen[-1] < 7.5


def test_windows_are_read_once(clips: Path) -> None:
    with open_recording(clips / "cv_en_651325.mp3") as recording:
        assert len(list(recording.windows())) == 1
        with pytest.raises(RuntimeError, match="already read"):
            recording.windows()


def test_windows_come_before_the_recording_is_read_to_its_end(clips: Path) -> None:
    with open_recording(clips / "sonnet001.mp3") as recording:
        next(recording.windows())
        assert recording.position_s < 45


@pytest.mark.parametrize(
    ("name", "share"),
    [
        ("sonnet001.mp3", 0.5),
        ("BAC009S0764W0121.wav", 0.6),
        ("ami_trn04.flac", 0.7),
        ("libri_198-209-0000.ogg", 0.5),
    ],
)
def test_a_file_that_was_cut_off_gives_what_is_there(
    name: str, share: float, clips: Path, tmp_path: Path
) -> None:
    content = (clips / name).read_bytes()
    path = tmp_path / name
    path.write_bytes(content[: int(share * len(content))])
    with open_recording(path) as recording:
        windows = list(recording.windows())
        assert [window for window in windows if window.speech]
        warned = [warning for warning in recording.warnings if "ends early" in warning]
        # An Ogg file does not say how long the whole was.
        assert len(warned) == (0 if name.endswith(".ogg") else 1)


SCRIPT = """
import json, resource, sys
from pathlib import Path
from as2d.backend.audio import open_recording
from as2d.backend.audio.speech import SpeechDetector
SpeechDetector()
def used():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
before, spans, early = used(), [], 0
with open_recording(Path(sys.argv[1])) as recording:
    for window in recording.windows():
        spans.append((window.start_s, window.end_s, window.speech))
        if window.start_s < 4000:
            early = used()
    print(json.dumps([before, early, used(), recording.position_s, spans]))
"""


def test_six_hours_stay_within_bounded_memory(tmp_path: Path, spoken: NDArray[np.float32]) -> None:
    """A real 6-hour WAV file (8 kHz, sparse on disk) with 36 s of speech every two hours."""
    rate, hours = 8000, 6
    path = tmp_path / "hours.wav"
    phrase = (np.tile(spoken, 3)[: 16_000 * 36 : 2] * 32767).astype("<i2")
    count = hours * 3600 * rate
    with path.open("wb") as file:
        fields = (1, 1, rate, 2 * rate, 2, 16, b"data", 2 * count)
        file.write(struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + 2 * count, b"WAVE", b"fmt ", 16, *fields))
        for hour in range(0, hours, 2):
            file.seek(44 + 2 * hour * 3600 * rate)
            file.write(phrase.tobytes())
        file.truncate(44 + 2 * count)
    try:
        ran = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(path)], capture_output=True, text=True, check=True
        )
    finally:
        path.unlink()
    before, early, peak, seconds, spans = json.loads(ran.stdout)
    assert seconds == pytest.approx(21_600, abs=1 / 16_000)
    assert peak - before < 100, "MiB beyond the loaded program; the limit is 200"
    assert peak - early < 10, "MiB that five more hours may add"
    hours_heard = sorted({round(start / 3600) for start, _, speech in spans if speech})
    assert hours_heard == [0, 2, 4]
    assert sum(end - start for start, end, _ in spans) < 3 * 38


def test_wav_has_the_canonical_header(tmp_path: Path) -> None:
    pcm = np.array([0, 1, -1, 32767, -32768], np.int16)
    path = tmp_path / "out.wav"
    write_wav(path, pcm)
    content = path.read_bytes()
    assert len(content) == 44 + 10
    assert struct.unpack("<4sI4s4sIHHIIHH4sI", content[:44]) == (
        b"RIFF", 46, b"WAVE", b"fmt ", 16, 1, 1, 16_000, 32_000, 2, 16, b"data", 10,
    )  # fmt: skip
    with wave.open(str(path)) as read:
        assert (read.getframerate(), read.getnchannels(), read.getsampwidth()) == (16_000, 1, 2)
        assert read.readframes(5) == pcm.tobytes()
    assert [found.name for found in tmp_path.iterdir()] == ["out.wav"]


def test_wav_of_strided_samples_and_of_none(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", np.arange(20, dtype=np.int16)[::2])
    assert (tmp_path / "a.wav").read_bytes()[44:] == np.arange(0, 20, 2, dtype="<i2").tobytes()
    write_wav(tmp_path / "b.wav", np.zeros(0, np.int16))
    assert len((tmp_path / "b.wav").read_bytes()) == 44


def test_wav_refuses_what_is_not_pcm(tmp_path: Path) -> None:
    for wrong in (np.zeros(4, np.float32), np.zeros((2, 2), np.int16)):
        with pytest.raises(ValueError, match="int16"):
            write_wav(tmp_path / "a.wav", wrong)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "old.wav"
    write_wav(path, np.ones(3, np.int16))
    (tmp_path / f".{os.getpid()}-{threading.get_ident()}.part").symlink_to("/dev/full")
    with pytest.raises(OutOfSpace, match=r"disk is full: old\.wav"):
        write_wav(path, np.zeros(100_000, np.int16))
    assert [found.name for found in tmp_path.iterdir()] == ["old.wav"]
    assert len(path.read_bytes()) == 50
