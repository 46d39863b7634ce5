"""How a run ends: with what the session's work ended with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from as2d.backend.errors import UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol.host_events import RunStatus
from as2d.backend.transcribe.session import Session


@dataclass
class Ending:
    """The status of a run whose work comes to its end by itself."""

    status: RunStatus = "done"


@contextmanager
def closing_session(session: Session) -> Iterator[Ending]:
    """Close the session when this block ends; its run says whether the work came to its end, failed, was
    cancelled or interrupted.
    """
    ending = Ending()
    status: RunStatus = "interrupted"
    message: str | None = None
    try:
        yield ending
        status = ending.status
    except UserError as error:
        status, message = "failed", error.message
        raise
    except Cancelled:
        status = "cancelled"
        raise
    finally:
        session.close(status, message)
