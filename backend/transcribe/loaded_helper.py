"""A helper that outlives the session which started it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from as2d.backend.helper.process import HelperProcess
from as2d.backend.protocol.host_events import HelperEnded
from as2d.backend.protocol.message import HelperEvent, now_ns
from as2d.backend.protocol.ops import Load
from as2d.backend.transcribe.run_log import RunLog, Said


class Reports:
    """Passes what a helper says on to the log of the session that uses it; between sessions nobody hears."""

    def __init__(self, log: RunLog) -> None:
        self._log: RunLog | None = log
        self._lock = threading.Lock()

    def helper(self, line: bytes, event: HelperEvent) -> None:
        """A line of the helper arrived (an EventListener)."""
        with self._lock:
            if self._log is not None:
                self._log.helper(line, event)

    def ended(self, code: int | None, message: str) -> None:
        """The helper ended unasked (an EndListener)."""
        with self._lock:
            if self._log is not None:
                self._log.host(HelperEnded(t=now_ns(), returncode=code, message=message))

    def pause(self) -> list[Said]:
        """Say nothing more; what the next log must know of the helper."""
        with self._lock:
            log, self._log = self._log, None
        return log.standing() if log is not None else []

    def go_on(self, log: RunLog, said: Sequence[Said]) -> None:
        """Tell another log, first what the one before was told."""
        with self._lock:
            log.take_over(said)
            self._log = log


@dataclass(frozen=True)
class LoadedHelper:
    """A helper with its models that no session uses: the ops that loaded them, by name, and what a log must
    know of it.
    """

    process: HelperProcess
    reports: Reports
    loads: dict[str, Load]
    said: Sequence[Said]

    def end(self) -> None:
        """End it at once: it is at no work that would have to be ended in order."""
        self.process.kill()
