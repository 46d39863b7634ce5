"""Properties of characters and texts that joining and breaking need."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

SENTENCE_ENDS = frozenset(".!?…。！？｡")
CLAUSE_ENDS = frozenset(",;:，、；：–—")
_CLOSING = frozenset("\"'”’»)]}」』】）》〉")
_NEVER_FIRST = SENTENCE_ENDS | CLAUSE_ENDS | _CLOSING
_NEVER_LAST = frozenset("“‘«([{「『【（《〈")

# Behind these a full stop ends no sentence.
_ABBREVIATIONS = frozenset(
    [
        "dr",
        "mr",
        "mrs",
        "ms",
        "st",
        "prof",
        "i.e",
        "e.g",
        "no",
        "vs",
        "mt",
        "rev",
        "gen",
        "col",
        "capt",
        "lt",
        "sgt",
    ]
)
# These lean on the word behind them: a line or cue does not end with one if it need not.
_LEANING = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "and",
        "or",
        "but",
        "nor",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "with",
        "as",
        "into",
        "that",
        "which",
        "who",
        "than",
        "if",
        "my",
        "your",
        "his",
        "her",
        "its",
        "our",
        "their",
        "this",
        "these",
        "those",
        "is",
        "are",
        "was",
        "were",
        "be",
        "not",
    ]
)

_UNSPACED_NARROW = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))  # Thai, Lao, Burmese, Khmer
_HANGUL = ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7FF))


def columns(text: str) -> int:
    """Width of a text in columns: 2 for a wide (East Asian) character, 0 for a mark on another."""
    return sum(_column(character) for character in text)


def _column(character: str) -> int:
    if _is_mark(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me")


def is_unspaced(character: str) -> bool:
    """Whether the character is of a script written without spaces between words, or its punctuation."""
    code = ord(character)
    if any(first <= code <= last for first, last in _UNSPACED_NARROW):
        return True
    hangul = any(first <= code <= last for first, last in _HANGUL)
    return not hangul and unicodedata.east_asian_width(character) in "WF"


def ends_sentence(word: str) -> bool:
    """Whether the word closes a sentence; closing quotes and brackets behind the mark do not matter."""
    return _last_mark(word) in SENTENCE_ENDS and not is_abbreviation(word)


def is_abbreviation(word: str) -> bool:
    """Whether the last word of a text is one such as "Dr." or "J.", whose full stop ends no sentence."""
    last = _last_word(word)
    if not last.endswith("."):
        return False
    stem = last[:-1].casefold()
    initial = len(stem) == 1 and stem.isalpha() and not is_unspaced(stem) and stem != "i"
    return initial or (stem in _ABBREVIATIONS and (stem != "no" or last[0] == "N"))


def leans_on_next(word: str) -> bool:
    """Whether the last word of a text belongs to the word behind it, as an article or "Dr." does."""
    return is_abbreviation(word) or _last_word(word).casefold() in _LEANING


def ends_clause(word: str) -> bool:
    """Whether the word closes a clause or a sentence."""
    return _last_mark(word) in CLAUSE_ENDS | SENTENCE_ENDS and not is_abbreviation(word)


def may_break_between(left: str, right: str) -> bool:
    """Whether a line may end between two neighbouring characters of which neither is a space."""
    if right in _NEVER_FIRST or left in _NEVER_LAST or _is_mark(right):
        return False
    return is_unspaced(left) or is_unspaced(right)


def join_texts(parts: Iterable[str]) -> str:
    """The texts of neighbouring windows as one text without a seam.

    Between two parts stands one space, none where either side is of a script without spaces.
    """
    whole = ""
    for part in parts:
        text = " ".join(part.split())
        if not text:
            continue
        if whole and not (is_unspaced(whole[-1]) or is_unspaced(text[0])):
            whole += " "
        whole += text
    return whole


def _last_word(text: str) -> str:
    words = text.split()
    return words[-1].lstrip("\"'“‘([") if words else ""


def _last_mark(word: str) -> str:
    kept = word.rstrip()
    while len(kept) > 1 and kept[-1] in _CLOSING:
        kept = kept[:-1]
    return kept[-1:] or " "
