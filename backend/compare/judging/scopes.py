"""Which sides are held against which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.compare.judging.decoded import Site
from as2d.backend.compare.judging.sides import Draft
from as2d.backend.transcribe.methods import STANDARD_SD, TARGET_ONLY

BASELINES = frozenset({TARGET_ONLY, STANDARD_SD, "specasr"})
"""What the best baseline is chosen among; ablations are none."""


@dataclass(frozen=True)
class Scope:
    """The sides of one device and target that share target-only (`alone`), by number, in order; those that
    prepare ahead and those that do not share none.
    """

    site: Site
    alone: int | None
    sides: tuple[int, ...]


def alone_of(number: int, drafts: Sequence[Draft]) -> int | None:
    """Target-only on the device and with the target of a side: with windows prepared alike, with as many
    threads and in the same run or plan, where there is one; None: there is none, or the side is that itself.
    """
    own = drafts[number].arm
    if drafts[number].is_alone:
        return None

    def far(other: int) -> tuple[bool, bool, bool]:
        arm = drafts[other].arm
        return (
            arm.used.preparing != own.used.preparing,
            arm.site.family != own.site.family,
            _threads(drafts[other]) != _threads(drafts[number]),
        )

    return min(
        (
            other
            for other, draft in enumerate(drafts)
            if draft.is_alone
            and draft.arm.site.device == own.site.device
            and draft.arm.site.target == own.site.target
        ),
        key=far,
        default=None,
    )


def scopes_of(drafts: Sequence[Draft]) -> list[Scope]:
    """The scopes, in the order of their sides."""
    found: dict[tuple[Site, int | None], list[int]] = {}
    for number, draft in enumerate(drafts):
        alone = number if draft.is_alone else alone_of(number, drafts)
        site = draft.arm.site if alone is None else drafts[alone].arm.site
        found.setdefault((site, alone), []).append(number)
    return [Scope(site, alone, tuple(sides)) for (site, alone), sides in found.items()]


def _threads(draft: Draft) -> int:
    """The target's threads where it is alone: as planned, else as seen."""
    return draft.arm.used.threads or max(draft.arm.threads, default=0)
