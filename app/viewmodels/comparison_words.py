"""What a judgement calls things, in the window's language. Knows no Qt."""

from __future__ import annotations

from as2d.app.translation import later, tr, tr_marked

_GROUPS = {
    "all": later("all"),
    "drafts fit least": later("drafts fit least"),
    "drafts fit partly": later("drafts fit partly"),
    "drafts fit best": later("drafts fit best"),
}
_STARTS = {
    "pre-drafted": later("drafting starts with the audio"),
    "request-start": later("drafting starts with the request"),
}
_FIELDS = {
    "arch": later("architecture"),
    "as2d": later("AS²D"),
    "battery current": later("battery current"),
    "budget": later("budget"),
    "budgets": later("budgets"),
    "command": later("command"),
    "cores": later("cores"),
    "cpu": later("processor"),
    "device": later("device"),
    "digest": later("SHA-256"),
    "drafter": later("drafter"),
    "features": later("instruction sets"),
    "helper": later("helper"),
    "kind": later("kind"),
    "language": later("language"),
    "measured": later("measured"),
    "method": later("method"),
    "methods": later("methods"),
    "mnn": later("MNN"),
    "name": later("name"),
    "placement": later("placement"),
    "prepare ahead": later("next window prepared ahead"),
    "protocol": later("protocol"),
    "python": later("Python"),
    "repeats": later("repeats"),
    "replayed": later("replayed"),
    "settings": later("settings"),
    "start condition": later("start of drafting"),
    "system": later("system"),
    "target": later("target"),
    "task": later("task"),
    "threads": later("threads"),
    "versions": later("versions"),
}
_LONGEST = 2


def group_words(name: str) -> str:
    """A group of windows: a corpus by its own name, all of them, or those whose drafts fit so well."""
    return tr(_GROUPS[name]) if name in _GROUPS else name


def start_words(condition: str) -> str:
    """When drafting starts."""
    return tr_marked(_STARTS.get(condition, condition))


def field_words(what: str) -> str:
    """What runs do not share, as `device cpu` or `settings start condition`, by its parts that are known."""
    said = []
    left = what.split()
    while left:
        for length in range(min(_LONGEST, len(left)), 0, -1):
            known = _FIELDS.get(" ".join(left[:length]))
            if known is not None or length == 1:
                said.append(tr_marked(known) if known is not None else left[0])
                left = left[length:]
                break
    return " ".join(said)
