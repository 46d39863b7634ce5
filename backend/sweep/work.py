"""Work in parts, and who does it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

S = TypeVar("S")
P = TypeVar("P")
R = TypeVar("R")

RETRIES = 2
"""How often a part is done once more when its helper failed."""


@dataclass(frozen=True)
class Here:
    """Where a part is worked on: a folder for files, which goes with the worker however that ends, and a
    question whether nobody wants the part any more.
    """

    folder: str
    left: Callable[[], bool]


Work = Callable[[Sequence[S], P, Here], R]
"""A function of a module, given what all parts share, its part, and where it is."""

Notice = Callable[[str], None]
"""Receives sentences for the user."""


class Workers(Protocol):
    """Do parts of some work; what they give does not depend on how many they are."""

    def describe(self) -> str:
        """The workers in words, such as `2 workers on this computer`."""

    def map(self, work: Work[S, P, R], shared: Sequence[S], parts: Iterable[P | None]) -> Generator[R]:
        """What `work` gives for each part, in the order of the parts.

        `shared` goes to each worker once; pieces of a few megabytes travel best. `parts` is read a little
        ahead of the results only; where it yields null, the next part needs a result that was not taken yet.
        `work` may run several times for one part: when its worker is lost, and when a helper failed.

        Raises:
            UserError: as `work`, or the workers are lost.
        """
