"""How far a command is, by the events of its run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from as2d.backend.protocol import decode_events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.protocol.trace_events import Traced

# How much a decode has before it until it is known: what English speech holds.
_TOKENS_A_SECOND = 4.0
# A decode may take more tokens than is thought, and then goes on.
_MOST_GUESSED = 0.95


class HowFar(Protocol):
    """Takes every event of a run and knows how much of it is done.

    `name`: what is done, null: the recording that is worked at.
    """

    name: str | None

    def take(self, event: RecordedEvent) -> None:
        """Take one event."""

    def of(self, recording: str) -> tuple[float, float | None]:
        """What is done while this recording is worked at, and of how much; null: that is not known."""


class AudioDecoded:
    """Seconds of each recording's sound that are decoded, of its length.

    Within a window every decode counts the same: by its tokens, of which the decode before it in this window
    had as many, else the windows so far as many a second. A window that is cut while another is decoded, to
    be prepared meanwhile, begins with its own first decode.
    """

    name: str | None = None

    def __init__(self, decodes: Callable[[bool], int] = lambda _: 1) -> None:
        """`decodes`: how often a window is decoded, by whether it is the first one."""
        self._decodes = decodes
        self._durations: dict[str, float | None] = {}
        self._done: dict[str, float] = {}
        self._begun: set[str] = set()
        self._recording = ""
        self._window = (0.0, 0.0)
        self._wanted = 1
        self._results = 0
        self._tokens = 0
        self._tokens_before: int | None = None
        self._spoken = False
        self._decoding = False
        self._cut_meanwhile: dict[str, host_events.WindowCut] = {}
        self._prepared: dict[str, str] = {}
        self._all_tokens, self._all_seconds = _TOKENS_A_SECOND, 1.0

    def take(self, event: RecordedEvent) -> None:
        """As `HowFar`."""
        match event:
            case host_events.RecordingOpened():
                self._durations[event.recording] = event.duration_s
            case host_events.RecordingProgress():
                if event.recording not in self._begun:  # else reading runs ahead of decoding
                    self._done[event.recording] = event.read_s
            case host_events.WindowCut():
                if self._decoding:
                    self._cut_meanwhile[event.window] = event
                else:
                    self._cut(event)
            case host_events.PrepareSent():
                self._prepared[event.preparation] = event.window
            case host_events.RequestSent():
                self._begin(event)
            case decode_events.Commit():
                self._tokens += len(event.tokens)
                self._move()
            case decode_events.Result(stop="cancelled"):
                self._decoding = False
            case decode_events.Result():
                self._end(len(event.tokens))
            case Traced():
                self._end(len(event.tokens))
            case _:
                return

    def of(self, recording: str) -> tuple[float, float | None]:
        """As `HowFar`."""
        return self._done.get(recording, 0.0), self._durations.get(recording)

    def _begin(self, request: host_events.RequestSent) -> None:
        cut = self._cut_meanwhile.pop(self._prepared.get(request.preparation, ""), None)
        if cut is not None:
            self._cut(cut)
        self._decoding = True
        self._tokens = 0

    def _cut(self, event: host_events.WindowCut) -> None:
        self._recording = event.recording
        self._begun.add(event.recording)
        self._window = event.start_s, event.end_s
        self._results, self._tokens, self._tokens_before = 0, 0, None
        self._wanted = max(self._decodes(not self._spoken), 1) if event.speech else 0
        self._spoken = self._spoken or event.speech
        self._move()

    def _end(self, tokens: int) -> None:
        self._decoding = False
        start, end = self._window
        if self._tokens_before is None:
            self._all_tokens += tokens
            self._all_seconds += end - start
        self._results += 1
        self._tokens, self._tokens_before = 0, tokens
        self._move()

    def _move(self) -> None:
        start, end = self._window
        expected = self._tokens_before or (end - start) * self._all_tokens / self._all_seconds
        begun = min(self._tokens / expected, _MOST_GUESSED) if expected > 0 else 0.0
        share = min((self._results + begun) / self._wanted, 1.0) if self._wanted else 1.0
        self._done[self._recording] = start + (end - start) * share


class MinutesDecoded:
    """Minutes since the first decode that counts."""

    name: str | None = "long run"

    def __init__(self, minutes: float) -> None:
        """`minutes`: how many there are to be."""
        self._minutes = minutes
        self._begin: int | None = None
        self._now = 0

    def take(self, event: RecordedEvent) -> None:
        """As `HowFar`."""
        if isinstance(event, host_events.RequestSent) and not event.warm_up:
            self._begin = event.t if self._begin is None else self._begin
            self._now = event.t

    def of(self, recording: str) -> tuple[float, float | None]:  # noqa: ARG002  (they are of all)
        """As `HowFar`."""
        spent = 0.0 if self._begin is None else (self._now - self._begin) / NANOSECONDS / 60
        return min(spent, self._minutes), self._minutes
