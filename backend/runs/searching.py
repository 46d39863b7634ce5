"""Texts and questions as the index's full-text search takes them."""

from __future__ import annotations

import re

from as2d.backend.export.scripts import is_unspaced

_GAP = re.compile(r"(?<=(.)) (?=(.))")


def searchable(text: str) -> str:
    """A text with every character of a script without blanks, as Chinese, made a word of its own."""
    return "".join(f" {character} " if is_unspaced(character) else character for character in text)


def question(words: str) -> str | None:
    """The search that finds texts with each of these words, or words that begin so; None: no word in it.

    Unspaced characters that stand together must stand together in the text too.
    """
    asked = []
    for word in words.split():
        parts = re.findall(r"\w+", searchable(word))
        if parts:
            asked.append('"' + " ".join(parts) + '"*')
    return " AND ".join(asked) or None


def unsearchable(text: str) -> str:
    """An excerpt of a searchable text as it is written."""
    words = " ".join(text.split())
    return _GAP.sub(lambda gap: "" if is_unspaced(gap[1]) or is_unspaced(gap[2]) else " ", words)
