"""What was measured on this device: g of the margin guard and the budget, one small file each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Literal, TypeVar

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


class BudgetRate(_Entry):
    """The pooled decode speed of a budget that was measured, tokens/s."""

    budget: int = Field(ge=0)
    tps: float


class BudgetEntry(_Entry):
    """A budget in candidates and the decode TPS it was chosen by.

    `rates` are those of all budgets that were measured beside it, `run` is the benchmark's run; entries of
    earlier versions have neither.
    """

    kind: Literal["budget"] = "budget"
    key: BudgetKey
    budget: int = Field(ge=0)
    tps: float
    windows: int
    measured: str
    repeats: int | None = None
    run: str | None = None
    start_condition: str | None = None
    target_only_tps: float | None = None
    rates: tuple[BudgetRate, ...] = ()


E = TypeVar("E", GapEntry, BudgetEntry)


@dataclass(frozen=True)
class Kept(Generic[E]):
    """An entry with its file and the file's SHA-256."""

    entry: E
    path: Path
    digest: str


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

    def gaps_of(self, model: str, cpu: str) -> list[Kept[GapEntry]]:
        """Every measured g of a model (SHA-256 of its model.json) on a processor, the newest first."""
        found = [kept for kept in self._all(GapEntry, "gap") if kept.entry.key.model == model]
        return _newest_first(kept for kept in found if kept.entry.key.cpu == cpu)

    def budgets_of(self, target: str, drafter: str, cpu: str) -> list[Kept[BudgetEntry]]:
        """Every budget that was chosen for two models on a processor, the newest first."""
        found = [kept for kept in self._all(BudgetEntry, "budget") if kept.entry.key.cpu == cpu]
        return _newest_first(
            kept for kept in found if (kept.entry.key.target, kept.entry.key.drafter) == (target, drafter)
        )

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

    def _all(self, entry: type[E], kind: str) -> Iterator[Kept[E]]:
        for path in sorted(self._root.glob(f"{kind}-*.json")):
            try:
                content = path.read_bytes()
                found = entry.model_validate_json(content)
            except (OSError, ValidationError):  # damaged, or of a later version: it counts as not there
                continue
            yield Kept(found, path, hashlib.sha256(content).hexdigest())

    def _read(self, entry: type[E], key: _Key) -> E | None:
        try:
            found = entry.model_validate_json(self._path(key).read_bytes())
        except (OSError, ValidationError):
            return None
        return found if found.key == key else None


def _newest_first(kept: Iterable[Kept[E]]) -> list[Kept[E]]:
    return sorted(kept, key=lambda one: one.entry.measured, reverse=True)
