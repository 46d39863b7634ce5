"""The processors of a phone that its user chose for target and drafter: written as text, and kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from as2d.backend.devices.remembered import CpuPlacement, RememberedDevices, RememberedPhone
from as2d.backend.errors import WrongUse


def cpus_text(numbers: Sequence[int]) -> str:
    """Processors for people: `4, 5, 7`."""
    return ", ".join(map(str, numbers))


def parse_cpus(text: str, known: Collection[int]) -> tuple[int, ...]:
    """The processors in a text such as `0-3,6`.

    Raises:
        WrongUse: it names none, or some that are not `known`.
    """
    there = set(known)
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        first, last = first.strip(), last.strip()
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise WrongUse(f"'{text}' names no processors; write numbers and ranges such as 0-3,6.")
        begin, end = int(first), int(last if dash else first)
        if not {begin, end} <= there or begin > end:
            raise WrongUse(
                f"'{text}' names processors that the phone does not have; it has {cpus_text(sorted(there))}."
            )
        found |= there & set(range(begin, end + 1))
    return tuple(sorted(found))


def keep_cpus(serialno: str, choice: CpuPlacement, remembered: RememberedDevices | None = None) -> None:
    """Keep what the user chose for a phone; an empty choice forgets. Raises as `RememberedDevices.change`."""
    kept = choice if choice != CpuPlacement() else None

    def change(before: RememberedPhone) -> RememberedPhone:
        return before.model_copy(update={"cpus": kept})

    (remembered or RememberedDevices()).change(serialno, change)
