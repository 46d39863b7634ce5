"""What this computer keeps of a job until it is collected: one file each in `jobs` of the data folder."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.paths import data_dir
from as2d.backend.problems import first_problem
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
        path = self.require(name)
        try:
            return Job.model_validate_json(path.read_bytes())
        except OSError as error:
            raise InputRefused(
                f"The job {name} cannot be read ({error.strerror}); correct the permissions of {path}."
            ) from error
        except ValidationError as error:
            raise InputRefused(
                f"The job {name} is none that this version of AS²D knows ({first_problem(error)}); collect "
                f"it with the version that sent it, or forget it with `as2d jobs --forget {name}`."
            ) from error

    def all(self) -> list[Job]:
        """All jobs that can be read, the oldest first."""
        return [job for job in self._read() if isinstance(job, Job)]

    def unreadable(self) -> list[InputRefused]:
        """What is wrong with those that cannot be read, the oldest first."""
        return [problem for problem in self._read() if isinstance(problem, InputRefused)]

    def forget(self, name: str) -> None:
        """Forget a job, also one that cannot be read; one that is forgotten already is no error."""
        self._path(name).unlink(missing_ok=True)

    def require(self, name: str) -> Path:
        """The file of the job of that name.

        Raises:
            WrongUse: there is none.
        """
        path = self._path(name)
        if not _NAME.fullmatch(name) or not path.exists():
            raise WrongUse(f"There is no job '{name}'; `as2d jobs` lists them.")
        return path

    def _read(self) -> Iterator[Job | InputRefused]:
        for path in sorted(self._root.glob("*.json")):
            if _NAME.fullmatch(path.stem):
                try:
                    yield self.find(path.stem)
                except InputRefused as error:
                    yield error
                except WrongUse:  # another program collected it just now
                    continue

    def _path(self, name: str) -> Path:
        return self._root / f"{name}.json"
