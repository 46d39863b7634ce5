"""Checks the files of a model folder against its manifest, quickly where nothing has changed."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from as2d.backend.errors import InputRefused
from as2d.backend.models.files import sha256_of, write_atomically
from as2d.backend.models.manifest import ModelManifest
from as2d.backend.models.progress import Reporter

Stamp = list[int]


class FolderVerifier:
    """Remembers in `folder` which files had the right SHA-256, with size, times and inode of that moment."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def check(self, model: Path, manifest: ModelManifest, reporter: Reporter, full: bool) -> None:
        """Checks every file of a model folder; with `full` by its content even if nothing seems changed.

        Raises:
            InputRefused: a file is missing, cut short or changed.
            Cancelled: cancelled between two blocks.
        """
        known = {} if full else self._remembered(model)
        seen: dict[str, tuple[Stamp, str]] = {}
        for file in manifest.files.values():
            path = model / file.path
            if not path.is_file():
                raise _damaged(manifest.name, path, "is missing")
            if path.stat().st_size != file.size:
                raise _damaged(manifest.name, path, f"has {path.stat().st_size} instead of {file.size} bytes")
            stamp = _stamp(path)
            unchanged = known.get(file.path) == (stamp, file.sha256)
            if not unchanged and sha256_of(path, reporter, f"checking {file.path}") != file.sha256:
                raise _damaged(manifest.name, path, "was changed")
            seen[file.path] = (stamp, file.sha256)
        if seen != known:
            self._remember(model, seen)

    def forget(self, model: Path) -> None:
        """Drops what is remembered about a folder."""
        self._record(model).unlink(missing_ok=True)

    def _record(self, model: Path) -> Path:
        return self._folder / f"{hashlib.sha256(str(model.absolute()).encode()).hexdigest()}.json"

    def _remembered(self, model: Path) -> dict[str, tuple[Stamp, str]]:
        try:
            content = json.loads(self._record(model).read_bytes())
            return {
                str(name): ([int(value) for value in stamp], str(sha))
                for name, (stamp, sha) in content.items()
            }
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _remember(self, model: Path, seen: dict[str, tuple[Stamp, str]]) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._record(model), json.dumps(seen).encode())
        except OSError:
            # A folder that can't be written (read-only, full) only means that the next check takes longer.
            return


def _stamp(path: Path) -> Stamp:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _damaged(name: str, path: Path, what: str) -> InputRefused:
    return InputRefused(
        f"The model {name} is damaged: {path} {what}; run `as2d models install {name}` to repair it."
    )
