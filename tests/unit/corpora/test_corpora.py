"""Corpora in the forms that they have, and those that are broken."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from as2d.backend.corpora.reading import read_corpus
from as2d.backend.errors import InputRefused


def _write(path: Path, *lines: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def _sound(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"RIFF")


def _read(*paths: Path) -> list[tuple[str, str | None, str | None, str]]:
    return [(item.path.name, item.reference, item.language, item.corpus) for item in read_corpus(paths)]


def test_the_repository_s_recordings_by_manifest_and_by_folder(repository: Path) -> None:
    folder = repository / "tests/data/speech"
    named = list(read_corpus([folder / "manifest.jsonl"]))
    assert list(read_corpus([folder])) == named
    assert len(named) == 10
    assert {item.corpus for item in named} == {"speech"}
    assert all(item.path.is_file() for item in named)
    spoken = next(item for item in named if item.path.name == "sonnet001.mp3")
    assert (spoken.language, bool(spoken.reference)) == ("en", True)


def test_a_manifest_may_be_called_recordings(tmp_path: Path) -> None:
    manifest = _write(tmp_path / "recordings.jsonl", {"path": "a.wav", "language": "en"})
    assert _read(manifest) == [("a.wav", None, "en", "recordings")]


@pytest.mark.shared_data
def test_the_large_set_of_recordings_as_it_is(shared_data: Path) -> None:
    found = list(read_corpus([shared_data / "speech" / "manifest.jsonl"]))
    assert len(found) > 40
    assert all(item.path.is_file() for item in found)
    assert sum(item.reference is not None and item.language == "en" for item in found) > 10


def test_a_kaldi_data_folder(tmp_path: Path) -> None:
    data = tmp_path / "egs" / "data" / "dev"
    _sound(tmp_path / "egs", "wav/b.wav", "wav/a.wav")
    _write(data / "wav.scp", "rec-b wav/b.wav", f"rec-a {tmp_path}/egs/wav/a.wav")
    _write(data / "text", "rec-a hello there", "rec-b one two")
    assert _read(data) == [("b.wav", "one two", None, "dev"), ("a.wav", "hello there", None, "dev")]
    _write(data / "segments", "u2 rec-a 5.0 9.5", "u1 rec-a 0.5 4.0", "u3 rec-b 0 3")
    _write(data / "text", "u1 first", "u2 then", "u3 other")
    assert _read(data) == [("b.wav", "other", None, "dev"), ("a.wav", "first then", None, "dev")]
    assert all(item.path.is_file() for item in read_corpus([data]))


def test_a_kaldi_data_folder_of_tabs(tmp_path: Path) -> None:
    _sound(tmp_path, "a b.wav")
    _write(tmp_path / "wav.scp", "rec-a\ta b.wav")
    _write(tmp_path / "text", "rec-a \t hello  there")
    ((name, text, _, _),) = _read(tmp_path)
    assert (name, text) == ("a b.wav", "hello  there")


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
def test_lhotse_manifests(tmp_path: Path, ending: str) -> None:
    _sound(tmp_path, "audio/a.flac", "audio/b.flac")
    recordings = _write(
        tmp_path / f"mini_recordings_test.{ending}",
        {"id": "A", "sources": [{"type": "file", "channels": [0], "source": "audio/a.flac"}], "duration": 9},
        {"id": "B", "sources": [{"type": "file", "channels": [0], "source": "audio/b.flac"}], "duration": 9},
    )
    _write(
        tmp_path / f"mini_supervisions_test.{ending}",
        {
            "id": "s2",
            "recording_id": "A",
            "start": 4.5,
            "duration": 3,
            "text": "later",
            "language": "English",
        },
        {"id": "s1", "recording_id": "A", "start": 0, "duration": 3, "text": "sooner", "language": "English"},
    )
    expected = [("a.flac", "sooner later", "en", "mini_test"), ("b.flac", None, None, "mini_test")]
    assert _read(recordings) == expected
    assert _read(tmp_path) == expected


def test_audio_folders_with_metadata_and_with_texts_beside(tmp_path: Path) -> None:
    _sound(tmp_path / "hf" / "train", "a.mp3", "deep/b.mp3")
    _write(
        tmp_path / "hf" / "train" / "metadata.csv",
        "file_name,transcription",
        'a.mp3,"Well, yes"',
        "deep/b.mp3,no",
    )
    _sound(tmp_path / "hf" / "test", "c.mp3")
    _write(
        tmp_path / "hf" / "test" / "metadata.jsonl", {"file_name": "c.mp3", "text": "ja", "language": "de-CH"}
    )
    assert _read(tmp_path / "hf") == [
        ("c.mp3", "ja", "de", "test"),
        ("a.mp3", "Well, yes", None, "train"),
        ("b.mp3", "no", None, "train"),
    ]
    assert _read(tmp_path / "hf" / "test" / "metadata.jsonl") == [("c.mp3", "ja", "de", "test")]
    plain = tmp_path / "plain"
    _sound(plain, "two.wav", "one.wav", "inside/three.FLAC", ".hidden.wav")
    _write(plain / "one.txt", "the text", "of one")
    _write(plain / "notes.txt", "no recording")
    assert _read(plain, tmp_path / "single.wav") == [
        ("one.wav", "the text of one", None, "plain"),
        ("two.wav", None, None, "plain"),
        ("three.FLAC", None, None, "inside"),
        ("single.wav", None, None, "files"),
    ]


@pytest.mark.parametrize(
    ("files", "named", "reason"),
    [
        (
            {"m.jsonl": ['{"path": "a.wav"}', '{"no": 1}']},
            "m.jsonl",
            r"Line 2 of .*m\.jsonl .*path is missing",
        ),
        ({"wav.scp": ["a sox a.wav -t wav - |"]}, "", r"Line 1 of .*wav\.scp is a command and no file"),
        ({"wav.scp": ["a"]}, "", r"Line 1 of .*wav\.scp names no file"),
        (
            {"wav.scp": ["a a.wav"], "text": ["u x"], "segments": ["u a x 3"]},
            "",
            r"Line 1 of .*segments is no",
        ),
        ({"recordings.jsonl": ["{}"]}, "", r"Line 1 of .*recordings\.jsonl is none of a Lhotse"),
        (
            {"recordings.jsonl": ['{"id": "a", "sources": [{"type": "url", "source": "x"}]}']},
            "",
            r"Line 1 of .* no recording in one sound file",
        ),
        ({"metadata.csv": ["name,text", "a.wav,x"]}, "", r"Line 2 of .*metadata\.csv names no file"),
        ({"metadata.jsonl": ["[1]"]}, "", r"Line 1 of .*metadata\.jsonl is no JSON object"),
        ({"readme.txt": ["nothing"]}, "", "holds no recording"),
        ({}, "missing.jsonl", r"missing\.jsonl cannot be read"),
    ],
)
def test_what_is_no_corpus_is_refused_in_a_sentence(
    tmp_path: Path, files: dict[str, list[str]], named: str, reason: str
) -> None:
    for name, lines in files.items():
        _write(tmp_path / name, *lines)
    with pytest.raises(InputRefused, match=reason) as refused:
        list(read_corpus([tmp_path / named]))
    assert refused.value.message.count(". ") == 0


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "m.jsonl").write_bytes(b'{"path": "a.wav"}\n\xff\xfe\n')
    with pytest.raises(InputRefused, match=r"Line 2 of .* no UTF-8"):
        list(read_corpus([tmp_path / "m.jsonl"]))
    (tmp_path / "recordings.jsonl.gz").write_bytes(gzip.compress(b"x" * 99)[:20])
    with pytest.raises(InputRefused, match="cannot be read"):
        list(read_corpus([tmp_path / "recordings.jsonl.gz"]))


# Reads a corpus within a limit of memory, and says how many recordings it has.
_COUNT = """
import resource, sys
from pathlib import Path
from as2d.backend.corpora.reading import read_corpus
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count = sum(len(item.reference) == 400 for item in read_corpus([Path(sys.argv[1])]))
print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("form", ["manifest", "kaldi"])
def test_a_large_corpus_takes_little_memory(tmp_path: Path, form: str) -> None:
    text, count = "x" * 400, 50_000
    if form == "manifest":
        _write(tmp_path / "manifest.jsonl", *({"path": f"{n}.wav", "reference": text} for n in range(count)))
    else:
        _write(tmp_path / "wav.scp", *(f"r{n} {n}.wav" for n in range(count)))
        _write(tmp_path / "text", *(f"r{n} {text}" for n in range(count)))
    done = subprocess.run(
        [sys.executable, "-c", _COUNT, str(tmp_path)], capture_output=True, text=True, check=True
    )
    read, kilobytes = map(int, done.stdout.split())
    assert read == count
    assert kilobytes < 12_000, "the texts alone are 20 MB"
