"""Requests and their moments on the time axis."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class WindowSpan:
    """A window of a recording; seconds of the recording, `audio_s` those of all recordings in a row."""

    window: str
    recording: str
    start_s: float
    end_s: float
    audio_s: float


@dataclass(slots=True)
class Preparation:
    """A window's audio as the helper prepared it; `begin` and `end` are its first and last work, ns."""

    name: str
    window: WindowSpan
    begin: int | None = None
    end: int | None = None
    published: int = 0
    request: RequestSpan | None = None

    def worked(self, begin: int, end: int) -> None:
        """Note work of target or drafter."""
        self.begin = begin if self.begin is None else min(self.begin, begin)
        self.end = end if self.end is None else max(self.end, end)


@dataclass(slots=True)
class RequestSpan:
    """A request: `asked`, `prefill` (its begin), `decode` (prefill logits ready), `end` in ns; None: not yet.

    `first`: of those to its preparation. `knots` are pairs of clock (ns) and position in its window's audio
    (s), for the axis of audio time.
    """

    number: int
    name: str
    preparation: Preparation
    first: bool = True
    warm_up: bool = False
    arm: str | None = None
    asked: int | None = None
    prefill: int | None = None
    decode: int | None = None
    end: int | None = None
    method: str = ""
    tokens: int = 0
    last_commit: int | None = None
    last_call: int | None = None
    last_token: int | None = None
    commits: list[tuple[int, int]] = field(default_factory=list)
    knots: list[tuple[int, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Mark:
    """A moment to be marked: `request`, `decode` (decode start) or `end`."""

    t: int
    kind: str
    request: str
