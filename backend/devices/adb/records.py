"""What this computer knows about the files that it checked on a phone."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from as2d.backend.devices.adb.sync import RemoteStat
from as2d.backend.models.files import write_atomically


class CheckedFile(BaseModel):
    """A file on the phone at the moment when it had this SHA-256."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    size: int = Field(ge=0)
    modified: int
    changed: int | None
    inode: int | None

    @classmethod
    def of(cls, status: RemoteStat, sha256: str) -> CheckedFile:
        """The record of a file that was just checked."""
        return cls(
            sha256=sha256,
            size=status.size,
            modified=status.modified,
            changed=status.changed,
            inode=status.inode,
        )


class _Records(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: int = Field(default=1, ge=1, le=1)
    files: dict[str, CheckedFile] = {}


class StoreRecords:
    """Records of one store on a phone, by names on the phone, in one file; unreadable, it counts as empty."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._records = _Records.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            self._records = _Records()

    def vouches(self, path: str, status: RemoteStat | None, sha256: str) -> bool:
        """Whether the file is the one that was checked, unchanged since."""
        known = self._records.files.get(path)
        return status is not None and status.is_file and known == CheckedFile.of(status, sha256)

    def below(self, prefix: str) -> list[str]:
        """The places of checked files whose names begin so."""
        return sorted(path for path in self._records.files if path.startswith(prefix))

    def vouches_any(self, path: str, status: RemoteStat | None) -> bool:
        """Whether the file is one that was checked, unchanged since, whatever its content."""
        known = self._records.files.get(path)
        return known is not None and self.vouches(path, status, known.sha256)

    def note(self, path: str, status: RemoteStat, sha256: str) -> None:
        """Remember that the file was checked."""
        self._records.files[path] = CheckedFile.of(status, sha256)

    def forget(self, path: str) -> None:
        """A file that is gone."""
        self._records.files.pop(path, None)

    def save(self) -> None:
        """Keep the records. That they cannot be written only means that the next check takes longer."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path, self._records.model_dump_json().encode())
        except OSError:
            return
