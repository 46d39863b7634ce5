"""Looks at a bundle before anything of it is written: whatever is not as a bundle should be is refused."""

from __future__ import annotations

import stat
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, TypeVar

from pydantic import BaseModel, ValidationError

from as2d.backend.bundles.layout import (
    CONTENTS_BYTES,
    CONTENTS_NAME,
    BundledRun,
    Contents,
    entry_name,
    most_bytes,
)
from as2d.backend.errors import InputRefused
from as2d.backend.problems import first_problem
from as2d.backend.protocol.lines import parse_recorded
from as2d.backend.runs.corrections import CORRECTIONS_NAME, Corrections
from as2d.backend.runs.labels import LABELS_NAME, Labels
from as2d.backend.runs.manifest import MANIFEST_NAME, STREAM_NAME, RunManifest
from as2d.backend.runs.stream import StreamReader

_MOST_ENTRIES = 40_000
_MOST_RATIO = 200
_MOST_STREAM_RATIO = 100
_FREE_BYTES = 8 << 20
_KNOWN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_HEADER_BYTES = 30

_Model = TypeVar("_Model", bound=BaseModel)


class NoBundle(Exception):
    """Why a file is none; said in the middle of a sentence."""


def refused(path: Path, reason: object) -> InputRefused:
    """The sentence for a file that is no bundle, or none that may be opened."""
    return InputRefused(f"{path.name} cannot be opened as a run bundle: {reason}; nothing was changed.")


def checked(archive: zipfile.ZipFile, size: int, check: Callable[[], None] = lambda: None) -> Contents:
    """The contents of a bundle of `size` bytes, every entry and every event of it looked at.

    `check` may raise between the events to stop.

    Raises:
        NoBundle: something in it is not as it should be.
        zipfile.BadZipFile, zlib.error, OSError, ...: it cannot be read.
    """
    entries = _checked_entries(archive, size)
    table = read_small(archive, CONTENTS_NAME, CONTENTS_BYTES)
    contents = _parsed(Contents, table, CONTENTS_NAME)
    expected = {CONTENTS_NAME}
    for run in contents.runs:
        _check_files(run, entries, expected)
        _check_run(archive, run, check)
    names = [run.run for run in contents.runs]
    if len(set(names)) < len(names):
        raise NoBundle("it holds a run twice")
    if expected != entries.keys():
        raise NoBundle(f"its table of contents does not name '{_shown(min(entries.keys() - expected))}'")
    return contents


def read_small(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    """A whole entry, never more than `most` bytes whatever its header says.

    Raises:
        NoBundle: it is missing or too large.
    """
    try:
        file = archive.open(name)
    except KeyError:
        raise NoBundle(f"it has no {_shown(name)}") from None
    with file:
        content = file.read(most + 1)
    if len(content) > most:
        raise NoBundle(f"'{_shown(name)}' in it is too large")
    return content


def _checked_entries(archive: zipfile.ZipFile, size: int) -> dict[str, zipfile.ZipInfo]:
    infos = archive.infolist()
    if len(infos) > _MOST_ENTRIES:
        raise NoBundle(f"it has {len(infos)} entries")
    entries: dict[str, zipfile.ZipInfo] = {}
    for info in infos:
        name = info.filename
        if name in entries:
            raise NoBundle(f"it holds '{_shown(name)}' twice")
        entries[name] = info
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG) or info.is_dir():
            raise NoBundle(f"'{_shown(name)}' in it is no ordinary file")
        if info.flag_bits & _ENCRYPTED or info.compress_type not in _KNOWN_METHODS:
            raise NoBundle(f"'{_shown(name)}' in it is packed in a way that bundles are not")
        if info.file_size > _MOST_RATIO * info.compress_size + (1 << 16):
            raise NoBundle(
                f"'{_shown(name)}' in it would grow to {info.file_size} bytes from {info.compress_size}"
            )
    _check_places(entries.values(), size)
    return entries


def _check_places(infos: Iterable[zipfile.ZipInfo], size: int) -> None:
    """Entries that share bytes of the file could grow without end."""
    place = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < place:
            raise NoBundle("two files in it share the same bytes")
        place = info.header_offset + _HEADER_BYTES + len(info.filename.encode()) + info.compress_size
    if place > size:
        raise NoBundle("it ends too early")


def _check_files(run: BundledRun, entries: dict[str, zipfile.ZipInfo], expected: set[str]) -> None:
    if not {MANIFEST_NAME, STREAM_NAME} <= run.files.keys():
        raise NoBundle(f"the run {run.run} in it has no {MANIFEST_NAME} or no {STREAM_NAME}")
    for name, file in run.files.items():
        most = most_bytes(name)
        if most is None:
            raise NoBundle(f"a run has no file '{_shown(name)}'")
        entry = entries.get(entry_name(run.run, name))
        if entry is None:
            raise NoBundle(f"'{_shown(name)}' of the run {run.run} is missing in it")
        if entry.file_size != file.size:
            raise NoBundle(f"'{_shown(name)}' in it has another size than its table of contents says")
        if file.size > most:
            raise NoBundle(f"'{_shown(name)}' in it is too large")
        expected.add(entry.filename)


def _check_run(archive: zipfile.ZipFile, run: BundledRun, check: Callable[[], None]) -> None:
    """Its manifest, its labels and every event must be what this version knows."""
    manifest_entry = entry_name(run.run, MANIFEST_NAME)
    manifest = _parsed(
        RunManifest, read_small(archive, manifest_entry, most_bytes(MANIFEST_NAME) or 0), MANIFEST_NAME
    )
    if manifest.run != run.run:
        raise NoBundle(f"its run {run.run} calls itself '{_shown(manifest.run)}'")
    beside: tuple[tuple[str, type[BaseModel]], ...] = ((LABELS_NAME, Labels), (CORRECTIONS_NAME, Corrections))
    for name, model in beside:
        if name in run.files:
            _parsed(model, read_small(archive, entry_name(run.run, name), most_bytes(name) or 0), name)
    stream = entry_name(run.run, STREAM_NAME)
    most = _FREE_BYTES + _MOST_STREAM_RATIO * run.files[STREAM_NAME].size
    grown = 0

    def opened() -> IO[bytes]:
        return archive.open(stream)

    reader = StreamReader(Path(STREAM_NAME), opened)
    try:
        for line in reader.lines():
            check()
            grown += len(line)
            if grown > most:
                raise NoBundle(f"{STREAM_NAME} in it grows beyond {most >> 20} MiB")
            parse_recorded(line)
    except InputRefused as error:
        raise NoBundle(
            f"{STREAM_NAME} in it is not what this version of AS²D knows ({error.message[:200]})"
        ) from error


def _parsed(model: type[_Model], content: bytes, name: str) -> _Model:
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        raise NoBundle(
            f"{name} in it is not what this version of AS²D knows ({first_problem(error)})"
        ) from error


def _shown(name: str) -> str:
    """A name from a file that is not trusted, on one line and short."""
    return "".join(character if character.isprintable() else "?" for character in name)[:80]
