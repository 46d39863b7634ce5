"""Content-addressed files of the store: `objects/<sha256>`, and which conversion gave which."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.models.files import move_into_place, sha256_of, write_atomically


@dataclass(frozen=True)
class StoredObject:
    """A file by its content."""

    sha256: str
    size: int


class ObjectStore:
    """`objects/` holds complete files by their SHA-256, `keys/` says which conversion gave which."""

    def __init__(self, root: Path) -> None:
        self._objects = root / "objects"
        self._keys = root / "keys"

    def prepare(self) -> None:
        """Makes the folders."""
        self._objects.mkdir(exist_ok=True)
        self._keys.mkdir(exist_ok=True)

    def path(self, sha256: str) -> Path:
        """Where the file with this content is, if it is there."""
        return self._objects / sha256

    def size(self) -> int:
        """Bytes of all files."""
        return sum(path.stat().st_size for path in self._objects.iterdir())

    def find(self, key: str) -> StoredObject | None:
        """The intact result of the conversion `key`, if there is one; a damaged one is deleted."""
        record = self._keys / f"{key}.json"
        try:
            content = json.loads(record.read_bytes())
            stored = StoredObject(str(content["sha256"]), int(content["size"]))
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            record.unlink()
            return None
        path = self.path(stored.sha256)
        if path.is_file() and path.stat().st_size == stored.size and sha256_of(path) == stored.sha256:
            return stored
        path.unlink(missing_ok=True)
        record.unlink()
        return None

    def add(self, temporary: Path, key: str) -> StoredObject:
        """Takes over a complete file of the same file system as the result of `key`."""
        stored = StoredObject(sha256_of(temporary), temporary.stat().st_size)
        temporary.chmod(0o444)
        move_into_place(temporary, self.path(stored.sha256))
        content = json.dumps({"sha256": stored.sha256, "size": stored.size}).encode()
        write_atomically(self._keys / f"{key}.json", content)
        return stored

    def place(self, sha256: str, target: Path) -> None:
        """Puts the file with this content at `target`: a second name for it, or a copy without links."""
        source = self.path(sha256)
        try:
            os.link(source, target)
        except OSError:
            shutil.copyfile(source, target)
            target.chmod(0o444)

    def keep_only(self, used: Iterable[str]) -> None:
        """Deletes every file whose content is not in `used`, and the records that name it."""
        kept = set(used)
        for path in self._objects.iterdir():
            if path.name not in kept:
                path.unlink()
        for record in self._keys.iterdir():
            try:
                sha256 = json.loads(record.read_bytes()).get("sha256")
            except ValueError:
                sha256 = None
            if sha256 not in kept:
                record.unlink()
