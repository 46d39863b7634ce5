"""Lines from a child's pipe."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator

from as2d.backend.helper.channel import SilentHelper

_POLL_MS = 500
_READ_BYTES = 1 << 18


def read_lines(descriptor: int, silence_seconds: float | None = None) -> Iterator[bytes]:
    """The lines that arrive at a descriptor until it closes, without line feeds and empty lines.

    Time is counted on the monotonic clock, which stands still while the machine sleeps.

    Raises:
        SilentHelper: nothing arrived for `silence_seconds` (None: any silence is fine).
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    rest = b""
    last_sign = time.monotonic()
    while True:
        # Before it is looked: this process may itself have had no turn for as long.
        silent = silence_seconds is not None and time.monotonic() - last_sign > silence_seconds
        if not poll.poll(_POLL_MS):
            if silent:
                raise SilentHelper
            continue
        block = os.read(descriptor, _READ_BYTES)
        last_sign = time.monotonic()
        *lines, rest = (rest + block).split(b"\n") if block else (rest, b"")
        yield from (line for line in lines if line.strip())
        if not block:
            return
