"""`as2d transcribe` with folders: what is found there, and what it is called and written as."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def test_a_folder_stands_for_the_recordings_below_it(
    as2d: Any, clips: Path, odd: Path, tmp_path: Path
) -> None:
    talks, notes, out = tmp_path / "talks", tmp_path / "notes", tmp_path / "out"
    for target, source in (
        ("b.wav", odd / "silence_5s.wav"),
        ("A/a.mp3", clips / "cv_en_651325.mp3"),
        ("A/.hidden.wav", odd / "silence_5s.wav"),
        ("A/about.txt", clips / "manifest.jsonl"),
        ("A/c.sph", odd / "lh_stereo_8k.sph"),
        ("A/raw", odd / "silence_5s.wav"),
    ):
        (talks / target).parent.mkdir(parents=True, exist_ok=True)
        (talks / target).symlink_to(source)
    notes.mkdir()
    done = as2d.run("transcribe", talks, notes, "--language", "en", "--format", "json", "--output-dir", out)
    assert (done.code, done.out) == (1, ""), done.err
    assert f"The folder {notes} holds no recording" in done.err
    assert {str(path.relative_to(out)) for path in out.rglob("*.json")} == {
        *("A/a.json", "A/c.json", "b.json"),
    }
    assert f"1 file in {talks} passed over, not named as a recording is: A/raw. To try one" in done.err
    alone = as2d.run("transcribe", notes)
    assert (alone.code, "holds no recording" in alone.err) == (1, True)


def test_recordings_of_a_folder_are_told_apart_by_their_paths_in_it(
    as2d: Any, odd: Path, tmp_path: Path
) -> None:
    for place, source in (
        ("talks/a b.wav", "silence_5s.wav"),
        ("talks/sub/a b.wav", "silence_5s.wav"),
        ("talks/sub/none.wav", "zero_length.wav"),
        ("more/a b.wav", "tone_440_5s.wav"),
    ):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).symlink_to(odd / source)
    printed = as2d.run("transcribe", tmp_path / "talks", "--language", "en")
    assert (printed.code, printed.out) == (1, "== a b.wav ==\n\n\n== sub/a b.wav ==\n\n\n"), printed.err
    assert "Error: sub/none.wav was refused: the file is empty" in printed.err
    assert "sub/a b.wav: it holds no speech, so there is no text." in printed.err

    out, again = tmp_path / "out", tmp_path / "again"
    talks = ("transcribe", tmp_path / "talks", tmp_path / "more", "--language", "en", "--output-dir", out)
    done = as2d.run(*talks)
    names = {"talks/a b.txt", "talks/sub/a b.txt", "more/a b.txt"}
    assert {str(path.relative_to(out)) for path in out.rglob("*.txt")} == names
    assert f"talks/sub/a b.wav → {out / 'talks/sub/a b.txt'}; it holds no speech" in done.err
    assert as2d.run("export", "last", "--format", "txt", "--output-dir", again).code == 0
    assert {str(path.relative_to(again)) for path in again.rglob("*.txt")} == names

    both = as2d.run("transcribe", tmp_path / "more/a b.wav", tmp_path / "talks/a b.wav", "--language", "en")
    assert both.out == "".join(f"== {tmp_path / name}/a b.wav ==\n\n\n" for name in ("more", "talks"))
