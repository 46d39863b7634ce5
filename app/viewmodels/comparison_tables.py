"""The further tables of a comparison: speed by corpus, and change by groups of windows. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.comparison import UNKNOWN, arms_of
from as2d.app.viewmodels.comparison_words import group_words, start_words

if TYPE_CHECKING:
    from as2d.backend.compare.judging.judgement import CorpusRow, CorpusTable, Judgement, Regime

_BEST = "★"


@dataclass(frozen=True)
class ShownTable:
    """A table with its title; all columns but the first are numbers."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables_of(judgement: Judgement) -> list[ShownTable]:
    """Speed by corpus for each device, target and start condition, then the change by groups of windows."""
    found = [_corpora(judgement, table) for table in judgement.tables]
    regimes = list(judgement.regimes)
    groups = dict.fromkeys((regime.kind, regime.device, regime.target) for regime in regimes)
    for group in groups:
        mine = [regime for regime in regimes if (regime.kind, regime.device, regime.target) == group]
        found.append(_regimes(judgement, mine))
    return found


def _corpora(judgement: Judgement, table: CorpusTable) -> ShownTable:
    place = f"{table.device}, {table.target}"
    if table.start_condition is not None:
        place += f", {start_words(table.start_condition)}"
    if table.preparing == "ahead":
        place += ", " + tr("next window ahead")
    heads = [tr("Tokens/s; gain over target-only, over the best baseline {star}", star=_BEST)]
    for name, windows in zip(table.columns, table.windows, strict=True):
        heads.append(f"{group_words(name)} ({windows})")
    rows = [_corpus_row(judgement, table, row) for row in table.rows]
    if any(value is not None for value in table.oracle):
        rows.append(
            (
                tr("the faster of as2d and target-only in each window"),
                *(_number(value) for value in table.oracle),
            )
        )
    return ShownTable(tr("By corpus: {place}", place=place), tuple(heads), tuple(rows))


def _corpus_row(judgement: Judgement, table: CorpusTable, row: CorpusRow) -> tuple[str, ...]:
    cells = []
    for column, (tps, gain) in enumerate(zip(row.tps, row.gains, strict=True)):
        parts = [_number(tps)]
        if table.best[column] == row.side:
            parts.append(_BEST)
        gains = [_percent(value) for value in (gain.over_alone, gain.over_best) if value is not None]
        if gains:
            parts.append(f"({', '.join(gains)})")
        cells.append(" ".join(parts))
    return arms_of(judgement)[row.side], *cells


def _regimes(judgement: Judgement, regimes: list[Regime]) -> ShownTable:
    sides = list(dict.fromkeys(row.side for regime in regimes for row in regime.rows))
    rows = []
    for regime in regimes:
        by_side = {row.side: row for row in regime.rows}
        cells = []
        for side in sides:
            row = by_side.get(side)
            cells.append(
                UNKNOWN
                if row is None
                else f"{_percent(row.median)} ({_percent(row.q1)} … {_percent(row.q3)})"
            )
        name = group_words(regime.name)
        if regime.low is not None and regime.high is not None:
            name += f", {100 * regime.low:.0f}–{100 * regime.high:.0f} %"
        windows = tr_count(regime.windows, "{n} window", "{n} windows")
        rows.append((f"{name} ({windows})", *cells))
    first = regimes[0]
    title = (
        tr("Change against target-only by how well drafts fit: {place}", place=_place(first))
        if first.kind == "acceptance"
        else tr("Change against target-only by corpus: {place}", place=_place(first))
    )
    return ShownTable(title, (tr("Windows"), *(arms_of(judgement)[side] for side in sides)), tuple(rows))


def _place(regime: Regime) -> str:
    return f"{regime.device}, {regime.target}"


def _number(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:.1f}"


def _percent(change: float) -> str:
    return f"{100 * change:+.0f} %".replace("-", "−")
