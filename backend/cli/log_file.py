"""The log file: what is too long for a sentence."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

from as2d.backend.paths import data_dir

_MOST_BYTES = 1 << 20
_KEPT_FILES = 2


def log_file() -> Path:
    """The log file; it exists once something was logged."""
    return data_dir() / "log" / "as2d.log"


class _LateHandler(logging.Handler):
    """Makes the folder and the file when there is something to write, and gives up quietly if it cannot."""

    def __init__(self) -> None:
        super().__init__()
        self._file: logging.handlers.RotatingFileHandler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if self._file is None:
                path = log_file()
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = logging.handlers.RotatingFileHandler(
                    path, maxBytes=_MOST_BYTES, backupCount=_KEPT_FILES, encoding="utf-8"
                )
                self._file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
            self._file.handle(record)
        except OSError:  # no room or no right to write: the user has the sentence all the same
            return


def start_log() -> None:
    """Send what this program logs to the log file only."""
    logger = logging.getLogger("as2d")
    if not logger.handlers:
        logger.addHandler(_LateHandler())
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logging.raiseExceptions = False
