"""What of a plan is done: one line a cell, so that a comparison goes on where anything ended it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.agreement import Agreement
from as2d.backend.compare.running.cells import recording_key, recording_of, window_of
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.runs.files import storage_error
from as2d.backend.runs.manifest import ComparisonUsed

JOURNAL_NAME = "journal.jsonl"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Head(_Line):
    kind: Literal["plan"] = "plan"
    format: Literal[1] = 1
    digest: str
    comparison: str | None = None


class RecordingRead(_Line):
    """A recording that was read: how many windows with speech it has; `problem`: why it cannot be used."""

    kind: Literal["recording"] = "recording"
    recording: str
    windows: int
    problem: str | None = None


class ThreadsChosen(_Line):
    """The threads that were chosen for a device; cells are called by them: every session takes these."""

    kind: Literal["threads"] = "threads"
    device: str
    target: int
    target_shared: int
    drafter: int
    drafter_shared: int


class RunBegun(_Line):
    """A recorded run that holds cells from here on."""

    kind: Literal["run"] = "run"
    run: str


class CellDone(_Line):
    """A cell that needs not be run again: the run and the request in which it was, in which language, and a
    digest of the tokens; `problem`: why it was given up.
    """

    kind: Literal["cell"] = "cell"
    cell: str
    run: str | None
    request: str | None
    language: str | None = None
    tokens: str | None = None
    problem: str | None = None


Noted = RecordingRead | ThreadsChosen | RunBegun | CellDone
_Known = Annotated[_Head | Noted, Field(discriminator="kind")]
_lines: TypeAdapter[_Head | Noted] = TypeAdapter(_Known)


def is_journal_of(folder: Path, comparison: ComparisonUsed) -> bool:
    """Whether the journal in a folder is that of a comparison; one that is being run is looked at too."""
    try:
        with (folder / JOURNAL_NAME).open("rb") as file:
            head = _Head.model_validate_json(file.readline())
    except (OSError, ValidationError):
        return False
    return (head.comparison, head.digest) == (comparison.comparison, comparison.plan)


CellsOfRun = Callable[[str], Mapping[str, CellDone] | None]
"""What a run's own stream says of its cells; None: the run ended in order and the journal can be believed."""


class Journal:
    """The journal in a comparison's folder, held by one program at a time; closed when its block ends.

    Any thread may note. `comparison` tells the folder's comparison from others by the same plan; null: it was
    begun before comparisons had one.
    """

    def __init__(self, folder: Path, plan: ComparePlan, cells_of_run: CellsOfRun = lambda _: None) -> None:
        """Open it, or begin it. Where a run did not end in order its stream decides which cells are done.

        Raises:
            InputRefused: it is of another plan, another program writes it, or it is none.
            UserError: it cannot be written.
        """
        self._path = folder / JOURNAL_NAME
        self._lock = threading.Lock()
        self._done: set[int] = set()
        self._of_recording: Counter[str] = Counter()
        self._language: dict[str, str] = {}
        self._numbers: dict[str, int] = {}
        self._plan = plan
        self._present: set[str] | None = None
        self._gone = 0
        self._torn: int | None = None
        self._closed = False
        self.comparison: str | None = None
        self.recordings: dict[str, RecordingRead] = {}
        self.threads: dict[str, ThreadsChosen] = {}
        self.runs: list[str] = []
        self.given_up: list[CellDone] = []
        self.agreement = Agreement(plan)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_APPEND, 0o666)
        except OSError as error:
            raise self._storage(error) from error
        try:
            self._hold()
            self._read(plan, cells_of_run)
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:  # a thread that still works writes no line into another file
            self._closed = True
            os.close(self._descriptor)

    @property
    def done(self) -> int:
        """How many cells of the present recordings need not be run again."""
        return len(self._done) - self._gone

    def expect(self, recordings: Iterable[str]) -> None:
        """Say which recordings there are in this session. Those that were removed from a corpus stay in the
        journal, but nothing of them is left to do and they count no longer.
        """
        self._present = set(recordings)
        self._gone = sum(
            self._of_recording[recording_key(machine, target, name)]
            for name in self.recordings
            if name not in self._present
            for machine in self._plan.machines
            for target in self._plan.targets
        )

    def present(self) -> list[RecordingRead]:
        """The recordings of this session, without `expect` all."""
        present = self._present
        return [read for name, read in self.recordings.items() if present is None or name in present]

    def is_done(self, cell: str) -> bool:
        """Whether a cell needs not be run again."""
        return hash(cell) in self._done

    def done_of(self, recording: str) -> int:
        """How many cells of a recording need not be run again, by `recording_key`."""
        return self._of_recording[recording]

    def language_of(self, recording: str) -> str | None:
        """The language in which a recording's cells were decoded so far, by `recording_key`."""
        return self._language.get(recording)

    def number_of(self, recording: str) -> int | None:
        """Which of the comparison's recordings it is, from 1, the same in every session whatever else is
        added or removed; null: it is not among them.
        """
        return self._numbers.get(recording)

    def note(self, *lines: Noted) -> None:
        """Note lines; they are on the disk when this returns.

        Raises:
            UserError: they cannot be written.
            Cancelled: the journal is closed, since the end was asked for.
        """
        with self._lock:
            self._append(*lines)
            for line in lines:
                self._take(line)

    def _take(self, line: Noted) -> None:
        match line:
            case RecordingRead():
                self.recordings[line.recording] = line
                self._numbers.setdefault(line.recording, len(self._numbers) + 1)
            case ThreadsChosen():
                self.threads[line.device] = line
            case RunBegun():
                self.runs.append(line.run)
            case CellDone():
                self._take_cell(line)

    def _take_cell(self, cell: CellDone) -> None:
        if self.is_done(cell.cell):
            return
        self._done.add(hash(cell.cell))
        recording = recording_of(cell.cell)
        self._of_recording[recording] += 1
        if cell.problem is not None:
            self.given_up.append(cell)
        if cell.language is not None:
            self._language.setdefault(recording, cell.language)
        self.agreement.take(window_of(cell.cell), cell.cell, cell.tokens)

    def _hold(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputRefused(
                f"Another program is running the comparison in {self._path.parent}; wait for its end."
            ) from error
        except OSError:  # a file system without locks
            return

    def _read(self, plan: ComparePlan, cells_of_run: CellsOfRun) -> None:
        begun = False
        whole = 0
        streams: dict[str, Mapping[str, CellDone] | None] = {}
        with open(self._descriptor, "rb", closefd=False) as file:
            for line in file:
                if not line.endswith(b"\n"):  # it was being written when the program ended
                    break
                whole += len(line)
                known = self._parse(line)
                if isinstance(known, _Head) == begun:
                    raise self._none()
                if isinstance(known, _Head):
                    self._check(known, plan)
                    self.comparison = known.comparison
                    begun = True
                    continue
                if isinstance(known, RunBegun):
                    streams[known.run] = cells_of_run(known.run)
                if isinstance(known, CellDone) and known.run is not None:
                    stream = streams.get(known.run)
                    if stream is not None and known.cell not in stream:
                        continue
                self._take(known)
        if os.fstat(self._descriptor).st_size > whole:
            os.ftruncate(self._descriptor, whole)
        if not begun:
            self.comparison = secrets.token_hex(8)
            self._append(_Head(digest=plan.digest, comparison=self.comparison))
        for stream in streams.values():
            self.note(*(cell for cell in (stream or {}).values() if not self.is_done(cell.cell)))

    def _parse(self, line: bytes) -> _Head | Noted:
        try:
            return _lines.validate_json(line)
        except ValidationError as error:
            raise self._none() from error

    def _check(self, head: _Head, plan: ComparePlan) -> None:
        if head.digest != plan.digest:
            raise InputRefused(
                f"The folder {self._path.parent} holds a comparison by another plan; name another folder."
            )

    def _none(self) -> InputRefused:
        return InputRefused(
            f"{self._path} is no journal of a comparison; name another folder, or move it away."
        )

    def _append(self, *lines: _Line) -> None:
        if not lines:
            return
        if self._closed:
            raise Cancelled
        content = b"".join(line.model_dump_json().encode() + b"\n" for line in lines)
        view = memoryview(content)
        try:
            self._cut()
            self._torn = os.fstat(self._descriptor).st_size
            while view:
                view = view[os.write(self._descriptor, view) :]
            os.fsync(self._descriptor)
            self._torn = None
        except OSError as error:
            with contextlib.suppress(OSError):  # else the next line does it
                self._cut()
            raise self._storage(error) from error

    def _cut(self) -> None:
        """Cut off half a line, which would be in the way of the next."""
        if self._torn is not None:
            os.ftruncate(self._descriptor, self._torn)
            self._torn = None

    def _storage(self, error: OSError) -> UserError:
        return storage_error(error, self._path.parent, "the journal of the comparison")
