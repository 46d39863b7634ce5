"""What the backend says, in the words and the language of the window. Knows no Qt.

The backend's sentences are English and speak of commands. `resources/i18n/sentences.<language>.json` holds
them with places for their values, as `{name} was refused: {fault}.`, and what the window says instead.
"""

from __future__ import annotations

import json
import re
from functools import cache, cached_property, lru_cache

from as2d.app.translation import current_language, tr
from as2d.backend.paths import resources_dir

_PLACE = re.compile(r"\{(\w+)\}")
_NAMES = frozenset({"name", "path", "folder", "phone", "run", "address", "host", "local"})
"""Places for names that somebody gave: they are said as they are, whatever words they are made of."""
_REMEMBERED = 1024


def in_window(sentence: str) -> str:
    """A sentence of the backend as the window says it; one that is not known stays as it is."""
    return _said(current_language(), sentence)


def step_in_window(step: str) -> str:
    """What the backend says of a step, `whisper-base: unpacking`, as the window says it."""
    own = in_window(step)
    name, colon, stage = step.partition(": ")
    return own if own != step or not colon else f"{name}: {in_window(stage)}"


def status_of_step(step: str) -> str:
    """A step as a line of its own says that it goes on: `Loading whisper-base …`."""
    own = step_in_window(step)
    name_first = ": " in own  # a model's name stays as it is
    return tr("{what} …", what=own if name_first else own[:1].upper() + own[1:])


@lru_cache(_REMEMBERED)
def _said(language: str, sentence: str) -> str:
    for known in _sentences(language):
        if not known.may_be(sentence):
            continue
        found = known.pattern.fullmatch(sentence)
        if found is not None:
            values = found.groupdict().items()
            return known.own.format(
                **{name: value if name in _NAMES else _part(language, value) for name, value in values}
            )
    return sentence


def _part(language: str, part: str) -> str:
    """A value within a sentence; one that begins the sentence may have been given a capital for it."""
    own = _said(language, part)
    if own != part:
        return own
    lowered = part[:1].lower() + part[1:]
    own = _said(language, lowered)
    return own if own != lowered else part


class _Sentence:
    """A sentence that is known: `own` is what the window says. Its pattern is made when it is needed: to make
    those of all takes longer than a picture may.
    """

    def __init__(self, template: str, own: str) -> None:
        self.own = own
        self._parts = _PLACE.split(template)
        self._words = self._parts[::2]

    @property
    def length(self) -> int:
        """How many characters are its own."""
        return sum(map(len, self._words))

    def may_be(self, sentence: str) -> bool:
        """Whether a sentence begins and ends as this one, with all its words somewhere in it."""
        return (
            sentence.startswith(self._words[0])
            and sentence.endswith(self._words[-1])
            and all(words in sentence for words in self._words)
        )

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a sentence must match, with a group a place."""
        seen: set[str] = set()
        found = []
        for number, part in enumerate(self._parts):
            if number % 2 == 0:
                found.append(re.escape(part))
            elif part in seen:  # the same value once more
                found.append(f"(?P={part})")
            else:
                seen.add(part)
                found.append(f"(?P<{part}>.*?)")
        return re.compile("".join(found), re.DOTALL)


@cache
def _sentences(language: str) -> list[_Sentence]:
    """What is known, the most telling first: what has the most words of its own around the places."""
    path = resources_dir() / "i18n" / f"sentences.{language}.json"
    if not path.is_file():
        return []
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    found = [_Sentence(template, own) for template, own in known.items()]
    return sorted(found, key=lambda sentence: sentence.length, reverse=True)
