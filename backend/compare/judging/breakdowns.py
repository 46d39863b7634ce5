"""A comparison broken down: pooled speed by corpus with the gain over the best baseline, as the paper's
table 8, and how windows of one kind change against target-only, as its table 11.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from as2d.backend.compare.judging.decoded import pooled_tps
from as2d.backend.compare.judging.gathered import Gathered
from as2d.backend.compare.judging.judgement import CorpusRow, CorpusTable, Gain, Regime, RegimeRow
from as2d.backend.compare.judging.pairing import gain
from as2d.backend.compare.judging.scopes import BASELINES, Scope
from as2d.backend.compare.judging.sides import Draft
from as2d.backend.metrics.changes import window_changes

ALL = "all"
NO_CORPUS = "recordings"
_DECOUPLED = "as2d"
_THIRDS = ("drafts fit least", "drafts fit partly", "drafts fit best")
_LEAST_WINDOWS = 2 * len(_THIRDS)


def corpus_tables(
    gathered: Gathered, drafts: Sequence[Draft], scopes: Sequence[Scope]
) -> Iterator[CorpusTable]:
    """The tables: one a scope and start condition, over the windows that all its rows decoded."""
    for scope in scopes:
        conditions = dict.fromkeys(
            drafts[number].arm.used.start_condition
            for number in scope.sides
            if drafts[number].arm.used.drafter is not None
        )
        for condition in conditions:
            table = _table(gathered, drafts, scope, condition)
            if table is not None:
                yield table


def _corpora_of(gathered: Gathered, windows: set[int]) -> dict[str, set[int]]:
    """The windows by corpus, in the order of the comparison."""
    found: dict[str, set[int]] = {}
    for number, window in enumerate(gathered.windows):
        if number in windows:
            found.setdefault(window.corpus or NO_CORPUS, set()).add(number)
    return found


def _rows_of(drafts: Sequence[Draft], scope: Scope, condition: str | None) -> list[int]:
    """The sides of a table: target-only, and those that draft under its condition (None: any); single widths
    not where their mean is there, target-only's second arm never.
    """
    averaged = {member for number in scope.sides for member in drafts[number].members}
    return [
        number
        for number in scope.sides
        if number not in averaged
        and not drafts[number].arm.used.again
        and (
            drafts[number].is_alone
            or condition is None
            or drafts[number].arm.used.start_condition == condition
        )
    ]


def _table(gathered: Gathered, drafts: Sequence[Draft], scope: Scope, condition: str) -> CorpusTable | None:
    rows = _rows_of(drafts, scope, condition)
    common = set.intersection(*(set(drafts[row].measured.speeds) for row in rows)) if rows else set()
    if len(rows) < 2 or not common:
        return None
    corpora = _corpora_of(gathered, common)
    columns = {**corpora, ALL: common} if len(corpora) > 1 else corpora
    tps = {row: [drafts[row].measured.pooled(windows) for windows in columns.values()] for row in rows}
    places = range(len(columns))
    best = [_best(drafts, rows, [tps[row][place] for row in rows]) for place in places]
    alone = tps.get(scope.alone) if scope.alone is not None else None
    manifest = drafts[rows[0]].arm.manifest
    return CorpusTable(
        device=manifest.device.name,
        target=manifest.target.name,
        start_condition=condition,
        preparing=drafts[rows[0]].arm.used.preparing,
        columns=tuple(columns),
        windows=tuple(len(windows) for windows in columns.values()),
        rows=tuple(
            CorpusRow(
                side=row,
                tps=tuple(tps[row]),
                gains=tuple(
                    Gain(
                        over_alone=gain(tps[row][place], alone[place]) if alone is not None else None,
                        over_best=gain(tps[row][place], _at(tps, best[place], place)),
                        best=best[place],
                    )
                    for place in places
                ),
            )
            for row in rows
        ),
        best=tuple(best),
        oracle=tuple(_oracle(drafts, rows, scope, windows) for windows in columns.values()),
    )


def _at(tps: dict[int, list[float | None]], row: int | None, place: int) -> float | None:
    return None if row is None else tps[row][place]


def _best(drafts: Sequence[Draft], rows: Sequence[int], speeds: Sequence[float | None]) -> int | None:
    """The fastest baseline."""
    known = [
        (speed, row)
        for row, speed in zip(rows, speeds, strict=True)
        if speed is not None and drafts[row].arm.used.method in BASELINES
    ]
    return max(known, key=lambda pair: pair[0])[1] if known else None


def _oracle(drafts: Sequence[Draft], rows: Sequence[int], scope: Scope, windows: set[int]) -> float | None:
    """Pooled speed, as the rows' own, if each window had been decoded by the fastest of target-only and the
    `as2d` sides.
    """
    catalogue = [row for row in rows if row == scope.alone or drafts[row].arm.used.method == _DECOUPLED]
    if len(catalogue) < 2 or scope.alone not in catalogue:
        return None
    chosen = (
        max((drafts[row].arm.windows[number] for row in catalogue), key=lambda sums: pooled_tps([sums]) or 0)
        for number in sorted(windows)
    )
    return pooled_tps(chosen)


def regimes(gathered: Gathered, drafts: Sequence[Draft], scopes: Sequence[Scope]) -> Iterator[Regime]:
    """The groups of each scope that has target-only: by corpus where there are several, and by how well the
    drafts fit where there are enough windows.
    """
    for scope in scopes:
        if scope.alone is None:
            continue
        rows = [row for row in _rows_of(drafts, scope, None) if row != scope.alone]
        if not rows:
            continue
        common = set(drafts[scope.alone].measured.speeds)
        corpora = _corpora_of(gathered, common)
        if len(corpora) > 1:
            for name, windows in corpora.items():
                yield from _regime(drafts, scope, rows, "corpus", name, windows)
        acceptance = _acceptance(drafts, scope, common)
        if len(acceptance) >= _LEAST_WINDOWS:
            order = sorted(acceptance, key=lambda number: (acceptance[number], number))
            for place, name in enumerate(_THIRDS):
                part = order[place * len(order) // 3 : (place + 1) * len(order) // 3]
                bounds = acceptance[part[0]], acceptance[part[-1]]
                yield from _regime(drafts, scope, rows, "acceptance", name, set(part), bounds)


def _acceptance(drafts: Sequence[Draft], scope: Scope, windows: set[int]) -> dict[int, float]:
    """The mean acceptance of the arms that draft, by window."""
    arms = [
        drafts[number].arm
        for number in scope.sides
        if not drafts[number].is_mean and drafts[number].arm.used.drafter is not None
    ]
    found = {}
    for number in windows:
        known = [
            sums.accepted / sums.proposed
            for arm in arms
            if (sums := arm.windows.get(number)) is not None and sums.proposed
        ]
        if known:
            found[number] = statistics.fmean(known)
    return found


def _regime(
    drafts: Sequence[Draft],
    scope: Scope,
    rows: Sequence[int],
    kind: Literal["corpus", "acceptance"],
    name: str,
    windows: set[int],
    bounds: tuple[float, float] | None = None,
) -> Iterator[Regime]:
    assert scope.alone is not None
    alone = _within(drafts[scope.alone].measured.speeds, windows)
    found = []
    for row in rows:
        changes = window_changes(_within(drafts[row].measured.speeds, windows), alone)
        median, q1, q3 = changes.change_median, changes.change_q1, changes.change_q3
        if median is not None and q1 is not None and q3 is not None:
            found.append(RegimeRow(side=row, windows=changes.compared, median=median, q1=q1, q3=q3))
    manifest = drafts[scope.alone].arm.manifest
    if found:
        yield Regime(
            kind=kind,
            name=name,
            device=manifest.device.name,
            target=manifest.target.name,
            low=bounds[0] if bounds is not None else None,
            high=bounds[1] if bounds is not None else None,
            windows=len(windows),
            rows=tuple(found),
        )


def _within(speeds: Mapping[int, float], windows: set[int]) -> dict[int, float]:
    return {number: speed for number, speed in speeds.items() if number in windows}
