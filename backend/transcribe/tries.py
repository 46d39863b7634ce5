"""A helper that dies is started again once; a device that is away is waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from as2d.backend.helper.endings import ConnectionLost, HelperDied
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.session import MOST_LOSSES, Session

MOST_DEATHS = 2
"""Over so many deaths of the helper a step is given up."""

T = TypeVar("T")


def despite_deaths(session: Session, cancel: CancelToken, ask: Callable[[int], T]) -> T:
    """Ask a session's helper for something; `ask` is given the number of the try, from 1.

    Raises:
        HelperDied: the helper died over it again, or the device was lost too often.
        UserError: as `ask`, or the helper cannot be started again.
        Cancelled: the end was asked for.
    """
    deaths = losses = 0
    while True:
        cancel.check()
        try:
            if not session.engine.alive:
                session.restart(cancel)
            return ask(deaths + losses + 1)
        except ConnectionLost:
            losses += 1
            if losses == MOST_LOSSES:
                raise
        except HelperDied:
            deaths += 1
            cancel.check()
            if deaths == MOST_DEATHS:
                raise
