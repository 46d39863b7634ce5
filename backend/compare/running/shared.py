"""What the parts of a running comparison share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.journal import Journal
from as2d.backend.transcribe.cancel import CancelToken

REQUESTS_A_RUN = 2000
"""A run of so many requests is followed by another, so that each is read in little memory."""

PlanState = Literal["reading", "preparing", "decoding", "cooling", "away", "done", "failed"]


@dataclass(frozen=True)
class PlanProgress:
    """How far a comparison is. `done` and `total` count the cells of the whole plan, those of earlier
    sessions included; `total` 0: not known yet. `what` is a phrase for the user, `device` is empty while
    recordings are read.
    """

    device: str
    state: PlanState
    done: int
    total: int
    what: str


@dataclass(frozen=True)
class Surroundings:
    """Of one device; `base` is the folder that relative paths of the plan are seen from, `tell` takes a state
    and a phrase for the user.
    """

    plan: ComparePlan
    base: Path
    journal: Journal
    cancel: CancelToken
    tell: Callable[[PlanState, str], None]
