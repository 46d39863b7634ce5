"""What became of a recording."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.errors import HelperFailed, UserError
from as2d.backend.export.transcript import Transcript

LOGGER = logging.getLogger("as2d")


class UnexpectedFailure(HelperFailed):
    """A failure that this program did not foresee; the log holds the details."""


@dataclass(frozen=True)
class RecordingOutcome:
    """A recording's transcript, or the error or cancellation that ended it; warnings go with either."""

    name: str
    path: Path
    transcript: Transcript | None
    error: UserError | None
    cancelled: bool
    warnings: tuple[str, ...]


def unexpected(what: str, error: Exception) -> UnexpectedFailure:
    """Put an unforeseen error into the log and make a sentence of it."""
    LOGGER.error("%s", what, exc_info=error)
    return UnexpectedFailure(
        f"{what} failed unexpectedly ({type(error).__name__}: {error}); "
        "run it again, and report it with the log file if it happens again."
    )
