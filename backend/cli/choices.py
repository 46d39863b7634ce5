"""Comma-separated choices of the command line."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import get_args

from as2d.backend.bench.arms import ArmThreads, own_budgets
from as2d.backend.devices.device import Device
from as2d.backend.devices.this_computer import MOST_THREADS
from as2d.backend.errors import WrongUse
from as2d.backend.protocol.ops import Admission, Preparing, StartCondition
from as2d.backend.transcribe.methods import DEFAULT_BUDGET, LARGEST_BUDGET, MethodChoice

_ADMISSIONS: tuple[Admission, ...] = get_args(Admission)
_CONDITIONS: tuple[StartCondition, ...] = get_args(StartCondition)
_PREPARINGS: tuple[Preparing, ...] = get_args(Preparing)


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


def shares_of(text: str, option: str) -> list[float]:
    """Numbers from 0 to 1, in the order given, each once.

    Raises:
        WrongUse: something else is among them.
    """
    wrong = WrongUse(f"{option} takes numbers from 0 to 1 with commas between them, not '{text}'.")
    try:
        shares = [float(part) for part in _parts(text)]
    except ValueError as error:
        raise wrong from error
    if not shares or not all(0 <= share <= 1 for share in shares):
        raise wrong
    return list(dict.fromkeys(shares))


def budgets_of(text: str | None, methods: Sequence[MethodChoice]) -> list[int]:
    """The budgets of the methods that have no K of their own; null: the usual one.

    Raises:
        WrongUse: something else is among them, or no method would take them.
    """
    if text is None:
        return [DEFAULT_BUDGET]
    budgets = numbers_of(text, "--budgets", 0, LARGEST_BUDGET)
    own = [own_budgets(method) for method in methods if method.drafts]
    if own and all(own) and not set(budgets) <= set(itertools.chain(*own)):
        raise WrongUse(
            f"--budgets {text} contradicts --methods, where every method has a K of its own; "
            "give one of them."
        )
    return budgets


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


def preparings_of(text: str) -> list[Preparing]:
    """Ways to prepare windows by name; raises `WrongUse` for another name."""
    found = [name for part in _parts(text) for name in _PREPARINGS if name == part]
    _require(len(found) == len(_parts(text)) > 0, "--preparing", _PREPARINGS, text)
    return found


def thread_counts_of(text: str) -> list[int]:
    """Threads of the target, as `numbers_of`."""
    return numbers_of(text, "--threads", 1, MOST_THREADS)


def arm_threads(
    device: Device, counts: Sequence[int], drafter: int | None, drafter_shared: int
) -> list[ArmThreads]:
    """For each count of the target's threads those of the drafter and of both together on a device; `drafter`
    null: as many as the target.
    """
    return [
        ArmThreads(count, device.default_shared_threads(count), drafter or count, drafter_shared)
        for count in counts
    ]


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _require(right: bool, option: str, names: tuple[str, ...], text: str) -> None:
    if not right:
        raise WrongUse(f"{option} takes {' and '.join(names)} with commas between them, not '{text}'.")
