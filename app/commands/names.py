"""Names of commands without the marks of their access keys. Knows no Qt."""

from __future__ import annotations

import re

_KEY_BEHIND = re.compile(r"\s*\(&\w\)")


def plain_name(text: str) -> str:
    """The text of a menu's entry as it is read: `&Run` is Run, `运行(&R)` is 运行."""
    return _KEY_BEHIND.sub("", text).replace("&", "")
