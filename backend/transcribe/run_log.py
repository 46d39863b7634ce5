"""Where all events of a run pass: recorder, state and whoever watches."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from as2d.backend.metrics.fold import RunFold
from as2d.backend.protocol import events, host_events
from as2d.backend.protocol.host_events import HostEvent
from as2d.backend.protocol.lines import RecordedEvent, to_line
from as2d.backend.protocol.message import HelperEvent
from as2d.backend.runs.recorder import Recorder

Observer = Callable[[RecordedEvent], None]
"""Called with every event in the order of the stream, on whatever thread it arises; must return at once."""


Said = tuple[bytes | HostEvent, RecordedEvent]
"""An event as it is recorded, and as it is shown."""

_STANDING = (events.Hello, events.Loaded, events.SelfTested, host_events.ClockMeasured)


class RunLog:
    """One stream of events: each is recorded, folded into the state and shown to the observers, in turn."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        self._observers = tuple(observers)
        self._recorder: Recorder | None = None
        self._early: list[bytes | HostEvent] = []
        self._early_kept = True
        self._standing: list[Said] = []
        self._lock = threading.RLock()
        self.fold = RunFold()

    def record_into(self, recorder: Recorder | None) -> None:
        """Record from now on, and before that what happened so far; None: nothing is recorded."""
        with self._lock:
            if recorder is not None:
                for item in self._early:
                    recorder.put(item)
            self._recorder = recorder
            self._early.clear()
            self._early_kept = False

    def turn_over(self, recorder: Recorder) -> None:
        """Record into another run from now on, which begins with what still holds of the helper: what it is
        and what it has loaded. The state begins anew.
        """
        with self._lock:
            self._recorder = recorder
            self.fold = RunFold()
            for item, event in self._standing:
                recorder.put(item)
                self.fold.feed(event)

    def standing(self) -> list[Said]:
        """What still holds of the helper: what it is and what it has loaded."""
        with self._lock:
            return list(self._standing)

    def take_over(self, said: Sequence[Said]) -> None:
        """A helper is used that an earlier run, or nobody, has used: what it said then, with its times."""
        for item, event in said:
            self._pass_on(item, event)

    def helper(self, line: bytes, event: HelperEvent) -> None:
        """A line of the helper arrived (an EventListener)."""
        self._pass_on(line, event)

    def greeted(self, event: HelperEvent) -> None:
        """The helper's first line, read before anyone could listen; or an event that no helper wrote."""
        self.helper(to_line(event), event)

    def host(self, event: HostEvent) -> None:
        """Something happened on the host."""
        self._pass_on(event, event)

    def ended(self, event: HostEvent) -> None:
        """The run has ended; the recorder has this event already."""
        with self._lock:
            self.fold.feed(event)
            for observer in self._observers:
                observer(event)

    def forget_older(self, window: str) -> None:
        """Let the state keep only the counts of a window's older requests."""
        with self._lock:
            self.fold.forget_older(window)

    def _pass_on(self, item: bytes | HostEvent, event: RecordedEvent) -> None:
        with self._lock:
            if self._recorder is not None:
                self._recorder.put(item)
            elif self._early_kept:
                self._early.append(item)
            if isinstance(event, events.Hello):  # another helper
                self._standing.clear()
            if isinstance(event, _STANDING):
                self._standing.append((item, event))
            self.fold.feed(event)
            for observer in self._observers:
                observer(event)
