"""Cuts timed words into subtitle cues.

A cue lasts at most 7 s and has at most two lines of 42 columns (a Chinese, Japanese or Korean character
takes two). Cuts are chosen over the whole text by their cost: after sentences and clauses and at pauses
they are cheap, inside a phrase or after very little text they are dear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from as2d.backend.export.lines import LINE_COLUMNS, break_lines
from as2d.backend.export.scripts import columns, ends_clause, ends_sentence, is_unspaced, leans_on_next

MAX_SECONDS = 7.0
MIN_SECONDS = 1.0
_FITTING = 2 * LINE_COLUMNS
_MOMENT_S = 0.01  # half a step of the words' times: what is shorter is no time, and too little to share
_PAUSE_S = 0.4
_LONG_PAUSE_S = 1.5

_CUT_MID_WORD = 24.0  # between characters of a script without spaces, where a word may go on
_CUT_MID_PHRASE = 12.0
_CUT_AT_PAUSE = 4.0
_CUT_AFTER_CLAUSE = 3.0
_CUT_AFTER_SENTENCE = 0.0
_CUT_BEHIND_LEANING = 10.0
_CUT_BY_A_LONE_WORD = 8.0
_PER_CUE = 4.0
_SENTENCE_INSIDE = 2.0
_BEGUN_AND_CUT = 8.0  # a sentence begins inside a cue and does not end there
_LONG_PAUSE_INSIDE = 20.0
_SHORT_COLUMNS = 14
_TOO_SHORT = 5.0


@dataclass(frozen=True)
class TimedWord:
    """A word with its time in seconds of the recording; `text` keeps its leading space."""

    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Cue:
    """A subtitle: seconds of the recording and its one or two lines."""

    start: float
    end: float
    lines: tuple[str, ...]


def make_cues(words: Sequence[TimedWord]) -> list[Cue]:
    """Cut words, in the order of their text, into cues that do not overlap.

    Words whose times run backwards are moved to the end of the word before. Cues of words without any time
    share that of the cue behind them by the length of their text.
    """
    pieces = _orderly([piece for word in words for piece in _split_word(word)])
    groups = [pieces[first:last] for first, last in _best_cuts(pieces)]
    cues: list[Cue] = []
    for number, group in enumerate(groups):
        start = group[0].start
        end = min(max(group[-1].end, start + MIN_SECONDS), start + MAX_SECONDS)
        if number + 1 < len(groups):
            end = min(end, max(groups[number + 1][0].start, start))
        lines = break_lines(_text(group))
        if lines and end - start >= _MOMENT_S:
            cues.append(Cue(start, end, lines))
        elif lines and cues and len(joined := break_lines(_flat(cues[-1].lines, lines))) <= 2:
            # Words without any time of their own stay with the cue before.
            cues[-1] = Cue(cues[-1].start, cues[-1].end, joined)
        elif lines:
            cues.append(Cue(start, start, lines))
    return _with_time(cues)


def _with_time(cues: Sequence[Cue]) -> list[Cue]:
    """Cues without time share that of the cue behind them, which begins at the same moment."""
    timed: list[Cue] = []
    group: list[Cue] = []
    for cue in cues:
        group.append(cue)
        if cue.end - cue.start >= _MOMENT_S:
            timed += _shared(group)
            group = []
    return timed


def _shared(group: Sequence[Cue]) -> list[Cue]:
    """The time from the first one's start to the last one's end, by the length of each."""
    start = group[0].start
    seconds = group[-1].end - start
    lengths = [sum(map(len, cue.lines)) for cue in group]
    ends = [start + seconds * done / sum(lengths) for done in accumulate(lengths)]
    starts = [start, *ends[:-1]]
    return [Cue(begin, end, cue.lines) for begin, end, cue in zip(starts, ends, group, strict=True)]


def _split_word(word: TimedWord) -> list[TimedWord]:
    """A word too long for a line is cut; its time is shared by the characters."""
    if columns(word.text.strip()) <= LINE_COLUMNS:
        return [word] if word.text.strip() else []
    parts: list[str] = []
    part = ""
    for character in word.text:
        if columns((part + character).strip()) > LINE_COLUMNS:
            parts.append(part)
            part = ""
        part += character
    parts.append(part)
    length = len(word.text)
    pieces = []
    done = 0
    for part in parts:
        start = word.start + (word.end - word.start) * done / length
        done += len(part)
        pieces.append(TimedWord(part, start, word.start + (word.end - word.start) * done / length))
    return pieces


def _orderly(words: Sequence[TimedWord]) -> list[TimedWord]:
    ordered: list[TimedWord] = []
    earliest = 0.0
    for word in words:
        start = max(word.start, earliest)
        end = max(word.end, start)
        ordered.append(TimedWord(word.text, start, end))
        earliest = end
    return ordered


def _best_cuts(words: Sequence[TimedWord]) -> list[tuple[int, int]]:
    """The groups [first, last) of least total cost, by dynamic programming over the position of the cut."""
    count = len(words)
    widths = [columns(word.text) for word in words]
    longest = max((columns(word.text.strip()) for word in words), default=0)
    cost = [0.0] + [float("inf")] * count
    before = [0] * (count + 1)
    for last in range(1, count + 1):
        inside, width = 0.0, 0
        for first in range(last - 1, -1, -1):
            width += widths[first]
            if first < last - 1:
                inside += _cost_inside(words[first], words[first + 1])
                if not _fits(words, first, last, width, longest):
                    break
            total = cost[first] + inside + _cost_of_cue(words, first, last, width)
            if inside and last < count and not ends_sentence(words[last - 1].text):
                total += _BEGUN_AND_CUT
            if total < cost[last]:
                cost[last] = total
                before[last] = first
    groups: list[tuple[int, int]] = []
    last = count
    while last > 0:
        groups.append((before[last], last))
        last = before[last]
    return groups[::-1]


def _fits(words: Sequence[TimedWord], first: int, last: int, width: int, longest: int) -> bool:
    """Whether words fit a cue; `width` is the sum of their columns, `longest` that of the longest of all."""
    if words[last - 1].end - words[first].start > MAX_SECONDS or width > _FITTING + 2:
        return False
    if width <= LINE_COLUMNS or width <= _FITTING - longest:  # the first line cannot end too early
        return True
    return len(break_lines(_text(words[first:last]))) <= 2


def _cost_inside(left: TimedWord, right: TimedWord) -> float:
    """What it costs that a cue goes on from one word to the next."""
    cost = _LONG_PAUSE_INSIDE if right.start - left.end > _LONG_PAUSE_S else 0.0
    return cost + (_SENTENCE_INSIDE if ends_sentence(left.text) else 0.0)


def _cost_of_cue(words: Sequence[TimedWord], first: int, last: int, width: int) -> float:
    """What a cue costs: one more cue, where it ends, and being too short."""
    cost = _PER_CUE
    word = words[last - 1]
    if last < len(words):
        if ends_sentence(word.text):
            cost += _CUT_AFTER_SENTENCE
        elif ends_clause(word.text):
            cost += _CUT_AFTER_CLAUSE
        elif words[last].start - word.end > _PAUSE_S:
            cost += _CUT_AT_PAUSE
        else:
            inside = is_unspaced(word.text.strip()[-1]) and is_unspaced(words[last].text[0])
            cost += _CUT_MID_WORD if inside else _CUT_MID_PHRASE
        if leans_on_next(word.text) and words[last].start - word.end <= _LONG_PAUSE_S:
            cost += _CUT_BEHIND_LEANING
    if _leaves_a_lone_word(words, first, last):
        cost += _CUT_BY_A_LONE_WORD
    if width < _SHORT_COLUMNS or word.end - words[first].start < MIN_SECONDS:
        cost += _TOO_SHORT
    return cost


def _leaves_a_lone_word(words: Sequence[TimedWord], first: int, last: int) -> bool:
    """Whether the cue's last word alone begins a sentence, or its first alone ends one."""
    if last - first < 2:
        return False
    alone_behind = last < len(words) and ends_sentence(words[last - 2].text)
    alone_before = first > 0 and ends_sentence(words[first].text) and not ends_sentence(words[first - 1].text)
    return (alone_behind and not ends_sentence(words[last - 1].text)) or alone_before


def _text(words: Sequence[TimedWord]) -> str:
    return " ".join("".join(word.text for word in words).split())


def _flat(left: tuple[str, ...], right: tuple[str, ...]) -> str:
    first, second = " ".join(left), " ".join(right)
    return first + ("" if is_unspaced(first[-1]) or is_unspaced(second[0]) else " ") + second
