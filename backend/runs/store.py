"""The runs of the user: made, listed, found and read."""

from __future__ import annotations

import secrets
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.metrics.fold import RunFold
from as2d.backend.protocol.host_events import RunEnded, RunStatus
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import now_ns
from as2d.backend.runs.files import storage_error
from as2d.backend.runs.index import RunIndex, RunRow
from as2d.backend.runs.labels import Labels, known_labels, write_labels
from as2d.backend.runs.manifest import (
    MANIFEST_NAME,
    STREAM_NAME,
    RecordingUsed,
    RunManifest,
    read_manifest,
    write_manifest,
)
from as2d.backend.runs.recorder import Recorder, is_being_recorded, last_ended
from as2d.backend.runs.rows import all_recordings, names_of, row_of, size_of, stamp_of, text_of
from as2d.backend.runs.stream import StreamReader

LAST = "last"
_ASIDE = ".aside"


def new_run_id(moment: datetime) -> str:
    """A name for a run that sorts by time and is not taken: `20261129-194800-3f9a`."""
    return f"{moment.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"


def utc_text(moment: datetime) -> str:
    """A moment as ISO 8601 in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class StoredRun:
    """A run on disk. `manifest.status` is `interrupted` when the program that made it ended without closing
    it.
    """

    folder: Path
    manifest: RunManifest

    def stream(self) -> StreamReader:
        """The recorded stream; every iteration reads it from the start."""
        return StreamReader(self.folder / STREAM_NAME)

    def events(self) -> Iterator[RecordedEvent]:
        """The recorded events."""
        return iter(self.stream())

    def fold(self, *, details: bool = False) -> RunFold:
        """What the stream says."""
        return RunFold.of(self.events(), details=details)


class ActiveRun:
    """A run that is being made: its folder, its manifest and its recorder."""

    def __init__(self, store: RunStore, folder: Path, manifest: RunManifest, recorder: Recorder) -> None:
        self._store = store
        self.folder = folder
        self.manifest = manifest
        self.recorder = recorder

    def use(self, recording: RecordingUsed) -> None:
        """Put a recording into the manifest, before the stream tells of it.

        Raises:
            UserError: the manifest cannot be written.
        """
        manifest = self.manifest.model_copy(update={"recordings": (*self.manifest.recordings, recording)})
        try:
            write_manifest(self.folder, manifest)
        except OSError as error:
            raise storage_error(error, self.folder, "the run's manifest") from error
        self.manifest = manifest

    def finish(
        self,
        status: RunStatus,
        fold: RunFold,
        message: str | None = None,
        tell: Callable[[RunEnded], None] = lambda _ended: None,
    ) -> None:
        """Close the stream, write the final manifest and the index row; `tell` gets the stream's last event.

        Raises:
            UserError: the stream or the manifest could not be written; what was written before is readable.
        """
        ended = RunEnded(t=now_ns(), status=status)
        self.recorder.put(ended)
        tell(ended)
        self.recorder.close()
        moment, recordings = utc_text(datetime.now(UTC)), all_recordings(self.manifest, fold)
        self.manifest = self.manifest.model_copy(
            update={"status": status, "message": message, "ended": moment, "recordings": recordings}
        )
        try:
            write_manifest(self.folder, self.manifest)
        except OSError as error:
            raise self.recorder.failure or storage_error(error, self.folder, "the run's manifest") from error
        stamp = stamp_of(self.folder)
        self._store.note(self.folder, self.manifest, fold, stamp)
        if self.recorder.failure is not None:
            raise self.recorder.failure


class RunStore:
    """The runs folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._index = RunIndex(root)

    def create(self, manifest: RunManifest) -> ActiveRun:
        """Make the folder of a new run and begin recording into it.

        Raises:
            OutOfSpace: the disk is full; no folder is left behind.
            InputRefused: the runs folder cannot be written.
        """
        folder = self.root / manifest.run
        try:
            folder.mkdir(parents=True)
            try:
                write_manifest(folder, manifest)
                recorder = Recorder(folder / STREAM_NAME)
            except BaseException:
                _remove(folder)
                raise
        except OSError as error:
            raise storage_error(error, self.root, "the recorded run") from error
        return ActiveRun(self, folder, manifest, recorder)

    def note(self, folder: Path, manifest: RunManifest, fold: RunFold, stamp: str) -> None:
        """Put a run and what is said in it into the index; an index that cannot be written is made good when
        runs are listed.
        """
        row, names = row_of(folder, manifest, fold, stamp), names_of(manifest, fold)
        with suppress(sqlite3.Error):
            self._index.put(row, text_of(folder, fold), names)

    def list(self) -> list[RunRow]:
        """All runs, the newest first. Folders decide: the index only spares reading streams that it knows.

        A run that is still being made, or whose labels changed, is read anew.
        """
        folders = {path.parent.name: path.parent for path in self.root.glob(f"*/{MANIFEST_NAME}")}
        try:
            known = {row.run: row for row in self._index.rows()} if folders else {}
        except sqlite3.Error:
            known = {}
        for run in known.keys() - folders.keys():
            self._forget(run)
        rows = []
        for run, folder in folders.items():
            row = known.get(run)
            if row is None or row.stamp != stamp_of(folder):
                row = self._read(folder)
            if row is not None:
                rows.append(row)
        return sorted(rows, key=lambda row: (row.created, row.run), reverse=True)

    def search(self, words: str) -> dict[str, str]:
        """The runs in which each of the words is said, or that are named or tagged so: an excerpt by run, the
        best first. A word may be a beginning.

        Raises:
            InputRefused: the index cannot be written or read.
        """
        self.list()
        try:
            return self._index.search(words)
        except sqlite3.Error as error:
            raise InputRefused(
                f"The runs in {self.root} cannot be searched ({error}); check that you may write there."
            ) from error

    def label(self, run: str, change: Callable[[Labels], Labels]) -> Labels:
        """Change what the user calls a run of this folder; the labels from before, to undo it with.

        Raises:
            WrongUse: there is no such run, by its whole name.
            UserError: the labels are refused, cannot be read, or cannot be written.
        """
        folder = self._named(run).folder
        before = known_labels(folder)
        write_labels(folder, change(before))
        return before

    def deleted(self) -> dict[str, int]:
        """The runs that are set aside, each with the bytes of its folder."""
        return {
            path.parent.name: size_of(path.parent) for path in self.root.glob(f"{_ASIDE}/*/{MANIFEST_NAME}")
        }

    def rebuild(self) -> int:
        """Make the index again from the folders; the number of runs in it."""
        self._index.reset()
        return len(self.list())

    def find(self, name: str) -> StoredRun:
        """A run by its name, a unique beginning of it, `last`, or the path of its folder.

        `last` is the newest that no program is recording, if there is one.

        Raises:
            WrongUse: there is none, or more than one.
            InputRefused: it cannot be read.
        """
        if not name:
            raise WrongUse("A run has a name; `as2d runs` lists them.")
        if name != LAST and _is_run_name(name) and _is_run_folder(self.root / name):
            return self._stored(self.root / name)
        if _is_run_folder(Path(name)):
            return self._stored(Path(name))
        names = sorted(path.parent.name for path in self.root.glob(f"*/{MANIFEST_NAME}"))
        found = (
            last_ended(self.root, names) if name == LAST else [run for run in names if run.startswith(name)]
        )
        if not names:
            raise WrongUse(f"There is no run in {self.root} yet; `as2d transcribe FILE` makes one.")
        if not found:
            raise WrongUse(
                f"There is no run '{name}' in {self.root}; `as2d runs` lists those that there are."
            )
        if len(found) > 1:
            raise WrongUse(f"'{name}' is the beginning of {len(found)} runs; give more of the name.")
        return self._stored(self.root / found[0])

    def own(self, name: str) -> str:
        """The whole name of the run that `find` finds, to change what belongs to it here.

        Raises:
            WrongUse: there is none, more than one, or it is not in this runs folder.
            InputRefused: it cannot be read.
        """
        folder = self.find(name).folder
        if folder.parent != self.root:
            folder = folder.resolve()
            if folder.parent != self.root.resolve():
                raise WrongUse(
                    f"{name} is not in the runs folder {self.root}, and only runs in it can be named, tagged "
                    "or deleted; `as2d bundle` and `as2d open` bring it there."
                )
        return folder.name

    def set_aside(self, run: str) -> None:
        """Take a run off the list; `put_back` brings it back, `empty_aside` deletes it.

        Raises:
            InputRefused: it is being recorded, or its folder cannot be moved.
            WrongUse: there is no such run, by its whole name.
        """
        stored = self._named(run)
        if stored.manifest.status == "running":
            raise InputRefused(f"The run {run} is still being recorded; end it first.")
        aside = self.root / _ASIDE / stored.folder.name
        shutil.rmtree(aside, ignore_errors=True)  # an earlier run of this name, deleted before
        self._move(stored.folder, aside)
        self._forget(stored.folder.name)

    def put_back(self, run: str) -> None:
        """Bring back a run that was set aside.

        Raises:
            InputRefused: it is gone, or its folder cannot be moved.
            WrongUse: that is no name of a run.
        """
        if not _is_run_name(run):
            raise WrongUse(f"There is no deleted run '{run}'; `as2d runs` tells what there is.")
        self._move(self.root / _ASIDE / run, self.root / run)

    def empty_aside(self) -> None:
        """Delete the runs that were set aside; what cannot be deleted stays set aside."""
        shutil.rmtree(self.root / _ASIDE, ignore_errors=True)

    def _move(self, folder: Path, to: Path) -> None:
        try:
            to.parent.mkdir(parents=True, exist_ok=True)
            folder.rename(to)
        except OSError as error:
            raise InputRefused(
                f"The run {folder.name} cannot be moved to {to.parent} ({error.strerror or error}); "
                "check that you may write there."
            ) from error

    def _named(self, run: str) -> StoredRun:
        """The run of this folder with this very name: never a path, nor the beginning of a name."""
        folder = self.root / run
        if not _is_run_name(run) or not _is_run_folder(folder):
            raise WrongUse(f"There is no run '{run}' in {self.root}; `as2d runs` lists those that there are.")
        return self._stored(folder)

    def _stored(self, folder: Path) -> StoredRun:
        manifest = read_manifest(folder)
        if manifest.status == "running" and not is_being_recorded(folder / STREAM_NAME):
            manifest = manifest.model_copy(update={"status": "interrupted"})
        return StoredRun(folder, manifest)

    def _read(self, folder: Path) -> RunRow | None:
        """The row of a folder, read anew, and noted unless the run goes on."""
        stamp = stamp_of(folder)
        try:
            stored = self._stored(folder)
            fold = stored.fold()
        except InputRefused:  # a folder that is none of ours, or of a later version, is not in the list
            return None
        row = row_of(folder, stored.manifest, fold, stamp)
        if row.status != "running":
            self.note(folder, stored.manifest, fold, stamp)
        return row

    def _forget(self, run: str) -> None:
        with suppress(sqlite3.Error):
            self._index.remove(run)


def _is_run_name(name: str) -> bool:
    """Whether it can be a run's name: that of one folder, which is not hidden."""
    return bool(name) and "/" not in name and "\0" not in name and not name.startswith(".")


def _is_run_folder(folder: Path) -> bool:
    try:
        return (folder / MANIFEST_NAME).is_file()
    except (OSError, ValueError):  # too long for a path, or behind a folder that may not be read
        return False


def _remove(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
