"""Where the program starts: an interrupt ends it in order even while its many modules are still loaded."""

from __future__ import annotations

import os
import signal
from types import FrameType
from typing import NoReturn

_EXIT_INTERRUPTED = 130


def main() -> NoReturn:
    """Run `as2d` with the arguments of this process and exit."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, _leave)
    from as2d.backend.cli.main import main as run

    run()


def _leave(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001  (a signal handler)
    # An exception could be swallowed or dressed up by whatever module is being loaded; nothing is begun yet.
    try:
        os.write(2, b"Interrupted.\n")
    finally:
        os._exit(_EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
