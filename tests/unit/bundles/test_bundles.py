"""A bundle opens elsewhere and shows what was recorded."""

from __future__ import annotations

import fcntl
import os
import zipfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from as2d.backend.bundles.opening import open_bundle
from as2d.backend.bundles.writing import write_bundle
from as2d.backend.errors import InputRefused
from as2d.backend.export.content import CONTENT_FORMATS, export_content
from as2d.backend.models.progress import Cancelled
from as2d.backend.runs.corrections import write_correction
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


def test_what_is_written_while_a_run_is_packed_is_in_the_bundle_wholly_or_not_at_all(
    recorded: StoredRun, elsewhere: RunStore, tmp_path: Path
) -> None:
    steps = count()

    def change() -> None:
        """What the user may do in the window at any moment."""
        number = next(steps)
        write_correction(recorded.folder, "a1", f"corrected {'x' * (number % 50)}")
        if number < 3:
            RunStore(recorded.folder.parent).label(
                recorded.folder.name, lambda now: now.tagged([f"t{number}"])
            )

    path = tmp_path / "run.as2d"
    write_bundle([recorded], path, audio=False, check=change)
    (opened,) = open_bundle(path, elsewhere)
    assert next(steps) > 10
    there = elsewhere.find(opened.run)
    with zipfile.ZipFile(path) as archive:
        text = archive.read(f"runs/{opened.run}/transcripts/a1.txt")
    assert text == export_content(there, "txt", recording="a1")


@pytest.mark.parametrize("change", [b"RIFF", b"RIFF, and longer than it was before it was looked at", None])
def test_sound_that_changes_while_it_is_packed_is_told(
    small_run: StoredRun, tmp_path: Path, change: bytes | None
) -> None:
    sound = Path(small_run.manifest.recordings[0].audio)
    output = tmp_path / "run.as2d"

    def change_later() -> None:
        if any(path.name.startswith(".as2d-") for path in tmp_path.iterdir()):  # the file is being written
            sound.write_bytes(change) if change is not None else sound.unlink(missing_ok=True)

    with pytest.raises(InputRefused, match="was changed while" if change is not None else "cannot be read"):
        write_bundle([small_run], output, audio=True, check=change_later)
    assert sorted(path.name for path in tmp_path.iterdir() if path != sound) == ["runs"]


def test_labels_of_a_later_version_are_not_packed(small_run: StoredRun, tmp_path: Path) -> None:
    (small_run.folder / "labels.json").write_text('{"format": 2}')
    with pytest.raises(InputRefused, match="version of AS²D"):
        write_bundle([small_run], tmp_path / "run.as2d", audio=False)


def test_what_a_killed_program_unpacked_is_gone_after_the_next_bundle(
    bundle: Path, elsewhere: RunStore
) -> None:
    killed = elsewhere.root / ".opening" / "killed" / "run"
    working = elsewhere.root / ".opening" / "working"
    killed.mkdir(parents=True)
    (killed / "manifest.json").write_text("{}")
    working.mkdir()
    descriptor = os.open(working, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        open_bundle(bundle, elsewhere)
    finally:
        os.close(descriptor)
    assert list((elsewhere.root / ".opening").iterdir()) == [working]


def test_writing_can_be_stopped_at_any_moment(small_run: StoredRun, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())
    for moment in range(1000):
        steps = count()

        def stop(steps: Iterator[int] = steps, moment: int = moment) -> None:
            if next(steps) == moment:
                raise Cancelled

        try:
            write_bundle([small_run], tmp_path / "run.as2d", audio=True, check=stop)
        except Cancelled:
            assert sorted(tmp_path.iterdir()) == before
        else:
            break
    assert moment > 20


def test_stopping_leaves_nothing(recorded: StoredRun, elsewhere: RunStore, tmp_path: Path) -> None:
    path = tmp_path / "run.as2d"
    write_bundle([recorded], path, audio=False)
    events = len(list(recorded.events()))
    for moment in (3, events // 2, events + 3):  # the last one while files are unpacked
        steps = count()

        def stop(steps: Iterator[int] = steps, moment: int = moment) -> None:
            if next(steps) == moment:
                raise Cancelled

        with pytest.raises(Cancelled):
            open_bundle(path, elsewhere, stop)
        assert not elsewhere.root.exists() or list(elsewhere.root.iterdir()) == []
