"""How far the comparison in a folder is."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.cells import count_cells
from as2d.backend.compare.running.journal import Journal
from as2d.backend.compare.running.recorded_cells import cells_of_run
from as2d.backend.paths import runs_dir
from as2d.backend.runs.store import RunStore


def how_far(folder: Path, plan: ComparePlan) -> tuple[int, int]:
    """How many of a plan's cells need not be run again, and how many there are; 0 of 0: its recordings have
    not been read.

    Raises:
        InputRefused: the folder's journal is of another plan, is none, or another program writes it.
    """
    store = RunStore(runs_dir())
    with Journal(folder, plan, lambda run: cells_of_run(store, run)) as journal:
        windows = sum(read.windows for read in journal.recordings.values())
        return journal.done, count_cells(plan, windows)
