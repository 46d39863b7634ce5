"""Comparisons that recorded runs are parts of, and where the window keeps its own. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from as2d.backend.paths import data_dir

if TYPE_CHECKING:  # the window appears before them
    from as2d.backend.runs.manifest import ComparisonUsed
    from as2d.backend.runs.store import RunStore, StoredRun

_COMPARE, _BENCH = "compare", "bench"


@dataclass(frozen=True)
class KeptComparison:
    """A comparison by its folder, with its plan; where that is not the window's (null), by its runs."""

    folder: Path | None
    runs: tuple[str, ...]


def comparisons_dir() -> Path:
    """Where the window's comparisons are kept, a folder each."""
    return data_dir() / "comparisons"


def comparison_of(stored: StoredRun, store: RunStore) -> KeptComparison | None:
    """The comparison that a run is a part of, or is by itself; None: it decoded in one way."""
    from as2d.backend.compare.running.journal import JOURNAL_NAME, is_journal_of

    manifest = stored.manifest
    arms = manifest.settings.get("arms")
    if manifest.command == _BENCH and isinstance(arms, list) and len(arms) > 1:
        return KeptComparison(None, (manifest.run,))
    if manifest.command != _COMPARE:
        return None
    used = manifest.comparison
    if used is None:
        return KeptComparison(None, (manifest.run,))
    journals = comparisons_dir().glob(f"*/{JOURNAL_NAME}")
    folder = next((path.parent for path in sorted(journals) if is_journal_of(path.parent, used)), None)
    return KeptComparison(folder, () if folder is not None else _runs_of(used, manifest.run, store))


def _runs_of(used: ComparisonUsed, run: str, store: RunStore) -> tuple[str, ...]:
    """The runs of a comparison that are in the history, the oldest first; `run` is one of them."""
    if used.comparison is None:
        return (run,)
    rows = sorted((row.created, row.run) for row in store.list() if row.command == _COMPARE)
    found = [name for _, name in rows if store.find(name).manifest.comparison == used]
    return tuple(found) or (run,)
