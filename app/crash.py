"""Unforeseen errors: they go to the log file and to the user, and the window stays."""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
from collections.abc import Callable
from types import TracebackType

from as2d.app.translation import tr
from as2d.backend.cli.log_file import log_file, start_log
from as2d.backend.paths import data_dir

_CRASH_NAME = "crash.txt"


def catch_everything(tell: Callable[[str], None]) -> None:
    """From now on `tell` gets a sentence for every error that nobody handled, on whatever thread it arose.

    Faults below Python leave their stacks in crash.txt beside the log file. A run that is going on stays
    recorded: its stream is written as it grows.
    """
    start_log()

    def caught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            return
        logging.getLogger("as2d").error("the window", exc_info=(kind, error, trace))
        tell(
            tr(
                "Something failed unexpectedly ({error}); the window goes on, and the details are in {file}.",
                error=f"{kind.__name__}: {error}",
                file=log_file(),
            )
        )

    sys.excepthook = caught
    threading.excepthook = lambda given: (
        caught(given.exc_type, given.exc_value, given.exc_traceback) if given.exc_value is not None else None
    )
    _keep_stacks()


def _keep_stacks() -> None:
    folder = data_dir() / "log"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / _CRASH_NAME).open("a", encoding="utf-8")
    except OSError:  # a disk that takes no file is told where something is to be kept
        return
    faulthandler.enable(file)
