"""Breaks the text of a subtitle into lines."""

from __future__ import annotations

from as2d.backend.export.scripts import (
    columns,
    ends_clause,
    ends_sentence,
    is_unspaced,
    leans_on_next,
    may_break_between,
)

LINE_COLUMNS = 42

_AFTER_SENTENCE_BONUS = 24
_AFTER_CLAUSE_BONUS = 10
_LEANING_COST = 24


def break_lines(text: str) -> tuple[str, ...]:
    """The text in as few lines of at most 42 columns as it needs; two lines are as even as the words allow.

    A break after a clause is worth ten columns of unevenness, after a sentence 24; one behind an article or
    the like costs 24. Words longer than a line are cut.
    """
    text = " ".join(text.split())
    if not text:
        return ()
    if columns(text) <= LINE_COLUMNS:
        return (text,)
    best: tuple[int, str, str] | None = None
    for place in _places(text):
        left, right = text[:place].rstrip(), text[place:].lstrip()
        widths = columns(left), columns(right)
        if max(widths) > LINE_COLUMNS:
            continue
        cost = abs(widths[0] - widths[1]) + _cost_behind(left)
        if best is None or cost < best[0]:
            best = (cost, left, right)
    if best is not None:
        return best[1:]
    first = _longest_line(text)
    return (text[:first].rstrip(), *break_lines(text[first:]))


def _cost_behind(left: str) -> int:
    if ends_sentence(left):
        return -_AFTER_SENTENCE_BONUS
    if ends_clause(left):
        return -(_AFTER_SENTENCE_BONUS if is_unspaced(left[-1]) else _AFTER_CLAUSE_BONUS)
    return _LEANING_COST if leans_on_next(left) else 0


def _places(text: str) -> list[int]:
    """The positions where a new line may begin."""
    return [
        place
        for place in range(1, len(text))
        if text[place - 1] == " " or (text[place] != " " and may_break_between(text[place - 1], text[place]))
    ]


def _longest_line(text: str) -> int:
    """Length of the longest beginning that fits a line, up to a place to break if there is one."""
    fitting = 0
    while fitting < len(text) and columns(text[: fitting + 1].rstrip()) <= LINE_COLUMNS:
        fitting += 1
    return max((place for place in _places(text) if place <= fitting), default=fitting)
