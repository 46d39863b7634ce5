"""Texts of the window in the user's language; English text is the key. Knows no Qt.

The catalogues are `resources/i18n/<language>.json`: English text to translated text.
"""

from __future__ import annotations

import json

from as2d.backend.paths import resources_dir

SOURCE_LANGUAGE = "en"
LANGUAGES = {"en": "English", "zh_CN": "简体中文"}
"""The languages of the window by code, each in its own name."""

_catalogue: dict[str, str] = {}
_language = [SOURCE_LANGUAGE]


def use_language(code: str) -> None:
    """Translate from now on; texts that are shown already stay as they are."""
    _catalogue.clear()
    _language[0] = code
    if code != SOURCE_LANGUAGE:
        path = resources_dir() / "i18n" / f"{code}.json"
        _catalogue.update(json.loads(path.read_text(encoding="utf-8")))


def current_language() -> str:
    """The code of the language in use."""
    return _language[0]


def tr(text: str, **values: object) -> str:
    """The text in the window's language, with `{name}` replaced by the value of that name."""
    found = _catalogue.get(text, text)
    return found.format(**values) if values else found


def later(text: str) -> str:
    """The text itself, marked as one that `tr` translates where it is shown."""
    return text


def tr_marked(text: str) -> str:
    """A text that `later` marked, or the device's own words, in the window's language where it is known."""
    return _catalogue.get(text, text)


def tr_count(count: int, one: str, many: str, **values: object) -> str:
    """As `tr`, `one` for a count of 1 and `many` otherwise; both hold `{n}`."""
    return tr(one if count == 1 else many, n=count, **values)


def closest_language(names: list[str]) -> str:
    """The language of the window that suits a system whose languages are `names`, as `zh-Hans-CN`."""
    for name in names:
        short = name.replace("_", "-").split("-")
        if short[0] == "zh" and "Hant" not in short and "TW" not in short and "HK" not in short:
            return "zh_CN"
        if short[0] == "en":
            return SOURCE_LANGUAGE
    return SOURCE_LANGUAGE
