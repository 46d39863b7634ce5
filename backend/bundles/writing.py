"""Writes bundles: the same runs give the same bytes."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterator, Sequence
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
from as2d.backend.export.corrected import corrected_transcript
from as2d.backend.export.formats import Format, render
from as2d.backend.export.transcript import transcript_of
from as2d.backend.runs.corrections import CORRECTIONS_NAME
from as2d.backend.runs.files import atomic_file, storage_error
from as2d.backend.runs.labels import LABELS_NAME
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
    """A file to be packed: from disk, or made here."""

    name: str
    path: Path | None
    content: bytes = b""

    def blocks(self) -> Iterator[bytes]:
        if self.path is None:
            yield self.content
            return
        with self.path.open("rb") as file:
            while block := file.read(_BLOCK):
                yield block


def write_bundle(runs: Sequence[StoredRun], output: Path, *, audio: bool) -> list[str]:
    """Write runs into one file; with `audio` also their recordings. The recordings that could not be found.

    Each run comes with its events, manifest, labels, corrections, and its transcripts to be read without
    this program.

    Raises:
        InputRefused: a run is still being recorded, is there twice, or cannot be read.
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
        sources[run] = [*_kept(stored), *_transcripts(stored)]
        if audio:
            sources[run] += _audio(stored, missing)
    try:
        contents = Contents(
            runs=[
                BundledRun(run=run, files={source.name: _described(source) for source in files})
                for run, files in sources.items()
            ]
        )
        with atomic_file(output) as file:
            _write(file, contents, sources)
    except OSError as error:
        raise storage_error(error, output, "the bundle") from error
    return missing


def _kept(stored: StoredRun) -> Iterator[_Source]:
    for name in (MANIFEST_NAME, STREAM_NAME, LABELS_NAME, CORRECTIONS_NAME):
        path = stored.folder / name
        if path.is_file():
            yield _Source(name, path)


def _transcripts(stored: StoredRun) -> Iterator[_Source]:
    fold = stored.fold()
    for name, recording in fold.recordings.items():
        if not re.fullmatch(RECORDING, name) or not recording.windows:
            continue
        try:
            decoded = transcript_of(fold, name, stored.manifest)
        except InputRefused:  # a benchmark has none
            return
        transcript = corrected_transcript(decoded, name, stored.folder)
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


def _described(source: _Source) -> BundledFile:
    digest, size = hashlib.sha256(), 0
    for block in source.blocks():
        digest.update(block)
        size += len(block)
    return BundledFile(size=size, sha256=digest.hexdigest())


def _write(file: IO[bytes], contents: Contents, sources: dict[str, list[_Source]]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        table = contents.model_dump_json(indent=1).encode() + b"\n"
        _add(archive, CONTENTS_NAME, _Source(CONTENTS_NAME, None, table), len(table))
        for run in contents.runs:
            for source in sources[run.run]:
                _add(archive, entry_name(run.run, source.name), source, run.files[source.name].size)


def _add(archive: zipfile.ZipFile, name: str, source: _Source, size: int) -> None:
    entry = zipfile.ZipInfo(name, _MOMENT)
    entry.create_system, entry.external_attr = _UNIX, _ORDINARY << 16
    # Events and sound are compressed already.
    entry.compress_type = zipfile.ZIP_DEFLATED if name.endswith((".json", ".txt")) else zipfile.ZIP_STORED
    with archive.open(entry, "w", force_zip64=size >= _LARGE) as packed:
        for block in source.blocks():
            packed.write(block)
