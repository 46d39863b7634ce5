"""The name by which this computer's unfinished files on phones are told from those of other computers."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

_FILE = "pusher"
_NAME = re.compile(r"[0-9a-f]{8}")


def pusher_name(records: Path) -> str:
    """Eight hexadecimal digits, the same ever after for the folder of records `records`, which is made."""
    records.mkdir(parents=True, exist_ok=True)
    path = records / _FILE
    known = _read(path)
    if known is not None:
        return known
    name = secrets.token_hex(4)
    made = records / f".{_FILE}.{name}"
    made.write_text(name, "ascii")
    try:
        os.link(made, path)  # of several programs at once the first names them all
    except FileExistsError:
        known = _read(path)
        if known is None:  # damaged
            made.replace(path)
    finally:
        made.unlink(missing_ok=True)
    return known or name


def _read(path: Path) -> str | None:
    try:
        text = path.read_text("ascii").strip()
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return text if _NAME.fullmatch(text) else None
