"""Writes bundles: the same runs give the same bytes."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from as2d.backend.bundles.layout import (
    CONTENTS_NAME,
    RECORDING,
    TRANSCRIPTS,
    BundledFile,
    BundledRun,
    Contents,
    entry_name,
)
from as2d.backend.errors import InputRefused
from as2d.backend.export.corrected import with_text
from as2d.backend.export.formats import Format, render
from as2d.backend.export.transcript import transcript_of
from as2d.backend.metrics.fold import RunFold
from as2d.backend.runs.corrections import CORRECTIONS_NAME, Correction, parsed_corrections
from as2d.backend.runs.files import atomic_file, storage_error
from as2d.backend.runs.labels import LABELS_NAME, parsed_labels
from as2d.backend.runs.manifest import MANIFEST_NAME, STREAM_NAME
from as2d.backend.runs.recording_files import AUDIO_FOLDER, recording_file
from as2d.backend.runs.store import StoredRun

_MOMENT = (1980, 1, 1, 0, 0, 0)
_UNIX, _ORDINARY = 3, 0o100644
_BLOCK = 1 << 20
_LARGE = 1 << 31
_TRANSCRIPTS: tuple[Format, ...] = ("txt", "json")


@dataclass(frozen=True)
class _Source:
    """A file to be packed: one that may be large, from disk, or one whose content is here."""

    name: str
    path: Path | None
    content: bytes = b""

    def blocks(self) -> Iterator[bytes]:
        """Raises InputRefused where the file cannot be read."""
        if self.path is None:
            yield self.content
            return
        try:
            with self.path.open("rb") as file:
                while block := file.read(_BLOCK):
                    yield block
        except OSError as error:
            raise _unreadable(self.path, error) from error


def write_bundle(
    runs: Sequence[StoredRun], output: Path, *, audio: bool, check: Callable[[], None] = lambda: None
) -> list[str]:
    """Write runs into one file; with `audio` also their recordings. The recordings that could not be found.

    Each run comes with its events, manifest, labels, corrections, and its transcripts to be read without
    this program. `check` may raise between the pieces of work to stop; no half of the bundle is left.

    Raises:
        InputRefused: a run is still being recorded, is there twice, cannot be read, or changed meanwhile.
        UserError: the bundle cannot be written; no half of it is left.
    """
    missing: list[str] = []
    sources: dict[str, list[_Source]] = {}
    for stored in runs:
        run = stored.manifest.run
        if stored.manifest.status == "running":
            raise InputRefused(f"The run {run} is still being recorded; end it first.")
        if run in sources:
            raise InputRefused(f"The run {run} was named twice; name each run once.")
        corrections = _read(stored.folder / CORRECTIONS_NAME)
        sources[run] = [*_kept(stored, corrections), *_transcripts(stored, corrections, check)]
        if audio:
            sources[run] += _audio(stored, missing)
    contents = Contents(
        runs=[
            BundledRun(run=run, files={source.name: _described(source, check) for source in files})
            for run, files in sources.items()
        ]
    )
    try:
        with atomic_file(output) as file:
            _write(file, contents, sources, check)
    except OSError as error:
        raise storage_error(error, output, "the bundle") from error
    return missing


def _read(path: Path) -> bytes | None:
    """A small file's content, read once: the user may change it while the bundle is written."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> InputRefused:
    return InputRefused(
        f"{path} cannot be read for the bundle ({error.strerror or error}); check that it is there and that "
        "you may read it."
    )


def _kept(stored: StoredRun, corrections: bytes | None) -> Iterator[_Source]:
    labels = _read(stored.folder / LABELS_NAME)
    if labels is not None:  # a bundle with others could not be opened
        parsed_labels(labels, stored.folder / LABELS_NAME)
    small = {
        MANIFEST_NAME: _read(stored.folder / MANIFEST_NAME),
        LABELS_NAME: labels,
        CORRECTIONS_NAME: corrections,
    }
    for name, content in small.items():
        if content is not None:
            yield _Source(name, None, content)
    yield _Source(STREAM_NAME, stored.folder / STREAM_NAME)


def _transcripts(
    stored: StoredRun, corrections: bytes | None, check: Callable[[], None]
) -> Iterator[_Source]:
    corrected: dict[str, Correction] = {}
    if corrections is not None:
        corrected = parsed_corrections(corrections, stored.folder / CORRECTIONS_NAME).recordings
    fold = RunFold()
    for event in stored.events():
        check()
        fold.feed(event)
    for name, recording in fold.recordings.items():
        check()
        if not re.fullmatch(RECORDING, name) or not recording.windows:
            continue
        try:
            decoded = transcript_of(fold, name, stored.manifest)
        except InputRefused:  # a benchmark has none
            return
        transcript = with_text(decoded, corrected[name].text) if name in corrected else decoded
        for form in _TRANSCRIPTS:
            text = render(transcript, form)
            yield _Source(f"{TRANSCRIPTS}/{name}.{form}", None, text.encode("utf-8", "backslashreplace"))


def _audio(stored: StoredRun, missing: list[str]) -> Iterator[_Source]:
    for used in stored.manifest.recordings:
        path = recording_file(stored, used.recording)
        if path is None or not re.fullmatch(RECORDING, used.recording):
            missing.append(used.audio)
            continue
        ending = path.suffix[1:].lower()
        ending = ending if re.fullmatch(r"[a-z0-9]{1,8}", ending) else "audio"
        yield _Source(f"{AUDIO_FOLDER}/{used.recording}.{ending}", path)


def _described(source: _Source, check: Callable[[], None]) -> BundledFile:
    digest, size = hashlib.sha256(), 0
    for block in source.blocks():
        check()
        digest.update(block)
        size += len(block)
    return BundledFile(size=size, sha256=digest.hexdigest())


def _write(
    file: IO[bytes], contents: Contents, sources: dict[str, list[_Source]], check: Callable[[], None]
) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        table = _Source(CONTENTS_NAME, None, contents.model_dump_json(indent=1).encode() + b"\n")
        _add(archive, CONTENTS_NAME, table, _described(table, check), check)
        for run in contents.runs:
            for source in sources[run.run]:
                _add(archive, entry_name(run.run, source.name), source, run.files[source.name], check)


def _add(
    archive: zipfile.ZipFile, name: str, source: _Source, described: BundledFile, check: Callable[[], None]
) -> None:
    """Pack a file, which must be what the table of contents says."""
    entry = zipfile.ZipInfo(name, _MOMENT)
    entry.create_system, entry.external_attr = _UNIX, _ORDINARY << 16
    # Events and sound are compressed already.
    entry.compress_type = zipfile.ZIP_DEFLATED if name.endswith((".json", ".txt")) else zipfile.ZIP_STORED
    digest, left = hashlib.sha256(), described.size
    with archive.open(entry, "w", force_zip64=described.size >= _LARGE) as packed:
        for block in source.blocks():
            check()
            left -= len(block)
            if left < 0:
                break
            digest.update(block)
            packed.write(block)
    if left or digest.hexdigest() != described.sha256:
        raise InputRefused(f"{source.path} was changed while it was put into the bundle; try again.")
