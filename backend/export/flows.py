"""From an accepted candidate back to the drafter's step that said it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from as2d.backend.protocol import decode_events, host_events
from as2d.backend.protocol.lines import RecordedEvent

_MOST_OLDER = 16


@dataclass
class _Stream:
    """One draft stream while it grows: where each step's text ends in the text of its epoch, and the step of
    every published token.

    Requests that share a preparation may draft anew, each from the beginning: `older` holds the streams from
    before, the newest last.
    """

    epoch: int = 0
    step_ends: list[int] = field(default_factory=list)
    first_step: int = 0
    steps: int = 0
    published: int = 0
    tokens: list[int] = field(default_factory=list)
    steps_of: list[int] = field(default_factory=list)
    older: list[tuple[list[int], list[int]]] = field(default_factory=list)

    def drafted(self, event: decode_events.Draft) -> None:
        self._turn_to(event.epoch)
        self.step_ends.append((self.step_ends[-1] if self.step_ends else 0) + len(event.text))
        self.steps += 1

    def publish(self, event: decode_events.Publish) -> None:
        self._turn_to(event.epoch)
        if event.first < len(self.tokens):
            self.older = [*self.older[1 - _MOST_OLDER :], (self.tokens, self.steps_of)]
            self.tokens, self.steps_of = self.tokens[: event.first], self.steps_of[: event.first]
        for token, text in zip(event.tokens, event.texts, strict=False):
            self.published += len(text)
            place = bisect_left(self.step_ends, self.published) if text else len(self.step_ends) - 1
            self.tokens.append(token)
            self.steps_of.append(self.first_step + max(0, min(place, len(self.step_ends) - 1)))

    def steps_behind(self, cursor: int, candidates: Sequence[int]) -> list[int]:
        """The steps that said these candidates, which stand at `cursor`; empty: they are in no stream."""
        end = cursor + len(candidates)
        for tokens, steps in ((self.tokens, self.steps_of), *reversed(self.older)):
            if tokens[cursor:end] == list(candidates):
                return steps[cursor:end]
        return []

    def _turn_to(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.epoch, self.published, self.first_step = epoch, 0, self.steps
            self.step_ends.clear()


class Flows:
    """Takes the events of a stream in order. Afterwards `drafts` gives the ids of the flows that begin at a
    step (by its preparation and its number there), `calls` those that end at a call (by request and index):
    one for each accepted candidate whose draft is known.
    """

    def __init__(self) -> None:
        self.drafts: dict[tuple[str, int], list[int]] = {}
        self.calls: dict[tuple[str, int], list[int]] = {}
        self.count = 0
        self._streams: dict[str, _Stream] = {}

    def feed(self, event: RecordedEvent) -> None:
        """Take an event."""
        match event:
            case host_events.PrepareSent():
                self._streams[event.preparation] = _Stream()
            case decode_events.Draft() if event.window in self._streams:
                self._streams[event.window].drafted(event)
            case decode_events.Publish() if event.window in self._streams:
                self._streams[event.window].publish(event)
            case decode_events.Call() if event.accepted and event.cursor is not None:
                self._accepted(event, event.cursor)

    def _accepted(self, call: decode_events.Call, cursor: int) -> None:
        stream = self._streams.get(call.window)
        if stream is None or not stream.steps:
            return
        for step in stream.steps_behind(cursor, call.candidates[: call.accepted]):
            self.count += 1
            self.drafts.setdefault((call.window, step), []).append(self.count)
            self.calls.setdefault((call.request, call.index), []).append(self.count)
