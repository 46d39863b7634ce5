"""Transcript files keep their recording's name and never replace one another."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from as2d.backend.errors import UserError
from as2d.backend.export.output_files import OutputFolder


def test_recordings_of_the_same_name_get_files_of_their_own(tmp_path: Path) -> None:
    folder = OutputFolder(tmp_path / "out")
    paths = [folder.write(Path(name), "txt", name) for name in ("a/talk.wav", "b/talk.wav", "c/TALK.mp3")]
    assert [path.name for path in paths] == ["talk.txt", "talk (2).txt", "TALK (3).txt"]
    assert paths[1].read_text() == "b/talk.wav"


def test_recordings_of_a_folder_keep_their_paths_in_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    folder = OutputFolder(out)
    found = ("talk.wav", "day 1/talk.wav", "day 1/B/talk.wav", "Day 1/b/TALK.mp3", "day 1/talk.mp3")
    paths = [folder.write(Path("talks", name), "txt", name, name) for name in found]
    assert [str(path.relative_to(out)) for path in paths[:3]] == [
        "talk.txt", "day 1/talk.txt", "day 1/B/talk.txt"
    ]  # fmt: skip
    assert paths[4] == out / "day 1/talk (2).txt"
    assert [path.read_text() for path in paths] == list(found)
    again = OutputFolder(out)
    assert again.write(Path("talk.wav"), "txt", "other", "day 1/talk.wav") == out / "day 1/talk (3).txt"


@pytest.mark.parametrize(
    "within",
    [
        "../out.wav",
        "/../../out.wav",
        "{tmp}/out.wav",
        "a/../../../out.wav",
        "a\0b/out.wav",
        "x/" * 3000 + "out.wav",
    ],
)
def test_no_path_in_a_folder_leads_out(tmp_path: Path, within: str) -> None:
    (tmp_path / "mine").mkdir()
    out = tmp_path / "mine" / "out"
    named = within.replace("{tmp}", str(tmp_path))
    written = OutputFolder(out, overwrite=True).write(Path(named), "txt", "x", named)
    assert written.is_relative_to(out)
    assert ".." not in written.parts
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [written]


@pytest.mark.parametrize("overwrite", [False, True])
def test_no_link_leads_out(tmp_path: Path, overwrite: bool) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    other.mkdir()
    (other / "talk.txt").write_text("said")
    out.mkdir()
    (out / "sub").symlink_to(other)
    (out / "lost").symlink_to(tmp_path / "nowhere")
    (out / "file").write_text("mine")
    (out / "talk.txt").symlink_to(other / "talk.txt")
    (out / "inner").mkdir()
    (out / "alias").symlink_to("inner")
    folder = OutputFolder(out, overwrite=overwrite)
    for within, place in {
        "sub/talk.wav": "sub (2)/talk.txt",
        "lost/talk.wav": "lost (2)/talk.txt",
        "file/talk.wav": "file (2)/talk.txt",
        "alias/talk.wav": "alias/talk.txt",
        "talk.wav": "talk (2).txt",
    }.items():
        assert folder.write(Path(within), "txt", "said", within) == out / place
    assert {path.name for path in other.iterdir()} == {"talk.txt"}
    assert (other / "talk.txt").read_text() == "said"
    assert not (tmp_path / "nowhere").exists()
    assert (out / "file").read_text() == "mine"


def test_a_file_of_an_earlier_command_is_kept_unless_overwriting_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text("mine")
    assert OutputFolder(tmp_path).write(Path("talk.wav"), "txt", "new").name == "talk (2).txt"
    assert (tmp_path / "talk.txt").read_text() == "mine"
    assert OutputFolder(tmp_path).write(Path("talk.wav"), "txt", "mine").name == "talk.txt"
    assert OutputFolder(tmp_path, overwrite=True).write(Path("talk.wav"), "txt", "new").name == "talk.txt"
    assert (tmp_path / "talk.txt").read_text() == "new"


def test_overwriting_spares_the_recordings_of_the_command(tmp_path: Path) -> None:
    recording = tmp_path / "talk.txt"
    recording.write_bytes(b"sound, whatever its name says")
    folder = OutputFolder(tmp_path, overwrite=True, kept=[recording, tmp_path / "gone.wav"])
    assert folder.write(tmp_path / "talk.wav", "txt", "said").name == "talk (2).txt"
    assert folder.write(recording, "txt", "also said").name == "talk (3).txt"
    assert recording.read_bytes() == b"sound, whatever its name says"


def test_what_is_no_file_is_left_alone_and_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "link.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "folder.txt").mkdir()
    for overwrite in (False, True):
        folder = OutputFolder(tmp_path, overwrite=overwrite)
        written = [folder.write(Path(f"{stem}.wav"), "txt", "x").name for stem in ("pipe", "link", "folder")]
        assert written == ["pipe (2).txt", "link (2).txt", "folder (2).txt"]
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "pipe.txt").is_fifo()


@pytest.mark.parametrize("stem", ["长" * 84, "ends_with_space ", ".hidden", "new\nline", "*star?", "x" * 251])
def test_any_name_a_recording_can_have_works(tmp_path: Path, stem: str) -> None:
    path = OutputFolder(tmp_path).write(Path(f"{stem}.wav"), "json", "{}")
    assert path.read_text() == "{}"
    assert path.name.startswith(stem[:10])
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_that_is_not_utf8_works(tmp_path: Path) -> None:
    path = OutputFolder(tmp_path).write(Path("bad_\udcf0.wav"), "txt", "bad_\udcf0")
    assert path.read_bytes() == b"bad_\\udcf0"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file/out"):
        OutputFolder(tmp_path / "file" / "out")
