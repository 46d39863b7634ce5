"""How much room a phone has."""

from __future__ import annotations

import re

from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.shell import run
from as2d.backend.errors import OutOfSpace
from as2d.backend.models.files import megabytes
from as2d.backend.models.progress import Cancel

_FOLDER = "/data/local/tmp"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_KEPT_FREE = 32 << 20  # a phone without any room does strange things


def free_bytes(
    target: AdbTarget, *, features: frozenset[str] | None = None, cancel: Cancel | None = None
) -> int | None:
    """Free bytes where our files go; None if the phone's `df` says nothing that is understood.

    Raises:
        TransportLost: the phone got lost.
        Cancelled: the cancel question was answered with yes.
    """
    return parse_df(run(target, ["df", "-k", _FOLDER], features=features, cancel=cancel).text)


def parse_df(text: str) -> int | None:
    """Free bytes in the output of `df -k FOLDER`, of toybox, busybox or the older toolbox."""
    head, _, body = text.strip().partition("\n")
    words = body.split()  # a long device name has a line of its own
    share = next((at for at, word in enumerate(words) if re.fullmatch(r"\d+%", word)), None)
    if share is not None and share >= 1 and words[share - 1].isdigit():
        return int(words[share - 1]) * 1024
    columns = head.split()  # Filesystem Size Used Free Blksize
    if "Free" in columns and len(words) == len(columns):
        amount = re.fullmatch(r"([\d.]+)([KMGT]?)", words[columns.index("Free")])
        if amount:
            return int(float(amount.group(1)) * _UNITS[amount.group(2)])
    return None


def require_space(target: AdbTarget, free: int | None, needed: int, what: str) -> None:
    """Refuse to start what the phone has no room for; `free` None: not known, so it is tried.

    Raises:
        OutOfSpace: fewer than `needed` bytes and a small reserve are free.
    """
    if free is not None and free < needed + _KEPT_FREE:
        raise OutOfSpace(
            f"The phone {target.name} has {megabytes(free)} free, but {what} needs "
            f"{megabytes(needed + _KEPT_FREE)}; delete something on it, or everything of AS²D with "
            "`as2d phone clean`, and try again."
        )
