"""Options of commands whose work can be shared among processes."""

from __future__ import annotations

from typing import Annotated

import typer

from as2d.backend.errors import WrongUse
from as2d.backend.sweep.wanted import MOST_WORKERS, WorkersWanted

WorkersOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_WORKERS,
        help="So many processes on this computer share the work; default: one a core.",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="The workers of this scheduler of dask.distributed share the work, such as "
        "tcp://192.168.1.20:8786.",
    ),
]


def workers_wanted(workers: int | None, scheduler: str | None) -> WorkersWanted:
    """What the two options say.

    Raises:
        WrongUse: they contradict each other.
    """
    if workers is not None and scheduler is not None:
        raise WrongUse(
            "--workers starts workers on this computer, --scheduler takes those of others; give one of them."
        )
    return WorkersWanted(workers, scheduler)
