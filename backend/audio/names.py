"""File names as they are shown to the user."""

from __future__ import annotations

from pathlib import Path


def shown_name(path: Path) -> str:
    """The file name of `path` on one line: control characters and bytes that are not UTF-8 are escaped.

    The result can be printed, written to a log and stored as JSON whatever the name on disk is.
    """
    return printable(path.name or str(path))


def printable(text: str) -> str:
    """`text` on one line that is valid Unicode; see `shown_name`."""
    shown = []
    for character in text:
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:  # how Python carries a byte that is not UTF-8
            shown.append(f"\\x{code - 0xDC00:02x}")
        elif character.isprintable():
            shown.append(character)
        else:
            shown.append(character.encode("unicode_escape").decode("ascii"))
    return "".join(shown)
