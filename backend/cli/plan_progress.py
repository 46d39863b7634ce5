"""The progress of a comparison by a plan, on standard error."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from as2d.backend.cli.console import ERRORS, say
from as2d.backend.compare.running.shared import PlanProgress
from as2d.backend.protocol import events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.words import counted

_LINE_SECONDS = 30.0


class PlanProgressShown:
    """Shows how far a plan is; on a terminal as a bar, elsewhere a line at every new state and now and then.

    Use it as a context manager. It is called from any thread. `last` is what it was told last.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._live = ERRORS.is_terminal
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[note]}", markup=False),
            TimeElapsedColumn(),
            console=ERRORS,
            transient=True,
            disable=not self._live,
        )
        self._task: TaskID | None = None
        self._shown: dict[str, tuple[str, str]] = {}
        self._next = 0.0
        self.last: PlanProgress | None = None

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bars.stop()

    def __call__(self, at: PlanProgress) -> None:
        """Take how far it is."""
        with self._lock:
            self.last = at
            if self._live:
                self._draw(at)
            else:
                self._line(at)

    def event(self, device: str, event: RecordedEvent) -> None:
        """Take an event of a device (a `PlanObserver`): steps of preparing, and warnings."""
        match event:
            case host_events.StepProgress():
                with self._lock:
                    shown = ("preparing", event.step)
                    if self._shown.get(device) != shown:
                        self._shown[device] = shown
                        self._say(device, event.step)
            case host_events.HelperEnded():
                lost = "The connection to the device was lost."
                say(f"Warning: {device}: {lost if event.returncode is None else event.message}")
            case events.Warned() | host_events.RecordingWarned():
                say(f"Warning: {device}: {event.message}")
            case _:
                return

    def _say(self, device: str, what: str) -> None:
        if self._live:
            self._update(f"{device}: {what}", None)
        else:
            say(f"{device}: {what} …")

    def _line(self, at: PlanProgress) -> None:
        """A line where the state changes or half a minute is over."""
        if at.state in ("done", "failed", "preparing"):  # told elsewhere
            return
        before, now = self._shown.get(at.device), time.monotonic()
        self._shown[at.device] = (at.state, "")
        if before is not None and before[0] == at.state and now < self._next:
            return
        self._next = now + _LINE_SECONDS
        say(f"{_note(at)}{_where(at)} …")

    def _draw(self, at: PlanProgress) -> None:
        self._update(_where(at, "compare"), at)

    def _update(self, description: str, at: PlanProgress | None) -> None:
        if self._task is None:
            self._task = self._bars.add_task(description, total=None, note="")
        self._bars.update(self._task, description=description)
        if at is not None:
            self._bars.update(self._task, completed=at.done, total=at.total or None, note=_note(at))


def _note(at: PlanProgress) -> str:
    return f"{at.done} of {counted(at.total, 'decode')}" if at.total else ""


def _where(at: PlanProgress, nothing: str = "") -> str:
    parts = [part for part in (at.device, at.what) if part]
    text = ": ".join(parts) or nothing
    return text if nothing or not at.total or not text else f", {text}"
