"""Arms side by side: what each did in one window, on timelines that begin with the request. Knows no Qt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from as2d.app.translation import tr
from as2d.app.viewmodels.requests import RequestSpan
from as2d.app.viewmodels.timeline import TimelineModel
from as2d.backend.protocol import host_events
from as2d.backend.protocol.lines import RecordedEvent


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
    """One arm's request: `source` is the device or the run it was made on, empty where there is only one."""

    source: str
    arm: str
    model: TimelineModel
    request: RequestSpan

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
        begin = request.preparation.begin if request.first else None
        ends = (request.end, request.last_commit, request.prefill, request.decode)
        end = max((t for t in ends if t is not None), default=request.asked)
        if request.end is None and request.preparation.end is not None:
            end = max(end, request.preparation.end)
        return (min(begin, request.asked) if begin is not None else request.asked) - request.asked, max(
            end - request.asked, 0
        )


@dataclass
class _Source:
    """The events of one device or run."""

    model: TimelineModel = field(default_factory=TimelineModel)
    audio: dict[str, str] = field(default_factory=dict)
    seen: int = 0
    arms: dict[Window, dict[str, RequestSpan]] = field(default_factory=dict)


class StackedModel:
    """Takes the streams of a comparison's devices, or recorded runs, and finds the newest decode of each
    window by each arm.

    `version` rises with every event that changes something.
    """

    def __init__(self) -> None:
        self._sources: dict[str, _Source] = {}
        self._arms: dict[str, None] = {}
        self.windows: dict[Window, None] = {}
        self.newest: Window | None = None

    @property
    def version(self) -> int:
        """Rises when there is something new."""
        return sum(source.model.version for source in self._sources.values())

    def feed(self, source: str, stream: Iterable[RecordedEvent]) -> None:
        """Take events of a device or a run, in the order of its stream."""
        own = self._sources.setdefault(source, _Source())
        for event in stream:
            if isinstance(event, host_events.RecordingQueued):
                own.audio[event.recording] = event.audio
            own.model.feed(event)
        self._index(own)

    def strips(self, window: Window) -> list[Strip]:
        """What each arm did in a window, in the order in which the arms came; the newest decode of each."""
        found = []
        several = len(self._sources) > 1
        for name, source in self._sources.items():
            by_arm = source.arms.get(window, {})
            for arm in self._arms:
                if arm in by_arm:
                    found.append(Strip(name if several else "", arm, source.model, by_arm[arm]))
        return found

    def _index(self, source: _Source) -> None:
        requests = source.model.requests
        for request in requests[source.seen :]:
            own = request.preparation.window
            audio = source.audio.get(own.recording, own.recording)
            window = Window(audio, round(own.start_s, 3), round(own.end_s, 3))
            if request.warm_up:
                continue
            arm = request.arm or request.method or tr("decode")
            self._arms.setdefault(arm)
            self.windows.setdefault(window)
            source.arms.setdefault(window, {})[arm] = request
            self.newest = window
        source.seen = len(requests)
