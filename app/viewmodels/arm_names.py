"""The names of arms in the words that the window offers them by. Knows no Qt."""

from __future__ import annotations

import re

from as2d.app.translation import tr
from as2d.app.viewmodels.choices import methods, start_conditions

_METHOD = re.compile(r"^[\w-]+")
_SETTINGS = re.compile(
    r" (?:budget (?P<budget>\d+)|(?P<admission>root|text)(?= )"
    r"|(?P<ahead>prepared ahead)\b|(?P<again>again)\b)"
)


def methods_words(names: str) -> str:
    """Some methods, with commas between, as the window calls them."""
    known = {choice.value: choice.text for choice in methods()}
    return ", ".join(known.get(name.strip(), name.strip()) for name in names.split(","))


def arm_words(arm: str) -> tuple[str, str]:
    """An arm, `as2d budget 4 text pre-drafted`, as its method and its settings; threads are left out. The
    admission by the text is the usual one and not told.
    """
    short = arm.partition(" (")[0]
    names = {choice.value: choice.text for choice in methods()}
    found = _METHOD.match(short)
    if found is None or found.group() not in names:
        return short, ""
    rest = short[found.end() :]
    parts, ahead = [], []
    for setting in _SETTINGS.finditer(rest):
        if setting["budget"] is not None:
            parts.append(tr("budget {n}", n=setting["budget"]))
        elif setting["admission"] == "root":
            parts.append(tr("by the root"))
        elif setting["ahead"] is not None:
            ahead.append(tr("next window ahead"))
        elif setting["again"] is not None:
            parts.append(tr("a second time"))
    left = _SETTINGS.sub("", rest).strip()
    for choice in start_conditions():
        if choice.value is not None and left.endswith(choice.value):
            left = left.removesuffix(choice.value).strip()
            parts += [left, choice.text] if left else [choice.text]
            break
    else:
        parts += [left] if left else []
    return names[found.group()], " · ".join(parts + ahead)


def short_name(arm: str) -> str:
    """An arm in the window's words, without its thread counts, which both have alike."""
    return " · ".join(word for word in arm_words(arm) if word)
