"""What the backend says, in the words and the language of the window. Knows no Qt.

The backend's sentences are English and speak of commands. `resources/i18n/sentences.<language>.json` holds
them with places for their values, as `{name} was refused: {fault}.`, and what the window says instead.
"""

from __future__ import annotations

import json
import re
from functools import cache

from as2d.app.translation import current_language
from as2d.backend.paths import resources_dir

_PLACE = re.compile(r"\{(\w+)\}")


def in_window(sentence: str) -> str:
    """A sentence of the backend as the window says it; one that is not known stays as it is."""
    for pattern, own in _sentences(current_language()):
        found = pattern.fullmatch(sentence)
        if found is not None:
            return own.format(**{name: in_window(value) for name, value in found.groupdict().items()})
    return sentence


def step_in_window(step: str) -> str:
    """What the backend says of a step, `whisper-base: unpacking`, as the window says it."""
    own = in_window(step)
    name, colon, stage = step.partition(": ")
    return own if own != step or not colon else f"{name}: {in_window(stage)}"


@cache
def _sentences(language: str) -> list[tuple[re.Pattern[str], str]]:
    path = resources_dir() / "i18n" / f"sentences.{language}.json"
    if not path.is_file():
        return []
    known: dict[str, str] = json.loads(path.read_text(encoding="utf-8"))
    return [(re.compile(_expression(template), re.DOTALL), own) for template, own in known.items()]


def _expression(template: str) -> str:
    parts = _PLACE.split(template)
    return "".join(
        re.escape(part) if place % 2 == 0 else f"(?P<{part}>.+?)" for place, part in enumerate(parts)
    )
