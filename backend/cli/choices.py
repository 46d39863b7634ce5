"""Comma-separated choices of the command line."""

from __future__ import annotations

from typing import get_args

from as2d.backend.errors import WrongUse
from as2d.backend.protocol.ops import Admission, StartCondition

_ADMISSIONS: tuple[Admission, ...] = get_args(Admission)
_CONDITIONS: tuple[StartCondition, ...] = get_args(StartCondition)


def numbers_of(text: str, option: str, least: int, most: int) -> list[int]:
    """Whole numbers from `least` to `most`, in the order given, each once.

    Raises:
        WrongUse: something else is among them.
    """
    parts = _parts(text)
    if not parts or any(
        not (part.isascii() and part.isdigit() and len(part) <= 3 and least <= int(part) <= most)
        for part in parts
    ):
        raise WrongUse(
            f"{option} takes whole numbers from {least} to {most} with commas between them, not '{text}'."
        )
    return list(dict.fromkeys(int(part) for part in parts))


def admissions_of(text: str) -> list[Admission]:
    """Admissions by name; raises `WrongUse` for another name."""
    found = [name for part in _parts(text) for name in _ADMISSIONS if name == part]
    _require(len(found) == len(_parts(text)) > 0, "--admissions", _ADMISSIONS, text)
    return found


def conditions_of(text: str) -> list[StartCondition]:
    """Start conditions by name; raises `WrongUse` for another name."""
    found = [name for part in _parts(text) for name in _CONDITIONS if name == part]
    _require(len(found) == len(_parts(text)) > 0, "--start-conditions", _CONDITIONS, text)
    return found


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _require(right: bool, option: str, names: tuple[str, ...], text: str) -> None:
    if not right:
        raise WrongUse(f"{option} takes {' and '.join(names)} with commas between them, not '{text}'.")
