"""How windows of one kind change against target-only, as the paper's table 11."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from as2d.backend.compare.corpus_tables import corpora_of, rows_of
from as2d.backend.compare.gathered import Gathered
from as2d.backend.compare.judgement import Regime, RegimeRow
from as2d.backend.compare.scopes import Scope
from as2d.backend.compare.sides import Draft
from as2d.backend.metrics.changes import window_changes

_THIRDS = ("drafts fit least", "drafts fit partly", "drafts fit best")
_LEAST_WINDOWS = 2 * len(_THIRDS)


def regimes(gathered: Gathered, drafts: Sequence[Draft], scopes: Sequence[Scope]) -> Iterator[Regime]:
    """The groups of each scope that has target-only: by corpus where there are several, and by how well the
    drafts fit where there are enough windows.
    """
    for scope in scopes:
        if scope.alone is None:
            continue
        rows = [row for row in rows_of(drafts, scope, None) if row != scope.alone]
        if not rows:
            continue
        common = set(drafts[scope.alone].measured.speeds)
        corpora = corpora_of(gathered, common)
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
