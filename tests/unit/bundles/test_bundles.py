"""A bundle opens elsewhere and shows what was recorded."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from as2d.backend.bundles.opening import open_bundle
from as2d.backend.bundles.writing import write_bundle
from as2d.backend.errors import InputRefused
from as2d.backend.export.content import CONTENT_FORMATS, export_content
from as2d.backend.models.progress import Cancelled
from as2d.backend.runs.labels import read_labels
from as2d.backend.runs.origin import read_origin
from as2d.backend.runs.recording_files import recording_file
from as2d.backend.runs.store import RunStore, StoredRun


def test_a_run_opens_elsewhere_as_it_was(recorded: StoredRun, elsewhere: RunStore, tmp_path: Path) -> None:
    path = tmp_path / "run.as2d"
    write_bundle([recorded], path, audio=False)
    (opened,) = open_bundle(path, elsewhere)
    there = elsewhere.find(opened.run)
    assert opened.new
    assert there.manifest == recorded.manifest
    assert list(there.events()) == list(recorded.events())
    for form in CONTENT_FORMATS:
        chosen = None if form == "perfetto" else "a1"
        assert export_content(there, form, recording=chosen) == export_content(
            recorded, form, recording=chosen
        )
    (row,) = elsewhere.list()
    (original,) = RunStore(recorded.folder.parent).list()
    assert (row.origin, original.origin) == ("run.as2d", None)
    assert (row.tokens, row.tps, row.title) == (original.tokens, original.tps, original.title)
    assert recording_file(there, "a1") is None  # the paths in it are those of another computer


def test_names_tags_and_sound_come_along(bundle: Path, elsewhere: RunStore, tmp_path: Path) -> None:
    (tmp_path / "talk.wav").unlink()
    (opened,) = open_bundle(bundle, elsewhere)
    stored = elsewhere.find(opened.run)
    assert read_labels(stored.folder).model_dump() == {"format": 1, "name": "Monday", "tags": ("meeting",)}
    sound = recording_file(stored, "a1")
    assert sound is not None
    assert sound.read_bytes().startswith(b"RIFF")
    origin = read_origin(stored.folder)
    assert origin is not None
    assert (origin.bundle, origin.run) == ("monday.as2d", opened.run)
    again = tmp_path / "again.as2d"
    assert write_bundle([stored], again, audio=True) == []
    assert again.read_bytes() == bundle.read_bytes()


def test_the_same_run_gives_the_same_bytes_and_plain_texts(
    bundle: Path, small_run: StoredRun, tmp_path: Path
) -> None:
    second = tmp_path / "second.as2d"
    write_bundle([small_run], second, audio=True)
    assert second.read_bytes() == bundle.read_bytes()
    with zipfile.ZipFile(bundle) as archive:
        assert archive.read(f"runs/{small_run.manifest.run}/transcripts/a1.txt") == b"hello there\n"
        assert archive.testzip() is None


def test_a_run_that_is_here_is_not_taken_twice_and_another_of_its_name_gets_a_number(
    bundle: Path, elsewhere: RunStore, recorded: StoredRun, tmp_path: Path
) -> None:
    (first,) = open_bundle(bundle, elsewhere)
    (again,) = open_bundle(bundle, elsewhere)
    assert (again.folder, again.new) == (first.folder, False)
    other = RunStore(tmp_path / "other")
    (tmp_path / "other" / first.run).mkdir(parents=True)
    for name in ("manifest.json", "events.jsonl.gz"):
        content = (
            (recorded.folder / name).read_bytes().replace(recorded.manifest.run.encode(), first.run.encode())
        )
        (tmp_path / "other" / first.run / name).write_bytes(content)
    path = tmp_path / "other.as2d"
    write_bundle([other.find(first.run)], path, audio=False)
    (renamed,) = open_bundle(path, elsewhere)
    assert renamed.run == f"{first.run}-2"
    assert elsewhere.find(renamed.run).manifest.run == renamed.run
    (same,) = open_bundle(path, elsewhere)
    assert (same.run, same.new) == (renamed.run, False)
    assert len(elsewhere.list()) == 2


def test_several_runs_in_one_bundle(
    small_run: StoredRun, recorded: StoredRun, elsewhere: RunStore, tmp_path: Path
) -> None:
    path = tmp_path / "both.as2d"
    missing = write_bundle([small_run, recorded], path, audio=True)
    assert len(missing) == len(
        [name for name in recorded.manifest.recordings if not Path(name.audio).is_file()]
    )
    assert len(open_bundle(path, elsewhere)) == len(elsewhere.list()) == 2
    with pytest.raises(InputRefused, match="named twice"):
        write_bundle([small_run, small_run], path, audio=False)


def test_stopping_leaves_nothing(recorded: StoredRun, elsewhere: RunStore, tmp_path: Path) -> None:
    path = tmp_path / "run.as2d"
    write_bundle([recorded], path, audio=False)
    pieces = 0

    def stop() -> None:
        nonlocal pieces
        pieces += 1
        if pieces == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        open_bundle(path, elsewhere, stop)
    assert list(elsewhere.root.iterdir()) == []
