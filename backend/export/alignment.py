"""Which parts of a corrected text are those of the decoded one."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from as2d.backend.export.scripts import is_unspaced

_SMALL = 300_000  # pairs of units that may be compared one with another
_RUN = 3


@dataclass(frozen=True)
class Unit:
    """A word, or one character of a script without spaces: characters [begin, end) of its text."""

    text: str
    begin: int
    end: int


@dataclass(frozen=True)
class Stretch:
    """Units [old_begin, old_end) became [new_begin, new_end) of the new text; `same`: they are equal."""

    old_begin: int
    old_end: int
    new_begin: int
    new_end: int
    same: bool


def units(text: str) -> list[Unit]:
    """The units of a text in order; white space is in none."""
    found: list[Unit] = []
    begin: int | None = None
    for place, character in enumerate(text):
        mark = unicodedata.category(character) in ("Mn", "Mc", "Me")
        if begin is not None and (character.isspace() or (is_unspaced(character) and not mark)):
            found.append(Unit(text[begin:place], begin, place))
            begin = None
        elif begin is not None and is_unspaced(text[begin]) and not mark:
            found.append(Unit(text[begin:place], begin, place))
            begin = place
        if begin is None and not character.isspace():
            begin = place
    if begin is not None:
        found.append(Unit(text[begin:], begin, len(text)))
    return found


def align(old: Sequence[Unit], new: Sequence[Unit]) -> list[Stretch]:
    """The stretches of both texts in order; together they cover both."""
    stretches: list[Stretch] = []
    at_old = at_new = 0
    for i, j, length in _joined(_matches([unit.text for unit in old], [unit.text for unit in new], 0, 0)):
        if i > at_old or j > at_new:
            stretches.append(Stretch(at_old, i, at_new, j, same=False))
        stretches.append(Stretch(i, i + length, j, j + length, same=True))
        at_old, at_new = i + length, j + length
    if at_old < len(old) or at_new < len(new):
        stretches.append(Stretch(at_old, len(old), at_new, len(new), same=False))
    return stretches


def _joined(matches: Iterator[tuple[int, int, int]]) -> Iterator[tuple[int, int, int]]:
    """Matches that touch, as one."""
    waiting: tuple[int, int, int] | None = None
    for i, j, length in matches:
        if waiting is not None and (waiting[0] + waiting[2], waiting[1] + waiting[2]) == (i, j):
            waiting = (waiting[0], waiting[1], waiting[2] + length)
            continue
        if waiting is not None:
            yield waiting
        waiting = (i, j, length)
    if waiting is not None:
        yield waiting


def _matches(
    old: Sequence[str], new: Sequence[str], at_old: int, at_new: int
) -> Iterator[tuple[int, int, int]]:
    """Equal runs: (place in old, place in new, length), in order.

    Long texts are cut at runs of words that both hold exactly once (as in patience diff), because comparing
    all with all takes minutes for an hour of speech.
    """
    begin = 0
    while begin < min(len(old), len(new)) and old[begin] == new[begin]:
        begin += 1
    end = 0
    while end < min(len(old), len(new)) - begin and old[-1 - end] == new[-1 - end]:
        end += 1
    if begin:
        yield at_old, at_new, begin
    inner_old, inner_new = old[begin : len(old) - end], new[begin : len(new) - end]
    if inner_old and inner_new:
        yield from _inner(inner_old, inner_new, at_old + begin, at_new + begin)
    if end:
        yield at_old + len(old) - end, at_new + len(new) - end, end


def _inner(
    old: Sequence[str], new: Sequence[str], at_old: int, at_new: int
) -> Iterator[tuple[int, int, int]]:
    anchors = _anchors(old, new) if len(old) * len(new) > _SMALL else []
    if not anchors:
        small = len(old) * len(new) <= _SMALL
        for block in SequenceMatcher(None, old, new, autojunk=not small).get_matching_blocks():
            if block.size:
                yield at_old + block.a, at_new + block.b, block.size
        return
    last_i = last_j = 0
    for i, j in [*anchors, (len(old), len(new))]:
        yield from _matches(old[last_i:i], new[last_j:j], at_old + last_i, at_new + last_j)
        last_i, last_j = i, j


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of runs that both texts hold once, rising in both."""
    places = [_unique_runs(old), _unique_runs(new)]
    pairs = sorted((i, places[1][run]) for run, i in places[0].items() if run in places[1])
    # The longest rising subsequence of the places in the new text.
    tails: list[int] = []
    rows: list[int] = []
    before: list[int] = [-1] * len(pairs)
    for row, (_, j) in enumerate(pairs):
        place = bisect_left(tails, j)
        before[row] = rows[place - 1] if place else -1
        if place == len(tails):
            tails.append(j)
            rows.append(row)
        else:
            tails[place], rows[place] = j, row
    chosen: list[tuple[int, int]] = []
    row = rows[-1] if rows else -1
    while row >= 0:
        chosen.append(pairs[row])
        row = before[row]
    return chosen[::-1]


def _unique_runs(words: Sequence[str]) -> dict[tuple[str, ...], int]:
    runs = [tuple(words[place : place + _RUN]) for place in range(len(words) - _RUN + 1)]
    counts = Counter(runs)
    return {run: place for place, run in enumerate(runs) if counts[run] == 1}
