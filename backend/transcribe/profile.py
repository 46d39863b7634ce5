"""What was measured on this device: g of the margin guard and the budget, one small file each."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from as2d.backend.errors import UserError
from as2d.backend.runs.files import storage_error, write_atomically


class _Key(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GapKey(_Key):
    """What g depends on: the helper's build, the model file, its threads and the processor."""

    helper: str
    model: str
    threads: int
    shared_threads: int
    cpu: str


class BudgetKey(_Key):
    """What the best budget depends on."""

    target: str
    drafter: str
    threads: int
    cpu: str


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class GapEntry(_Entry):
    """A measured g in logits, over so many positions."""

    kind: Literal["logit-gap"] = "logit-gap"
    key: GapKey
    logit_gap: float = Field(ge=0)
    positions: int
    measured: str


class BudgetEntry(_Entry):
    """A budget in candidates and the decode TPS it was chosen by."""

    kind: Literal["budget"] = "budget"
    key: BudgetKey
    budget: int = Field(ge=0)
    tps: float
    windows: int
    measured: str


E = TypeVar("E", GapEntry, BudgetEntry)


class DeviceProfile:
    """The profile folder. A file that cannot be read counts as not there: it is measured again."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def gap(self, key: GapKey) -> GapEntry | None:
        """The measured g for this key, if there is one."""
        return self._read(GapEntry, key)

    def budget(self, key: BudgetKey) -> BudgetEntry | None:
        """The chosen budget for this key, if there is one."""
        return self._read(BudgetEntry, key)

    def store(self, entry: GapEntry | BudgetEntry) -> UserError | None:
        """Keep an entry; the error if that was impossible, which costs one more measurement next time."""
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(entry.key), entry.model_dump_json(indent=1).encode() + b"\n")
        except OSError as error:
            return storage_error(error, self._root, "the device profile")
        return None

    def _path(self, key: _Key) -> Path:
        kind = "gap" if isinstance(key, GapKey) else "budget"
        digest = hashlib.sha256(key.model_dump_json().encode()).hexdigest()[:16]
        return self._root / f"{kind}-{digest}.json"

    def _read(self, entry: type[E], key: _Key) -> E | None:
        try:
            found = entry.model_validate_json(self._path(key).read_bytes())
        except (OSError, ValidationError):
            return None
        return found if found.key == key else None
