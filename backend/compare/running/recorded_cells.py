"""What recorded runs say of the cells of a comparison."""

from __future__ import annotations

from collections.abc import Mapping

from as2d.backend.compare.running.agreement import digest_of
from as2d.backend.compare.running.journal import CellDone
from as2d.backend.errors import UserError
from as2d.backend.metrics.fold import RunFold
from as2d.backend.protocol.decode_events import Result
from as2d.backend.runs.store import RunStore


def done_cell(cell: str, run: str, result: Result) -> CellDone:
    """The line of a cell that was decoded."""
    return CellDone(
        cell=cell,
        run=run,
        request=result.request,
        language=result.language,
        tokens=digest_of(result.tokens),
    )


def cells_of_run(store: RunStore, run: str) -> Mapping[str, CellDone] | None:
    """The cells in the stream of a run that did not end in order, also of one that is gone; None: it did, so
    that the journal tells the same.
    """
    try:
        stored = store.find(run)
        if stored.manifest.status == "done":
            return None
        fold = stored.fold()
    except UserError:
        return {}
    return _cells(fold, run)


def _cells(fold: RunFold, run: str) -> dict[str, CellDone]:
    return {
        request.cell: done_cell(request.cell, run, request.result)
        for request in fold.finished_requests()
        if request.cell is not None and request.result is not None
    }
