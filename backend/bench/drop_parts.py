"""The parts of the way from a dropped file to its text."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from as2d.backend.protocol.decode_events import Result, Stage, Words
from as2d.backend.protocol.events import Prepared
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import NANOSECONDS


class DropParts(BaseModel):
    """Seconds of one drop, summed over its windows; they add up to `whole`.

    `helper`: until its first line; `load_target`, `load_drafter`; `audio`: reading the file and cutting it;
    `send`: samples on their way to the device; `encoder`, `cross`, `language`, `prefill`, `decode` of the
    target; `drafter`: what the target waited for it; `words`: word times; `write`: making the text and
    writing its file. `other` is the rest: answers on their way back, and forgetting windows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    helper: float = 0.0
    load_target: float = 0.0
    load_drafter: float = 0.0
    audio: float = 0.0
    send: float = 0.0
    encoder: float = 0.0
    cross: float = 0.0
    language: float = 0.0
    drafter: float = 0.0
    prefill: float = 0.0
    decode: float = 0.0
    words: float = 0.0
    write: float = 0.0
    other: float = 0.0
    whole: float = 0.0


PARTS = tuple(name for name in DropParts.model_fields if name != "whole")


class PartSums:
    """Adds up the parts of one drop. An observer of the stream, from which it takes what the device says."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        self._words: dict[str, int] = {}
        self._stages: dict[str, dict[str, float]] = {}

    def __call__(self, event: RecordedEvent) -> None:
        """Take an event."""
        if isinstance(event, Stage):
            if event.actor == "target" and event.stage != "prefill":
                stages = self._stages.setdefault(event.window, {})
                stages[event.stage] = (event.end - event.start) / NANOSECONDS
        elif isinstance(event, Words):
            self._words[event.request] = event.t

    def begin(self) -> None:
        """Forget everything: another drop begins."""
        self._seconds.clear()
        self._words.clear()
        self._stages.clear()

    def add(self, part: str, seconds: float) -> None:
        """Add time to a part."""
        self._seconds[part] = self._seconds.get(part, 0.0) + seconds

    def prepared(self, prepared: Prepared, seconds: float) -> None:
        """A window is prepared, which took so long from here; its stages are in the stream."""
        device = (prepared.end - prepared.start) / NANOSECONDS
        stages = self._stages.pop(prepared.window, {})
        self.add("drafter", device - sum(stages.values()))
        self.add("send", seconds - device)
        for stage, taken in stages.items():
            self.add(stage, taken)

    def decoded(self, result: Result) -> None:
        """A window is decoded."""
        times = result.times
        self.add("drafter", (times.prefill_start - times.request) / NANOSECONDS)
        self.add("prefill", (times.first_token - times.prefill_start) / NANOSECONDS)
        self.add("decode", (times.end - times.first_token) / NANOSECONDS)
        told = self._words.pop(result.request, times.end)
        self.add("words", (told - times.end) / NANOSECONDS)

    def parts(self, whole: float) -> DropParts:
        """The parts of a drop that took so long."""
        other = whole - sum(self._seconds.values())
        return DropParts.model_validate({**self._seconds, "other": other, "whole": whole})


def middle(drops: Sequence[DropParts]) -> DropParts:
    """The one that took the middle time, of an even number the quicker of both, so that its parts add up."""
    return sorted(drops, key=lambda parts: parts.whole)[(len(drops) - 1) // 2]


def added(drops: Sequence[DropParts]) -> DropParts:
    """The sums over several recordings."""
    names = DropParts.model_fields
    return DropParts.model_validate({name: sum(getattr(parts, name) for parts in drops) for name in names})
