"""Arms side by side: what each did in one window, on timelines that begin with the request. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from as2d.app.translation import tr
from as2d.app.viewmodels.requests import RequestSpan
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol import events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.transcribe.methods import TARGET_ONLY

_TARGET = "target"
"""What the names begin with under which helpers load targets."""


@dataclass(frozen=True, order=True)
class Window:
    """A window by its recording and where it lies in it, the same on every device and in every run."""

    audio: str
    start_s: float
    end_s: float

    @property
    def text(self) -> str:
        """Its name."""
        return tr(
            "{name}, {begin}–{end} s",
            name=Path(self.audio).name,
            begin=f"{self.start_s:.1f}",
            end=f"{self.end_s:.1f}",
        )


@dataclass(frozen=True)
class Strip:
    """One arm's request: `source` is the device or the run it was made on, and the target, where there are
    several. `disturbed`: other requests lie between the begin of its preparation and the request.
    """

    source: str
    arm: str
    model: TimelineModel
    request: RequestSpan
    disturbed: bool = False

    @property
    def origin(self) -> int | None:
        """When it was asked, on the model's axis, ns."""
        return self.request.asked

    @property
    def span(self) -> tuple[int, int] | None:
        """From the first work on its own account to the last, ns from the request; None: nothing yet."""
        request = self.request
        if request.asked is None:
            return None
        begin = request.preparation.begin if request.first and not self.disturbed else None
        ends = (request.end, request.last_commit, request.prefill, request.decode)
        end = max((t for t in ends if t is not None), default=request.asked)
        if request.end is None and request.preparation.end is not None:
            end = max(end, request.preparation.end)
        return (min(begin, request.asked) if begin is not None else request.asked) - request.asked, max(
            end - request.asked, 0
        )


@dataclass
class _Source:
    """The events of one device or run; `target`: the one that was loaded last."""

    name: str
    target: str = ""
    model: TimelineModel = field(default_factory=TimelineModel)
    audio: dict[str, str] = field(default_factory=dict)
    seen: int = 0
    arms: dict[Window, dict[tuple[str, str], RequestSpan]] = field(default_factory=dict)


class StackedModel:
    """Takes the streams of a comparison's devices, or recorded runs, and finds the newest decode of each
    window by each arm.

    `version` rises with every event that changes something.
    """

    def __init__(self, order: Sequence[str] = ()) -> None:
        """`order`: the arms as a plan has them, without their threads; others come behind them."""
        self._order = {arm: place for place, arm in enumerate(order)}
        self._sources: dict[str, _Source] = {}
        self._arms: dict[str, None] = {}
        self._targets: dict[str, None] = {}
        self.windows: dict[Window, None] = {}
        self.newest: Window | None = None

    @property
    def version(self) -> int:
        """Rises when there is something new."""
        return sum(source.model.version for source in self._sources.values())

    def feed(self, source: str, stream: Iterable[RecordedEvent], name: str | None = None) -> None:
        """Take events of a device or a run, in the order of its stream. `name`: what it is called, by default
        as `source`; streams of one name are sessions of the same arms.
        """
        own = self._sources.setdefault(source, _Source(source if name is None else name))
        for event in stream:
            if isinstance(event, host_events.RecordingQueued):
                own.audio[event.recording] = event.audio
            elif isinstance(event, events.Loaded) and event.model.startswith(_TARGET):
                own.target = event.name
            own.model.feed(event)
        self._index(own)

    def strips(self, window: Window) -> list[Strip]:
        """What each arm did in a window, the newest decode of each: in the plan's order, in which
        the reference is first, else target-only before the others as they came.
        """
        names = dict.fromkeys(source.name for source in self._sources.values())
        found: dict[tuple[str, str, str], Strip] = {}
        for source in self._sources.values():
            for (target, arm), request in source.arms.get(window, {}).items():
                parts = [source.name] if len(names) > 1 else []
                parts += [target] if len(self._targets) > 1 and target else []
                shown = arm or request.method or tr("decode")
                disturbed = _is_disturbed(request, source.model.requests)
                strip = Strip(" · ".join(parts), shown, source.model, request, disturbed)
                found[source.name, target, arm] = strip
        order = {arm: (self._place(arm), place) for place, arm in enumerate(self._arms)}
        places = {name: place for place, name in enumerate(names)}
        targets = {target: place for place, target in enumerate(self._targets)}
        return [
            found[key]
            for key in sorted(found, key=lambda key: (places[key[0]], targets[key[1]], order[key[2]]))
        ]

    def _place(self, arm: str) -> tuple[int, bool]:
        return self._order.get(arm.partition(" (")[0], len(self._order)), not arm.startswith(TARGET_ONLY)

    def _index(self, source: _Source) -> None:
        requests = source.model.requests
        for request in requests[source.seen :]:
            own = request.preparation.window
            audio = source.audio.get(own.recording, own.recording)
            window = Window(audio, round(own.start_s, 3), round(own.end_s, 3))
            if request.warm_up:
                continue
            arm = request.arm or ""
            self._arms.setdefault(arm)
            self._targets.setdefault(source.target)
            self.windows.setdefault(window)
            source.arms.setdefault(window, {})[source.target, arm] = request
            self.newest = window
        source.seen = len(requests)


def _is_disturbed(request: RequestSpan, requests: Sequence[RequestSpan]) -> bool:
    """Whether another request went on between the begin of a request's preparation and the request."""
    begin = request.preparation.begin
    if begin is None or not 0 < request.number <= len(requests):
        return False
    before = requests[request.number - 1]
    last = before.end if before.end is not None else before.asked
    return last is not None and last > begin
