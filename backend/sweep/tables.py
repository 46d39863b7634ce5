"""The rows of a sweep as tables."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.bench.rows import page_rows
from as2d.backend.bench.tables import TableFormat, render_rows
from as2d.backend.sweep.service import SweepRow

_PLACES = ("traces", "profile")
_SETTINGS = ("confidence", "patience")


def render_sweep(rows: Sequence[SweepRow], form: TableFormat) -> str:
    """CSV and JSON Lines: one row an arm with every column, `best` among them. Markdown: what is read first,
    and a second table of the best setting of each method.
    """
    if form != "md":
        return render_rows([_tidy(row) for row in rows], form)
    page = _page(rows)
    best = [shown for row, shown in zip(rows, page, strict=True) if row.best]
    return render_rows(page, form) + "\nBest setting of each method:\n\n" + render_rows(best, form)


def _tidy(row: SweepRow) -> dict[str, object]:
    return {
        "traces": row.traces,
        "profile": row.profile,
        "device": row.device,
        **row.summary.model_dump(mode="json"),
        "best": row.best,
    }


def _page(rows: Sequence[SweepRow]) -> list[dict[str, object]]:
    """Places and settings that are the same in all rows have no column."""
    places = [name for name in _PLACES if len({getattr(row, name) for row in rows}) > 1]
    settings = [name for name in _SETTINGS if len(_values(rows, name)) > 1]
    found = []
    for row, page in zip(rows, page_rows([row.summary for row in rows]), strict=True):
        place = {name: getattr(row, name) for name in places}
        setting = {name: getattr(row.summary, name) for name in settings}
        first = {name: page.pop(name) for name in ("method", "max K")}
        found.append({**place, **first, **setting, **page})
    return found


def _values(rows: Sequence[SweepRow], name: str) -> set[object]:
    return {getattr(row.summary, name) for row in rows} - {None}
