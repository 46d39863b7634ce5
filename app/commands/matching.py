"""How well a few typed letters fit a name. Knows no Qt."""

from __future__ import annotations


def match_score(typed: str, name: str) -> int | None:
    """Lower is better; None: the letters do not occur in this order. Blanks do not count."""
    letters = [letter for letter in typed.casefold() if not letter.isspace()]
    text = name.casefold()
    plain = " ".join(typed.casefold().split())
    if plain and plain in text:
        return text.index(plain)
    score, position = 100, 0
    for letter in letters:
        found = text.find(letter, position)
        if found < 0:
            return None
        begins_word = found == 0 or not text[found - 1].isalnum()
        score += 0 if found == position or begins_word else found - position
        position = found + 1
    return score
