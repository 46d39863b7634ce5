"""What this computer keeps of a job until it is collected: one file each in `jobs` of the data folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.paths import data_dir
from as2d.backend.protocol.host_events import HostEvents, RecordingDone, RecordingFailed
from as2d.backend.protocol.ops import Task
from as2d.backend.runs.files import storage_error, write_atomically
from as2d.backend.runs.manifest import RunManifest

_NAME = re.compile(r"[0-9a-z-]+")


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JobWindow(_Part):
    """A window with speech: its names in the stream, as preparation and as request, and of its recording."""

    recording: str
    window: str
    preparation: str
    request: str
    op_ids: tuple[int, ...]


class Job(_Part):
    """A job. `before` is what the host's stream says until the device begins, `after` how each recording
    ends if all its windows are decoded; `files` are the names on the device of what the job reads.
    """

    format: Literal[1] = 1
    job: str
    device: str
    device_label: str
    created: str
    manifest: RunManifest
    task: Task
    before: tuple[HostEvents, ...]
    windows: tuple[JobWindow, ...]
    after: tuple[RecordingDone | RecordingFailed, ...]
    files: tuple[str, ...]


class JobStore:
    """The jobs that are not collected yet."""

    def __init__(self, root: Path | None = None) -> None:
        """`root`: their folder, by default in the data folder."""
        self._root = root or data_dir() / "jobs"

    def keep(self, job: Job) -> None:
        """Keep a job.

        Raises:
            UserError: the folder cannot be written, or the disk is full.
        """
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(job.job), job.model_dump_json(indent=1).encode() + b"\n")
        except OSError as error:
            raise storage_error(error, self._root, "the job") from error

    def find(self, name: str) -> Job:
        """The job of that name.

        Raises:
            WrongUse: there is none.
            InputRefused: its file cannot be read.
        """
        path = self._path(name) if _NAME.fullmatch(name) else None
        if path is None or not path.exists():
            raise WrongUse(f"There is no job '{name}'; `as2d jobs` lists them.")
        try:
            return Job.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise InputRefused(
                f"{path} is no job that this version of AS²D knows; collect it with the version that sent it."
            ) from error

    def all(self) -> list[Job]:
        """All jobs, the oldest first; files that cannot be read are left out."""
        found = []
        for path in sorted(self._root.glob("*.json")):
            try:
                found.append(self.find(path.stem))
            except InputRefused:  # told to whoever asks for it by name
                continue
        return found

    def forget(self, job: Job) -> None:
        """Forget a job; one that is forgotten already is no error."""
        self._path(job.job).unlink(missing_ok=True)

    def _path(self, name: str) -> Path:
        return self._root / f"{name}.json"
