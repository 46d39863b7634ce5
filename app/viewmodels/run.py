"""One run as the window shows it: fed live or from its recorded stream, with the same result."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from as2d.app.viewmodels.timeline import TimelineModel
from as2d.app.viewmodels.transcript import TranscriptModel
from as2d.backend.energy.calibration import calibrate, settled
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import decode_seconds
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.telemetry import Telemetry

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Figures:
    """What a recording's decoding took so far; `tps` in tokens a second, None while nothing is done."""

    tokens: int
    calls: int
    proposed: int
    accepted: int
    tps: float | None

    @property
    def acceptance(self) -> float | None:
        """Accepted candidates of those proposed; None: none were."""
        return self.accepted / self.proposed if self.proposed else None


@dataclass(frozen=True)
class Step:
    """What goes on before decoding; `done` of `total` of its own unit, 0: not known."""

    text: str
    done: int
    total: int


class RunViewModel:
    """The state of one run: its sums, its texts, its timeline.

    `device`: where it runs, as in the settings; `paused`: its connection is lost, and the run waits for it.
    `telemetry` and `reading` are the newest.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """`folder`: where the run is recorded, where that is known already."""
        self.number = next(_numbers)
        self.folder = folder
        self.fold = RunFold()
        self.transcript = TranscriptModel()
        self.timeline = TimelineModel()
        self.step: Step | None = None
        self.telemetry: Telemetry | None = None
        self.reading: host_events.PhoneReading | None = None
        self.device: str | None = None
        self.paused = False

    def feed(self, stream: Iterable[RecordedEvent]) -> None:
        """Take events in the order of the stream."""
        for event in stream:
            self.fold.feed(event)
            self.transcript.feed(event)
            self.timeline.feed(event)
            if isinstance(event, host_events.StepProgress):
                self.step = Step(event.step, event.done, event.total)
            elif isinstance(event, host_events.RecordingOpened):
                self.step = None
            elif isinstance(event, host_events.RunEnded):
                self.step = None
                self.paused = False
                self._read_battery()
            elif isinstance(event, Telemetry):
                self.telemetry = event
            elif isinstance(event, host_events.PhoneReading):
                self.reading = event
            elif isinstance(event, host_events.HelperEnded):
                self.paused = event.returncode is None
            elif isinstance(event, events.Hello):
                self.paused = False

    def _read_battery(self) -> None:
        """Learn from the whole run what the battery's current means; what is known better stays."""
        learnt = calibrate(self.fold.telemetry.battery, self.fold.busy)
        self.timeline.calibrate(settled(self.timeline.calibration, learnt))

    def figures(self, recordings: Sequence[str]) -> Figures:
        """The figures of some recordings, with what the running request has done so far."""
        tokens = calls = proposed = accepted = 0
        done_tokens, seconds = 0, 0.0
        for name in recordings:
            recording = self.fold.recordings.get(name)
            for window in recording.windows if recording is not None else ():
                if not window.requests:
                    continue
                request = window.requests[-1]
                result: decode_events.Result | None = request.result
                if result is None:
                    tokens += request.live.committed
                    calls += request.live.calls
                    proposed += request.live.proposed
                    accepted += request.live.accepted
                elif result.stop != "cancelled":
                    tokens += result.counters.tokens
                    calls += result.counters.calls
                    proposed += result.counters.proposed
                    accepted += result.counters.accepted
                    done_tokens += max(result.counters.tokens - 1, 0)  # the prefill's takes no decode time
                    seconds += decode_seconds(result)
        return Figures(tokens, calls, proposed, accepted, done_tokens / seconds if seconds > 0 else None)
