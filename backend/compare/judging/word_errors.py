"""Word and character error rates of transcripts, both texts normalised as Whisper's authors do.

English by Whisper's English normaliser (spellings, contractions, numbers), other languages by its basic one.
Texts in scripts without spaces are counted by characters, Chinese ones after conversion to simplified
characters, so that the writing system is no error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

import jiwer
import opencc
from whisper_normalizer.basic import BasicTextNormalizer
from whisper_normalizer.english import EnglishTextNormalizer

_BY_CHARACTERS = frozenset({"zh", "yue", "ja", "th", "lo", "my", "km", "bo"})
_CHINESE = frozenset({"zh", "yue"})
_ENGLISH = frozenset({"en"})


@dataclass(frozen=True)
class Errors:
    """Errors of one text against its reference, in words, or in characters (`by_characters`)."""

    errors: int
    length: int
    by_characters: bool


def count_errors(reference: str, text: str, language: str) -> Errors | None:
    """Substitutions, deletions and insertions that make the reference of the text. None: nothing is left of
    the reference.

    `language` is a code as Whisper's, or several with other characters between them (`en+zh`): then one
    without spaces decides that characters are counted.
    """
    codes = frozenset(re.findall(r"[a-z]+", language.lower()))
    by_characters = bool(codes & _BY_CHARACTERS)
    expected, found = (_normalised(part, codes) for part in (reference, text))
    if not expected:
        return None
    counted = jiwer.process_words(expected, found)
    errors = counted.substitutions + counted.deletions + counted.insertions
    return Errors(errors, len(expected.split()), by_characters)


def _normalised(text: str, codes: frozenset[str]) -> str:
    """Words, or single characters, with blanks between them."""
    if codes & _BY_CHARACTERS:
        spelt = _simplified().convert(text) if codes & _CHINESE else text
        return _words(_basic(split=True)(spelt))
    normalise = _english() if codes <= _ENGLISH and codes else _basic(split=False)
    return _words(normalise(text))


def _words(text: str) -> str:
    """What is left of a text, without punctuation that stands alone."""
    return " ".join(word for word in text.split() if any(map(str.isalnum, word)))


@cache
def _english() -> EnglishTextNormalizer:
    return EnglishTextNormalizer()


@cache
def _basic(*, split: bool) -> BasicTextNormalizer:
    return BasicTextNormalizer(split_letters=split)


@cache
def _simplified() -> opencc.OpenCC:
    return opencc.OpenCC("t2s")
