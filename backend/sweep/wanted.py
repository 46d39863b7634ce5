"""Which workers a user asked for; knows nothing of dask.distributed, which takes its time to load."""

from __future__ import annotations

from dataclasses import dataclass

MOST_WORKERS = 256
"""The most workers on one computer."""


@dataclass(frozen=True)
class WorkersWanted:
    """`count` workers on this computer, null: one a core; or those of the scheduler at an address."""

    count: int | None = None
    scheduler: str | None = None
