"""Any file name is accepted; what is no recording is named; nothing stays open."""

from __future__ import annotations

import ast
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from as2d.backend.audio import AudioWindow, open_recording, shown_name
from as2d.backend.errors import InputRefused

LINES = (
    (Path(__file__).resolve().parents[2] / "data" / "odd" / "awkward-names.txt")
    .read_text("utf-8")
    .splitlines()
)
NAMES = [ast.literal_eval(line) for line in LINES if not line.startswith("#")]


@pytest.mark.parametrize("number", range(len(NAMES)))
def test_awkward_name_is_accepted(
    number: int, odd: Path, tmp_path: Path, windows_of: Callable[[Path], list[AudioWindow]]
) -> None:
    raw = b"bad_utf8_\xf0.wav" if "bad_utf8" in NAMES[number] else NAMES[number].encode()
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + raw))
    shutil.copyfile(odd / "pcm_u8_11k.wav", path)
    assert [window.speech for window in windows_of(path)] == [True]


def test_shown_name_is_one_printable_line() -> None:
    assert shown_name(Path("a/空 格 (1).wav")) == "空 格 (1).wav"
    assert shown_name(Path("new\nline\t.wav")) == "new\\nline\\t.wav"
    assert shown_name(Path(os.fsdecode(b"bad_\xf0.wav"))) == "bad_\\xf0.wav"


def test_info_of_a_name_that_is_not_utf8_can_be_stored(odd: Path, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad_\xf0.wav"))
    shutil.copyfile(odd / "alaw_8k.wav", path)
    with open_recording(path) as recording:
        stored = json.loads(recording.info.model_dump_json())
    assert stored["path"].endswith("bad_\\xf0.wav")
    assert (stored["sample_rate"], stored["channels"], stored["container"]) == (8000, 1, "wav")


@pytest.mark.parametrize("ending", [".mp3", ".txt", ".mp4", ".raw", ""])
@pytest.mark.parametrize("content", ["alaw_8k.wav", "mp3_8k_mono.mp3", "m4a_aac.m4a"])
def test_the_ending_decides_nothing(
    content: str, ending: str, odd: Path, tmp_path: Path, windows_of: Callable[[Path], list[AudioWindow]]
) -> None:
    path = tmp_path / f"misnamed{ending}"
    shutil.copyfile(odd / content, path)
    assert [window.speech for window in windows_of(path)] == [True]


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    for path, reason in (
        (tmp_path / "missing.wav", "no such file"),
        (tmp_path, "a folder"),
        (tmp_path / "pipe.wav", "not a regular file"),  # and does not wait for a writer
    ):
        with pytest.raises(InputRefused, match=reason) as refusal:
            open_recording(path)
        assert path.name in refusal.value.message


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "PNG"),
        (b"%PDF-1.7\n" + bytes(100), "PDF"),
        (b"PK\x03\x04" + bytes(100), "ZIP"),
        (b'{"text": "hello"}', "JSON"),
        ("Protokoll der Sitzung: größer, schöner".encode(), "a text"),
        ("会议记录".encode("utf-16"), "a text"),
        (b"#EXTM3U\nhttp://localhost/a.mp3\n", "playlist"),
    ],
)
def test_what_is_no_sound_is_named(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "speech.wav"
    path.write_bytes(content)
    with pytest.raises(InputRefused, match=f"speech.wav was refused: it is no recording but .*{kind}"):
        open_recording(path)


def test_a_playlist_in_disguise_reads_no_other_file(odd: Path, tmp_path: Path) -> None:
    path = tmp_path / "list.aac"
    target = (odd / "aac_adts.aac").as_uri()
    text = f"#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n{target}\n#EXT-X-ENDLIST\n"
    path.write_bytes(text.encode() + b"\x00\x01")  # no longer a plain text
    with pytest.raises(InputRefused):
        open_recording(path)


def test_random_bytes_are_never_a_recording(tmp_path: Path) -> None:
    random = np.random.default_rng(20)
    path = tmp_path / "noise.mp3"
    for size in (1, 44, 1000, 4096, 60_000) * 3:
        path.write_bytes(random.bytes(size))
        with pytest.raises(InputRefused):
            open_recording(path)


def test_raw_samples_get_the_command_that_converts_them(tmp_path: Path, spoken: np.ndarray) -> None:
    path = tmp_path / "my call.bin"
    (spoken[:64_000] * 32767).astype("<i2").tofile(path)
    with pytest.raises(InputRefused) as refusal:
        open_recording(path)
    assert (
        "`ffmpeg -f s16le -ar 16000 -ac 1 -i 'my call.bin' 'my call.converted.wav'`" in refusal.value.message
    )
    assert "`sox -t raw" in refusal.value.message


def test_nothing_stays_open(odd: Path, windows_of: Callable[[Path], list[AudioWindow]]) -> None:
    def open_files() -> int:
        return len(os.listdir("/proc/self/fd"))  # noqa: PTH208

    windows_of(odd / "m4a_aac.m4a")
    before = open_files()
    for name in (
        "alaw_8k.wav",
        "m4a_aac.m4a",
        "header_only_no_data.wav",
        "random_bytes.ogg",
        "channels_1024.wav",
    ):
        try:
            recording = open_recording(odd / name)
        except InputRefused:
            continue
        next(recording.windows())
        recording.close()
        recording.close()
    assert open_files() == before
