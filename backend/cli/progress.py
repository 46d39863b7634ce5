"""Progress on standard error, drawn from the events of a run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from as2d.backend.cli.console import ERRORS, say
from as2d.backend.cli.how_far import AudioDecoded, HowFar
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import now_ns
from as2d.backend.protocol.telemetry import Telemetry
from as2d.backend.transcribe.languages import language_name
from as2d.backend.transcribe.still_busy import SIGN_SECONDS, duration_text
from as2d.backend.words import counted

_NAME_COLUMNS = 40
_LINE_SECONDS = 30.0
_TELLING_SECONDS = 5.0
_MINUTES_FROM = 90.0
_PREPARING = "preparing its audio"
# Below it a detected language is doubtful: English meetings were taken for Welsh at 0.6.
_SURE = 0.7


class EventProgress:
    """An observer that shows steps and recordings; on a terminal as bars, elsewhere one line a step, and now
    and then, at most every `line_seconds`, how far it is.

    Use it as a context manager. `pause` takes the bars away while results are printed.
    """

    def __init__(
        self,
        names: Mapping[str, str] | None = None,
        far: HowFar | None = None,
        *,
        line_seconds: float = _LINE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`names`: what to call recordings, by the paths that the stream has; else they are called by their
        file names. `far` knows how far it is; else that is the sound that is decoded. `clock` tells the time
        in seconds.
        """
        self._clock = clock
        self._names = names or {}
        self._far = far or AudioDecoded()
        self._lock = threading.RLock()
        self._line_seconds = line_seconds
        self._last_line = clock()
        self._live = ERRORS.is_terminal
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.percentage:>3.0f} %"),
            TextColumn("{task.fields[note]}", markup=False),
            TimeElapsedColumn(),
            console=ERRORS,
            transient=True,
            disable=not self._live,
        )
        self._task: TaskID | None = None
        self._step, self._step_begun = "", (0.0, 0)
        self._recordings: dict[str, str] = {}
        self._current = ""
        self._tokens = 0
        self._ending = ""
        self._work, self._work_begun, self._decodes = "", 0.0, False

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pause()

    def pause(self) -> None:
        """Take the bars off the terminal; the next event draws them again."""
        with self._lock:
            if self._task is not None:
                self._bars.remove_task(self._task)
                self._task = None
            self._bars.stop()

    def __call__(self, event: RecordedEvent) -> None:
        """Take one event."""
        with self._lock:
            self._take(event)

    def step(self, stage: str, done: int, total: int) -> None:
        """Show a step that belongs to no run; a `Progress`."""
        self(host_events.StepProgress(t=now_ns(), step=stage, done=done, total=total))

    def _take(self, event: RecordedEvent) -> None:
        self._far.take(event)
        self._follow_work(event)
        match event:
            case host_events.StepProgress():
                self._show_step(event)
            case host_events.RecordingQueued():
                name = self._names.get(event.audio) or event.audio.rsplit("/", 1)[-1]
                self._recordings[event.recording] = _shortened(name)
            case host_events.RecordingOpened():
                self._current = event.recording
                self._tokens = 0
                self._draw_recording()
            case host_events.RecordingProgress() | host_events.WindowCut() | decode_events.Result():
                self._draw_recording()
            case host_events.RecordingLanguage(probability=float(probability)):
                name = self._recordings.get(event.recording, event.recording)
                unsure = "; that is not sure, --language names another" if probability < _SURE else ""
                say(f"{name}: {language_name(event.language)} was detected ({probability:.2f}){unsure}.")
            case decode_events.Commit():
                self._tokens += len(event.tokens)
                self._draw_recording()
            case host_events.HelperEnded(returncode=None):
                self._ending = "The connection to the device was lost."
            case host_events.HelperEnded():
                self._ending = event.message
            case host_events.PrepareSent() if self._ending:
                say(f"Warning: {self._ending} The helper was started again, and its window is decoded again.")
                self._ending = ""
            case Telemetry() if self._work:  # the only sign of life of a helper that computes
                self._draw_recording()
            case events.Warned():
                say(f"Warning: {event.message}")
            case _:
                return

    def _follow_work(self, event: RecordedEvent) -> None:
        """Know what the helper computes, and since when."""
        match event:
            case host_events.PrepareSent() if not self._decodes:
                self._work, self._work_begun = _PREPARING, self._clock()
            case host_events.RequestSent():
                self._work, self._work_begun = event.arm or "this decode", self._clock()
                self._decodes = True
            case events.Prepared() if not self._decodes:
                self._work = ""
            case decode_events.Result() | host_events.HelperEnded():
                self._work, self._decodes = "", False

    def _note(self) -> str:
        """The tokens; of work that takes long what it is and how long it has taken, as phones may need
        minutes for an encoder pass.
        """
        tokens = counted(self._tokens, "token")
        took = self._clock() - self._work_begun
        if not self._work or took < SIGN_SECONDS:
            return tokens
        work = f"{self._work}, {duration_text(took)} so far"
        return work if self._work == _PREPARING else f"{tokens}, {work}"

    def _show_step(self, event: host_events.StepProgress) -> None:
        if event.step != self._step:
            self._step, self._step_begun = event.step, (self._clock(), event.done)
            if not self._live:
                say(f"{event.step} …")
        begin, before = self._step_begun
        left = time_left(self._clock() - begin, event.done - before, event.total - event.done)
        self._draw(event.step, float(event.done), float(event.total) or None, left)

    def _draw_recording(self) -> None:
        name = self._recordings.get(self._current, "")
        if not self._live and len(self._recordings) > 1 and self._current in self._recordings:
            name = f"recording {[*self._recordings].index(self._current) + 1}, {name}"
        done, total = self._far.of(self._current)
        self._draw(self._far.name or name, done, total, self._note())

    def _draw(self, description: str, done: float, total: float | None, note: str) -> None:
        if not self._live:
            self._say_how_far(description, done, total, note)
            return
        if self._task is None:
            self._bars.start()
            self._task = self._bars.add_task(description, total=total, note=note)
        self._bars.update(self._task, description=description, completed=done, total=total, note=note)

    def _say_how_far(self, description: str, done: float, total: float | None, note: str) -> None:
        """A line in a file or a log, where no bar can be drawn, if there is something to tell."""
        now = self._clock()
        if now - self._last_line < self._line_seconds or not (note or (total and done)):
            return
        self._last_line = now
        share = [f"{min(100 * done / total, 100):.0f} %"] if total else []
        say(f"{description}: {', '.join([*share, *([note] if note else [])])}.")


def time_left(seconds: float, done: int, left: int) -> str:
    """How long the rest of a step takes if it goes on as in these seconds; empty where that is not known."""
    if seconds < _TELLING_SECONDS or done <= 0 or left <= 0:
        return ""
    rest = seconds * left / done
    return f"about {rest / 60:.0f} min left" if rest >= _MINUTES_FROM else f"about {rest:.0f} s left"


def _shortened(name: str) -> str:
    shown = "".join(character if character.isprintable() else "?" for character in name)
    return shown if len(shown) <= _NAME_COLUMNS else shown[: _NAME_COLUMNS - 1] + "…"
