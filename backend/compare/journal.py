"""What of a plan is done: one line a cell, so that a comparison goes on where anything ended it."""

from __future__ import annotations

import fcntl
import json
import os
from pathlib import Path
from types import TracebackType
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.runs.files import storage_error

JOURNAL_NAME = "journal.jsonl"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Head(_Line):
    kind: Literal["plan"] = "plan"
    format: Literal[1] = 1
    digest: str


class CellDone(_Line):
    """A cell that needs not be run again: the run and the request in which it was; `problem`: why it was
    given up.
    """

    kind: Literal["cell"] = "cell"
    cell: str
    run: str | None
    request: str | None
    problem: str | None = None


class Journal:
    """The journal in a comparison's folder, held by one program at a time; closed when its block ends."""

    def __init__(self, folder: Path, plan: ComparePlan) -> None:
        """Open it, or begin it.

        Raises:
            InputRefused: it is of another plan, another program writes it, or it is none.
            UserError: it cannot be written.
        """
        self._path = folder / JOURNAL_NAME
        self.done: dict[str, CellDone] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_APPEND, 0o666)
        except OSError as error:
            raise self._storage(error) from error
        try:
            self._hold()
            self._read(plan)
        except BaseException:
            os.close(self._descriptor)
            raise

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)

    def note(self, done: CellDone) -> None:
        """Note a cell; it is on the disk when this returns.

        Raises:
            UserError: it cannot be written.
        """
        self._append(done)
        self.done[done.cell] = done

    def _hold(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputRefused(
                f"Another program is running the comparison in {self._path.parent}; wait for its end."
            ) from error

    def _read(self, plan: ComparePlan) -> None:
        content = os.pread(self._descriptor, os.fstat(self._descriptor).st_size, 0)
        whole = content.rfind(b"\n") + 1
        if whole < len(content):  # the last line was being written when the program ended
            os.ftruncate(self._descriptor, whole)
        lines = content[:whole].splitlines()
        if not lines:
            self._append(_Head(digest=plan.digest))
            return
        try:
            head = _Head.model_validate(json.loads(lines[0]))
            cells = [CellDone.model_validate(json.loads(line)) for line in lines[1:]]
        except (ValueError, ValidationError) as error:
            raise InputRefused(
                f"{self._path} is no journal of a comparison; name another folder, or move it away."
            ) from error
        if head.digest != plan.digest:
            raise InputRefused(
                f"The folder {self._path.parent} holds a comparison by another plan; name another folder."
            )
        self.done = {cell.cell: cell for cell in cells}

    def _append(self, line: _Line) -> None:
        view = memoryview(line.model_dump_json().encode() + b"\n")
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
            os.fsync(self._descriptor)
        except OSError as error:
            raise self._storage(error) from error

    def _storage(self, error: OSError) -> UserError:
        return storage_error(error, self._path.parent, "the journal of the comparison")
