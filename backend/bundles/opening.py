"""Takes the runs of a bundle into the runs folder, all of them or none."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from as2d.backend.bundles.checking import NoBundle, checked, refused
from as2d.backend.bundles.layout import BundledRun, entry_name
from as2d.backend.errors import InputRefused
from as2d.backend.runs.files import storage_error
from as2d.backend.runs.manifest import MANIFEST_NAME, STREAM_NAME, RunManifest, write_manifest
from as2d.backend.runs.origin import ORIGIN_NAME, Origin
from as2d.backend.runs.store import RunStore, utc_text

_OPENING = ".opening"
_BLOCK = 1 << 20
_DERIVED = "transcripts/"
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    ValueError,
    OverflowError,
    RuntimeError,
)
"""What the zip reader raises for files that are damaged or made up."""


@dataclass(frozen=True)
class OpenedRun:
    """A run of a bundle as it is here now; `new`: it was not here before."""

    run: str
    folder: Path
    new: bool


def open_bundle(path: Path, store: RunStore, check: Callable[[], None] = lambda: None) -> list[OpenedRun]:
    """Take the runs of a bundle in; `check` may raise between the pieces of work to stop.

    A run that is here already is left as it is. One whose name another run has gets a number behind it.

    Raises:
        InputRefused: it cannot be read, or is no bundle; nothing was written.
        UserError: the runs cannot be written; nothing of them is left.
    """
    try:
        if not path.is_file():
            raise FileNotFoundError(errno.ENOENT, "no such file")
        file = path.open("rb")
    except OSError as error:
        raise InputRefused(
            f"The bundle {path} cannot be read ({error.strerror}); check its name and that you may read it."
        ) from error
    with file, contextlib.ExitStack() as stack:
        try:
            archive = stack.enter_context(zipfile.ZipFile(file))
            contents = checked(archive, path.stat().st_size, check)
        except NoBundle as error:
            raise refused(path, error) from error
        except (OSError, *_UNREADABLE) as error:
            raise refused(path, "it is damaged or no bundle") from error
        check()
        try:
            return _taken(archive, contents.runs, path, store, check)
        except NoBundle as error:
            raise refused(path, error) from error
        except _UNREADABLE as error:
            raise refused(path, "it is damaged") from error
        except OSError as error:
            raise storage_error(error, store.root, "the runs of the bundle") from error


def _taken(
    archive: zipfile.ZipFile, runs: list[BundledRun], path: Path, store: RunStore, check: Callable[[], None]
) -> list[OpenedRun]:
    opened: list[OpenedRun] = []
    with _working_folder(store.root / _OPENING) as place:
        try:
            for run in runs:
                present = _present(store.root, run)
                if present is None:
                    _extract(archive, run, place / run.run, path, check)
            for run in runs:
                present = _present(store.root, run)
                if present is not None:
                    opened.append(OpenedRun(present.name, present, new=False))
                else:
                    folder = _put_in(place / run.run, store.root)
                    opened.append(OpenedRun(folder.name, folder, new=True))
        except BaseException:
            for done in opened:
                if done.new:
                    shutil.rmtree(done.folder, ignore_errors=True)
            raise
    return opened


@contextlib.contextmanager
def _working_folder(within: Path) -> Iterator[Path]:
    """A new folder that is locked while it is used, and gone afterwards.

    Those that killed programs left are locked no more, and are removed.
    """
    _remove_left(within)
    while True:
        within.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):  # another program took the folder for left, or `within`
            place = Path(tempfile.mkdtemp(dir=within))
            descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                with contextlib.suppress(OSError):  # a file system without locks: nothing is found left there
                    fcntl.flock(descriptor, fcntl.LOCK_EX)
                if os.path.samestat(os.fstat(descriptor), place.stat()):
                    break
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(descriptor)
        with contextlib.suppress(OSError):  # another program is opening a bundle
            within.rmdir()


def _remove_left(within: Path) -> None:
    for place in within.glob("*"):
        with contextlib.suppress(OSError):  # another program works in it, or removes it too
            descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(place, ignore_errors=True)
            finally:
                os.close(descriptor)


def _present(root: Path, run: BundledRun) -> Path | None:
    """The folder that holds this very run already: under its name, or under one with a number."""
    for folder in [root / run.run, *sorted(root.glob(f"{run.run}-*"))]:
        stream = folder / STREAM_NAME
        try:
            if stream.stat().st_size == run.files[STREAM_NAME].size:
                with stream.open("rb") as file:
                    if hashlib.file_digest(file, "sha256").hexdigest() == run.files[STREAM_NAME].sha256:
                        return folder
        except OSError:
            continue
    return None


def _extract(
    archive: zipfile.ZipFile, run: BundledRun, folder: Path, path: Path, check: Callable[[], None]
) -> None:
    folder.mkdir()
    for name, described in run.files.items():
        if name.startswith(_DERIVED):
            continue
        check()
        to = folder / name
        to.parent.mkdir(exist_ok=True)
        digest, left = hashlib.sha256(), described.size
        with archive.open(entry_name(run.run, name)) as packed, to.open("xb") as file:
            while block := packed.read(min(_BLOCK, left + 1)):
                check()
                left -= len(block)
                if left < 0:
                    break
                digest.update(block)
                file.write(block)
        if left or digest.hexdigest() != described.sha256:
            raise NoBundle(f"'{name}' of the run {run.run} in it is damaged")
    origin = Origin(bundle=path.name, opened=utc_text(datetime.now(UTC)), run=run.run)
    (folder / ORIGIN_NAME).write_text(origin.model_dump_json(indent=1) + "\n", encoding="utf-8")


def _put_in(folder: Path, root: Path) -> Path:
    """Give an unpacked run its place among the others, under a name that is free."""
    number = 1
    while True:
        final = root / (folder.name if number == 1 else f"{folder.name}-{number}")
        if not final.exists():
            if number > 1:
                manifest = RunManifest.model_validate_json((folder / MANIFEST_NAME).read_bytes())
                write_manifest(folder, manifest.model_copy(update={"run": final.name}))
            try:
                folder.rename(final)
            except OSError:
                if not final.exists():
                    raise
            else:
                return final
        number += 1
