"""`as2d export` writes files, and names what it cannot write."""

from __future__ import annotations

import fcntl
import gzip
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from as2d.backend.bundles.opening import open_bundle
from as2d.backend.bundles.writing import write_bundle
from as2d.backend.cli.main import app
from as2d.backend.export.content import CONTENT_FORMATS, PERFETTO_ENDING, ContentFormat, export_content
from as2d.backend.runs.corrections import write_correction
from as2d.backend.runs.store import RunStore, StoredRun

RUN = "20261130-032604-4659"


@pytest.fixture
def stored(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StoredRun:
    """A data folder with one run."""
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "data"))
    shutil.copytree(repository / "tests/data/runs/three-recordings", tmp_path / "data/runs" / RUN)
    return RunStore(tmp_path / "data/runs").find(RUN)


def run(*arguments: str) -> tuple[int, str, str]:
    """The exit status, the output and the error of a command."""
    result = CliRunner().invoke(app, ["export", *arguments])
    error = result.exception
    code = getattr(error, "exit_code", result.exit_code)
    return code, result.output, getattr(error, "message", "")


@pytest.mark.parametrize("form", CONTENT_FORMATS)
def test_a_file_of_each_format(stored: StoredRun, tmp_path: Path, form: ContentFormat) -> None:
    place = tmp_path / f"out.{PERFETTO_ENDING if form == 'perfetto' else form}"
    recording = None if form == "perfetto" else "a1"
    part = ["--recording", recording] if recording is not None else []
    assert run(RUN, "-o", str(place), *part)[0] == 0
    assert place.read_bytes() == export_content(stored, form, recording=recording) != b""


def test_a_trace_is_of_the_whole_run(stored: StoredRun, tmp_path: Path) -> None:
    place = tmp_path / "out.pftrace"
    code, _, said = run(RUN, "-o", str(place), "--recording", "a1")
    assert (code, said) == (2, "A trace holds the whole run; leave --recording out.")
    assert not place.exists()


def test_a_run_that_another_program_records_is_no_interrupted_one(stored: StoredRun, tmp_path: Path) -> None:
    manifest = stored.folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"status": "done"', '"status": "running"'))
    stream = stored.folder / "events.jsonl.gz"
    stream.write_bytes(stream.read_bytes()[:-9])
    with stream.open("rb") as recorded:
        fcntl.flock(recorded, fcntl.LOCK_EX)
        code, said, _ = run(RUN, "--format", "txt", "-o", str(tmp_path / "out.txt"), "--recording", "a1")
    assert code == 0
    assert f"Warning: the run {RUN} is still being recorded" in said
    assert "interrupted" not in said


def test_transcripts_of_all_recordings_into_a_folder(stored: StoredRun, tmp_path: Path) -> None:
    assert run(RUN, "--format", "srt", "--output-dir", str(tmp_path / "texts"))[0] == 0
    names = sorted(path.name for path in (tmp_path / "texts").iterdir())
    assert names == ["ami_trn04.srt", "jfk.srt", "sonnet001.srt"]
    assert (tmp_path / "texts/jfk.srt").read_bytes() == export_content(stored, "srt", recording="a1")


def _found_within(stored: StoredRun, **within: str) -> StoredRun:
    """The run as one whose recordings have been found in folders."""
    place = stored.folder / "manifest.json"
    manifest = json.loads(place.read_text())
    for used in manifest["recordings"]:
        used["within"] = within.get(used["recording"])
    place.write_text(json.dumps(manifest))
    return RunStore(stored.folder.parent).find(RUN)


def test_recordings_of_a_folder_keep_their_paths_in_it(stored: StoredRun, tmp_path: Path) -> None:
    stored = _found_within(stored, a1="talk.flac", a2="day 1/talk.mp3", a3="day 2/talk.mp3")
    code, said, _ = run(RUN, "--format", "srt", "--output-dir", str(tmp_path / "texts"))
    assert code == 0
    assert f"a3 → {tmp_path / 'texts/day 2/talk.srt'}" in said
    texts = {str(path.relative_to(tmp_path)) for path in (tmp_path / "texts").rglob("*.srt")}
    assert texts == {"texts/talk.srt", "texts/day 1/talk.srt", "texts/day 2/talk.srt"}
    assert (tmp_path / "texts/day 1/talk.srt").read_bytes() == export_content(stored, "srt", recording="a2")
    printed = run(RUN, "--format", "txt")[1]
    assert [line for line in printed.splitlines() if line.startswith("==")] == [
        "== talk.flac ==", "== day 1/talk.mp3 ==", "== day 2/talk.mp3 =="
    ]  # fmt: skip
    one = export_content(stored, "txt", recording="day 2/talk.mp3")
    assert one == export_content(stored, "txt", recording="a3")


def test_paths_of_somebody_elses_run_lead_nowhere_else(stored: StoredRun, tmp_path: Path) -> None:
    _found_within(stored, a1="../../talk.flac", a2=f"{tmp_path}/talk.mp3", a3="x/\x1b[2J\n/talk.mp3")
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    code, said, _ = run(RUN, "--format", "txt", "--output-dir", str(tmp_path / "a" / "texts"))
    assert code == 0
    written = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert len(written) == 3
    assert all(path.is_relative_to(tmp_path / "a" / "texts") for path in written)
    assert "\x1b" not in said
    assert len([line for line in said.splitlines() if "→" in line]) == 3


@pytest.mark.parametrize("form", ["txt", "srt", "vtt", "json"])
@pytest.mark.parametrize("where", [["-o", "-"], ["-o", "out"], ["--output-dir", "texts"]])
def test_a_run_that_decoded_nothing_is_refused_and_nothing_is_written(
    stored: StoredRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, where: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stream = stored.folder / "events.jsonl.gz"
    lines = gzip.decompress(stream.read_bytes()).splitlines(keepends=True)
    cut = next(number for number, line in enumerate(lines) if b'"window_cut"' in line)
    stream.write_bytes(gzip.compress(b"".join(lines[: cut + 1])))
    before = sorted(tmp_path.rglob("*"))
    code, said, refused = run(RUN, "--format", form, *where)
    assert (code, refused) == (
        1, f"The run {RUN} has no text: nothing of it was decoded; choose another run."
    )  # fmt: skip
    assert "→" not in said
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_transcript_is_told_to_be_silence(stored: StoredRun, tmp_path: Path) -> None:
    stream = stored.folder / "events.jsonl.gz"
    events = [json.loads(line) for line in gzip.decompress(stream.read_bytes()).splitlines()]
    for event in events:
        if event.get("host") == "window_cut":
            event["speech"] = False
    heard = [event for event in events if event.get("host") or event.get("event") == "hello"]
    stream.write_bytes(gzip.compress(b"".join(json.dumps(event).encode() + b"\n" for event in heard)))
    code, said, _ = run(RUN, "--format", "srt", "--recording", "a1", "-o", "-")
    assert (code, said) == (0, "There is no speech in it, so there is no text.\n")
    write_correction(stored.folder, "a1", "And so.")
    assert "no speech" not in run(RUN, "--format", "srt", "--recording", "a1", "-o", "-")[1]


@pytest.mark.parametrize("where", [["--output-dir", "texts"], ["-o", "out.srt", "--recording", "a1"]])
def test_a_stream_without_its_end_is_told(
    stored: StoredRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stream = stored.folder / "events.jsonl.gz"
    stream.write_bytes(stream.read_bytes()[:-9])
    code, said, _ = run(RUN, "--format", "srt", *where)
    assert (code, f"Warning: the stream of run {RUN} is not complete: its end is missing" in said) == (
        0,
        True,
    )


def test_a_corrected_text_is_exported_found_and_packed_and_the_decoded_one_on_request(
    stored: StoredRun, tmp_path: Path
) -> None:
    write_correction(stored.folder, "a1", "And thus, my fellow Americans.")
    for name, arguments in {"corrected": [], "decoded": ["--decoded"]}.items():
        assert run(RUN, "-o", str(tmp_path / f"{name}.txt"), "--recording", "a1", *arguments)[0] == 0
    assert (tmp_path / "corrected.txt").read_text() == "And thus, my fellow Americans.\n"
    assert (tmp_path / "decoded.txt").read_text().startswith("And so my fellow Americans")
    store = RunStore(stored.folder.parent)
    assert list(store.search("thus fellow")) == [RUN]
    write_bundle([stored], tmp_path / "run.as2d", audio=False)
    elsewhere = RunStore(tmp_path / "elsewhere")
    (opened,) = open_bundle(tmp_path / "run.as2d", elsewhere)
    there = elsewhere.find(opened.run)
    assert export_content(there, "json") == export_content(stored, "json")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--format", "png"], "give --output FILE"),
        (["--format", "srt"], "Several recordings cannot share one srt file"),
        (["-o", "there.txt"], "is there already"),
        (["-o", "new.docx"], "ends in one of"),
        (["--format", "csv", "--output-dir", "x"], "--output-dir takes transcripts"),
        (["--format", "txt", "--from", "1"], "--from and --to"),
        (["--format", "srt", "--output-dir", "x", "--to", "1"], "--from and --to"),
        (["-o", "new.srt", "--output-dir", "x"], "not both"),
        (["--format", "txt", "--recording", "a9"], "no transcript of 'a9'"),
    ],
)
def test_wrong_use_is_said_and_changes_nothing(
    stored: StoredRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("there.txt").write_text("mine")
    code, _, said = run(RUN, *arguments)
    assert code == 2
    assert message in said
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "there.txt"]
    assert Path("there.txt").read_text() == "mine"
