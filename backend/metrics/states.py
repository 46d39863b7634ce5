"""What is known of a recording, a window and a request at one moment of a stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from as2d.backend.metrics.anatomy import RequestAnatomy
from as2d.backend.protocol.decode_events import Call, Commit, Draft, Publish, Result, Stage, Word
from as2d.backend.protocol.events import Prepared

RecordingStatus = Literal["queued", "open", "done", "failed", "cancelled"]


@dataclass
class LiveCounters:
    """Counts of the calls seen so far; the helper's own counters replace them when the result is there."""

    committed: int = 0
    calls: int = 0
    guard_calls: int = 0
    proposed: int = 0
    accepted: int = 0
    hits: int = 0

    def add(self, call: Call) -> None:
        """Count one call."""
        if call.kind == "guard":
            self.guard_calls += 1
            return
        self.calls += 1
        self.proposed += len(call.candidates)
        self.accepted += call.accepted
        self.hits += bool(call.candidates)


@dataclass
class PreparationState:
    """One preparation of a window's audio, by the name that the helper knows it by; times in ns.

    `draft_ns`, `draft_steps`, `drafted_tokens` are the drafter's work before any request. `stages`,
    `drafts` and `publishes` are filled only when the fold keeps details.
    """

    name: str
    window: str
    sent: int
    prepared: Prepared | None = None
    drafter_encoder_ns: int = 0
    draft_steps: int = 0
    draft_ns: int = 0
    drafted_tokens: int = 0
    published: int = 0
    drafter_done: int | None = None
    language: str | None = None
    language_probability: float | None = None
    open_request: RequestState | None = None
    stages: list[Stage] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    publishes: list[Publish] = field(default_factory=list)


@dataclass
class RequestState:
    """One request; times in ns. `draft_ns` is the drafter's work between the request and its result.

    `calls` and `commits` are filled only when the fold keeps details. `cell`: what it is in a comparison by a
    plan.
    """

    request: str
    preparation: PreparationState
    arm: str | None
    repeat: int | None
    warm_up: bool
    task: str
    sent: int
    live: LiveCounters = field(default_factory=LiveCounters)
    anatomy: RequestAnatomy = field(default_factory=RequestAnatomy)
    text: str = ""
    draft_ns: int = 0
    calls: list[Call] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)
    words: tuple[Word, ...] = ()
    result: Result | None = None
    cell: str | None = None


@dataclass
class HelperEnding:
    """A helper that ended without being asked, or whose device was lost; `t` in ns.

    `window`: the one that it worked at, null: none; `again`: that was prepared once more afterwards.
    """

    t: int
    lost: bool
    message: str
    window: str | None
    again: bool = False


@dataclass
class WindowState:
    """One window of a recording; `start_s`, `end_s` in seconds of the recording."""

    window: str
    recording: str
    index: int
    start_s: float
    end_s: float
    speech: bool
    preparations: list[PreparationState] = field(default_factory=list)
    requests: list[RequestState] = field(default_factory=list)

    def answered(self) -> RequestState | None:
        """The last request with a result that was not cancelled."""
        for request in reversed(self.requests):
            if request.result is not None and request.result.stop != "cancelled":
                return request
        return None


@dataclass
class RecordingState:
    """One recording of the queue; times in ns, `duration_s` in seconds."""

    recording: str
    audio: str
    queued: int
    status: RecordingStatus = "queued"
    opened: int | None = None
    ended: int | None = None
    duration_s: float | None = None
    read_s: float = 0.0
    container: str = ""
    codec: str = ""
    language: str | None = None
    language_probability: float | None = None
    message: str | None = None
    warnings: list[str] = field(default_factory=list)
    windows: list[WindowState] = field(default_factory=list)
