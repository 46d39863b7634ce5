"""The list of recordings: what waits, what is being decoded, what became of the others."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatchmethod
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from as2d.app.sentences import in_window
from as2d.backend.audio import shown_name
from as2d.backend.protocol import host_events
from as2d.backend.protocol.decode_events import Commit, Result
from as2d.backend.protocol.events import Hello, Warned
from as2d.backend.protocol.message import Message

if TYPE_CHECKING:
    from as2d.backend.metrics.fold import RunFold
    from as2d.backend.protocol.lines import RecordedEvent

Status = Literal["waiting", "active", "done", "failed", "refused", "cancelled"]
ENDED: tuple[Status, ...] = ("done", "failed", "refused", "cancelled")
_STORED: dict[str, Status] = {"done": "done", "failed": "failed"}


@dataclass
class RecordingItem:
    """One recording of the list. `recording` is its name in the run that decodes it, None before.

    `duration_s`, `read_s` and `decoded_s` are seconds of its sound; `message` is why it failed; `paused`: the
    device that decodes it is away; `begun`: there is text of it. `sound` is the file that can be heard: a run
    from elsewhere names files that are not on this computer. `reopened`: it belongs to a run of the history.
    `before`: what it was until it was to be decoded anew.
    """

    key: int
    path: Path
    name: str
    status: Status = "waiting"
    recording: str | None = None
    run: int | None = None
    duration_s: float | None = None
    read_s: float = 0.0
    decoded_s: float = 0.0
    language: str | None = None
    message: str | None = None
    paused: bool = False
    begun: bool = False
    warnings: list[str] = field(default_factory=list)
    sound: Path | None = None
    reopened: bool = False
    before: RecordingItem | None = None

    @property
    def fraction(self) -> float | None:
        """How much is decoded, 0 to 1; None: not known."""
        if self.status == "done":
            return 1.0
        if self.status != "active" or not self.duration_s:
            return None
        return min(self.decoded_s / self.duration_s, 1.0)


class RecordingList:
    """The recordings in order. Listeners hear of every change, `None` when the order or number changed."""

    def __init__(self) -> None:
        self.items: list[RecordingItem] = []
        self._keys = itertools.count(1)
        self._run: int | None = None
        self._windows: dict[str, tuple[RecordingItem, float]] = {}
        self._preparations: dict[str, str] = {}
        self._listeners: list[Callable[[RecordingItem | None], None]] = []

    def listen(self, listener: Callable[[RecordingItem | None], None]) -> None:
        """Hear of changes."""
        self._listeners.append(listener)

    def add(self, path: Path) -> RecordingItem:
        """Put a recording at the end, waiting."""
        return self.add_all([path])[0]

    def add_all(self, paths: Sequence[Path], refused: Sequence[tuple[Path, str]] = ()) -> list[RecordingItem]:
        """Put recordings at the end, waiting, and behind them those that cannot be one, with the reason."""
        added = [RecordingItem(next(self._keys), path, shown_name(path), sound=path) for path in paths]
        self.items.extend(added)
        self.items.extend(
            RecordingItem(next(self._keys), path, shown_name(path), "refused", message=message)
            for path, message in refused
        )
        self._tell(None)
        return added

    def remove(self, items: Sequence[RecordingItem]) -> list[tuple[int, RecordingItem]]:
        """Take recordings out that are not being decoded; what was taken, with places, for `restore`."""
        taken = [(row, item) for row, item in enumerate(self.items) if item in items and not self._held(item)]
        for _, item in taken:
            self.items.remove(item)
        if taken:
            self._tell(None)
        return taken

    def restore(self, taken: Sequence[tuple[int, RecordingItem]]) -> None:
        """Put back what `remove` took."""
        for row, item in sorted(taken, key=lambda pair: pair[0]):
            self.items.insert(min(row, len(self.items)), item)
        self._tell(None)

    def move(self, item: RecordingItem, row: int) -> None:
        """Give a waiting recording another place."""
        if item in self.items and item.status == "waiting":
            self.items.remove(item)
            self.items.insert(max(0, min(row, len(self.items))), item)
            self._tell(None)

    def is_next(self, item: RecordingItem) -> bool:
        """Whether no other recording is decoded, or waits, before it."""
        return not any(other.status == "active" for other in self.items) and self.waiting()[:1] == [item]

    def waiting(self) -> list[RecordingItem]:
        """Those that wait, in order."""
        return [item for item in self.items if item.status == "waiting"]

    def again(self, item: RecordingItem) -> RecordingItem | None:
        """Let a recording that has ended wait to be decoded anew; None: it has not ended."""
        if item.status not in ENDED or item not in self.items:
            return None
        item.before = None  # that one is over for good
        renewed = RecordingItem(item.key, item.path, item.name, sound=item.path, before=item)
        self.items[self.items.index(item)] = renewed
        self._tell(None)
        return renewed

    def show_stored(self, run: int, fold: RunFold, sounds: Mapping[str, Path]) -> None:
        """List the recordings of a run that was decoded earlier; `sounds`: files that can be heard."""
        for state in fold.recordings.values():
            path = Path(state.audio)
            item = RecordingItem(next(self._keys), path, shown_name(path), recording=state.recording, run=run)
            item.status = _STORED.get(state.status, "cancelled")
            item.duration_s = state.duration_s
            item.language = state.language
            item.message = state.message
            item.warnings = list(state.warnings)
            item.sound = sounds.get(state.recording)
            item.reopened = True
            self.items.append(item)
        self._tell(None)

    def files(self) -> list[Path]:
        """The files that can be decoded, each once however often it is listed."""
        return list(
            dict.fromkeys(item.path for item in self.items if item.status not in ("failed", "refused"))
        )

    def of(self, run: int, recording: str) -> RecordingItem | None:
        """The item that a run calls `recording`."""
        return next((item for item in self.items if (item.run, item.recording) == (run, recording)), None)

    def begin(self, run: int) -> None:
        """The events that follow are of this run."""
        self._run = run
        self._windows.clear()
        self._preparations.clear()

    def end(self) -> bool:
        """The run is over: what it did not take waits for the next, what it left unfinished has failed;
        whether it began any.
        """
        own = [item for item in self.items if item.run == self._run]
        begun = any(item.status != "waiting" for item in own)
        for item in own:
            if item.status == "waiting":
                item.run = item.recording = None
            elif item.status == "active":
                item.status = "cancelled"
        self._run = None
        self._tell(None)
        return begun

    def take_back(self) -> list[RecordingItem]:
        """Those that wait to be decoded anew are again what they were before; these."""
        restored = []
        for row, item in enumerate(self.items):
            if item.status == "waiting" and item.before is not None:
                self.items[row] = item.before
                restored.append(item.before)
        if restored:
            self._tell(None)
        return restored

    def trouble_of(self, event: RecordedEvent) -> tuple[Literal["error", "warning"], str] | None:
        """What an event says of a recording that failed or was read in part, or of the helper's troubles."""
        match event:
            case host_events.RecordingFailed():
                return "error", self._named(event.recording, in_window(event.message))
            case host_events.RecordingWarned():
                return "warning", self._named(event.recording, in_window(event.message))
            case Warned():
                return "warning", in_window(event.message)
        return None

    def _named(self, recording: str, text: str) -> str:
        item = self._item(recording)
        return text if item is None or item.name in text else f"{item.name}: {text}"

    def feed(self, event: RecordedEvent) -> None:
        """Take an event of the run that was begun."""
        if self._run is not None:
            self._take(event)

    @singledispatchmethod
    def _take(self, event: Message) -> None:
        """Events that change nothing here."""

    @_take.register
    def _(self, event: host_events.RecordingQueued) -> None:
        from as2d.backend.runs.manifest import shown_path

        item = next(
            (
                item
                for item in self.items
                if item.status == "waiting" and item.run is None and shown_path(item.path) == event.audio
            ),
            None,
        )
        if item is not None:
            item.run, item.recording = self._run, event.recording
            self._tell(item)

    @_take.register
    def _(self, event: host_events.RecordingOpened) -> None:
        if item := self._item(event.recording):
            item.status = "active"
            item.duration_s = event.duration_s
            self._tell(item)

    @_take.register
    def _(self, event: host_events.RecordingProgress) -> None:
        if item := self._item(event.recording):
            item.read_s = event.read_s
            self._tell(item)

    @_take.register
    def _(self, event: host_events.RecordingWarned) -> None:
        if item := self._item(event.recording):
            item.warnings.append(event.message)
            self._tell(item)

    @_take.register
    def _(self, event: host_events.RecordingLanguage) -> None:
        if item := self._item(event.recording):
            item.language = event.language
            self._tell(item)

    @_take.register
    def _(self, event: host_events.WindowCut) -> None:
        if item := self._item(event.recording):
            self._windows[event.window] = (item, event.end_s)
            if not event.speech:
                self._decoded(item, event.end_s)

    @_take.register
    def _(self, event: host_events.PrepareSent) -> None:
        self._preparations[event.preparation] = event.window

    @_take.register
    def _(self, event: host_events.RecordingDone) -> None:
        if item := self._item(event.recording):
            item.duration_s = event.duration_s
            self._finish(item, "done")

    @_take.register
    def _(self, event: host_events.RecordingFailed) -> None:
        if item := self._item(event.recording):
            item.message = event.message
            self._finish(item, "failed")

    @_take.register
    def _(self, event: host_events.RecordingCancelled) -> None:
        if item := self._item(event.recording):
            self._finish(item, "cancelled")

    @_take.register
    def _(self, event: host_events.HelperEnded) -> None:
        self._pause(event.returncode is None)

    @_take.register
    def _(self, event: Hello) -> None:  # noqa: ARG002
        self._pause(False)

    @_take.register
    def _(self, event: Commit) -> None:
        window = self._windows.get(self._preparations.get(event.window, ""))
        if window is not None and not window[0].begun:
            window[0].begun = True
            self._tell(window[0])

    @_take.register
    def _(self, event: Result) -> None:
        window = self._windows.get(self._preparations.get(event.window, ""))
        if window is not None and event.stop != "cancelled":
            self._decoded(*window)

    def _pause(self, paused: bool) -> None:
        for item in self.items:
            if item.run == self._run and item.status == "active" and item.paused != paused:
                item.paused = paused
                self._tell(item)

    def _decoded(self, item: RecordingItem, seconds: float) -> None:
        item.decoded_s = max(item.decoded_s, seconds)
        self._tell(item)

    def _finish(self, item: RecordingItem, status: Status) -> None:
        item.status = status
        item.paused = False
        self._tell(item)

    def _item(self, recording: str) -> RecordingItem | None:
        return None if self._run is None else self.of(self._run, recording)

    def _held(self, item: RecordingItem) -> bool:
        return item.status == "active" or (item.status == "waiting" and item.run is not None)

    def _tell(self, item: RecordingItem | None) -> None:
        for listener in self._listeners:
            listener(item)
