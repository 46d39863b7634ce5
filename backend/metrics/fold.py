"""The state of a run, event by event: the same function live and for a stream that was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatchmethod

from as2d.backend.energy.spans import Spans
from as2d.backend.metrics.measures import decode_seconds
from as2d.backend.metrics.states import (
    HelperEnding,
    PreparationState,
    RecordingState,
    RequestState,
    WindowState,
)
from as2d.backend.metrics.telemetry import TelemetryFold
from as2d.backend.metrics.totals import Totals
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import Message
from as2d.backend.protocol.telemetry import Telemetry

_WORK = (
    events.Loaded,
    events.SelfTested,
    events.Prepared,
    decode_events.Stage,
    decode_events.Draft,
    decode_events.Call,
)


class RunFold:
    """Takes the events of one stream in order and keeps what they say.

    With `details` every call, commit, draft, publish and stage is kept (a few hundred bytes each); without,
    only their sums, so that a day of decoding needs little memory.
    """

    def __init__(self, *, details: bool = False) -> None:
        self.details = details
        self.recordings: dict[str, RecordingState] = {}
        self.windows: dict[str, WindowState] = {}
        self.preparations: dict[str, PreparationState] = {}
        self.requests: dict[str, RequestState] = {}
        self.hello: events.Hello | None = None
        self.loaded: dict[str, events.Loaded] = {}
        self.warnings: list[str] = []
        self.helper_endings: list[HelperEnding] = []
        self._preparing: str | None = None
        self._decoding: str | None = None
        self.status: host_events.RunStatus = "running"
        self.telemetry = TelemetryFold()
        self.busy = Spans()
        self.forgotten = Totals()
        self.first_t: int | None = None
        self.last_t: int | None = None

    @classmethod
    def of(cls, stream: Iterable[RecordedEvent], *, details: bool = False) -> RunFold:
        """The state after a whole stream."""
        fold = cls(details=details)
        for event in stream:
            fold.feed(event)
        return fold

    def feed(self, event: RecordedEvent) -> None:
        """Take one event. An event about a window or request that the stream never opened is left out."""
        self.first_t = event.t if self.first_t is None else self.first_t
        self.last_t = event.t
        if isinstance(event, _WORK):
            self.busy.add(event.start, event.end)
        self._take(event)

    def forget_request(self, name: str) -> None:
        """Drop a request whose numbers were taken, so that a long stream needs little memory."""
        request = self.requests.pop(name, None)
        if request is None:
            return
        self.windows[request.preparation.window].requests.remove(request)
        if request.preparation.open_request is request:
            request.preparation.open_request = None

    def forget_preparation(self, name: str) -> None:
        """Drop a preparation that no request will use any more."""
        preparation = self.preparations.pop(name, None)
        if preparation is not None:
            self.windows[preparation.window].preparations.remove(preparation)

    def finished_requests(self) -> Iterator[RequestState]:
        """The requests that have a result, warm-ups and cancelled ones left out."""
        for request in self.requests.values():
            if request.result is not None and not request.warm_up and request.result.stop != "cancelled":
                yield request

    def totals(self) -> Totals:
        """The counts of all requests of `finished_requests`, and of those that were forgotten."""
        return self.forgotten.with_more(
            (request.result.counters, decode_seconds(request.result))
            for request in self.finished_requests()
            if request.result is not None
        )

    def forget_older(self, window: str) -> None:
        """Keep of a window's requests only the last answered one and what came behind it; of the others their
        counts, so that a window can be decoded for hours.
        """
        state = self.windows[window]
        kept = state.answered()
        place = state.requests.index(kept) if kept is not None else 0
        for request in state.requests[:place]:
            result = self.requests.pop(request.request).result
            if result is not None and not request.warm_up and result.stop != "cancelled":
                self.forgotten.add(result.counters, decode_seconds(result))
        del state.requests[:place]
        used = {request.preparation.name for request in state.requests}
        for preparation in state.preparations[:-1]:
            if preparation.name not in used:
                del self.preparations[preparation.name]
        state.preparations[:-1] = [own for own in state.preparations[:-1] if own.name in used]

    @singledispatchmethod
    def _take(self, event: Message) -> None:
        """Events that change nothing here: answers without content, steps."""

    @_take.register
    def _(self, event: Telemetry) -> None:
        self.telemetry.add(event)

    @_take.register
    def _(self, event: events.Hello) -> None:
        self.hello = event

    @_take.register
    def _(self, event: events.Loaded) -> None:
        self.loaded[event.model] = event

    @_take.register
    def _(self, event: host_events.RecordingQueued) -> None:
        self.recordings[event.recording] = RecordingState(event.recording, event.audio, event.t)

    @_take.register
    def _(self, event: host_events.RecordingOpened) -> None:
        if recording := self.recordings.get(event.recording):
            recording.status = "open"
            recording.opened = event.t
            recording.duration_s = event.duration_s
            recording.container = event.container
            recording.codec = event.codec

    @_take.register
    def _(self, event: host_events.RecordingProgress) -> None:
        if recording := self.recordings.get(event.recording):
            recording.read_s = event.read_s

    @_take.register
    def _(self, event: host_events.RecordingWarned) -> None:
        if recording := self.recordings.get(event.recording):
            recording.warnings.append(event.message)

    @_take.register
    def _(self, event: host_events.RecordingLanguage) -> None:
        if recording := self.recordings.get(event.recording):
            recording.language = event.language
            recording.language_probability = event.probability

    @_take.register
    def _(self, event: host_events.WindowCut) -> None:
        window = WindowState(
            event.window, event.recording, event.index, event.start_s, event.end_s, event.speech
        )
        self.windows[event.window] = window
        if recording := self.recordings.get(event.recording):
            recording.windows.append(window)

    @_take.register
    def _(self, event: host_events.PrepareSent) -> None:
        if window := self.windows.get(event.window):
            preparation = PreparationState(event.preparation, event.window, event.t)
            window.preparations.append(preparation)
            self.preparations[event.preparation] = preparation
            self._preparing = event.window
            for ending in self.helper_endings:
                ending.again = ending.again or ending.window == event.window

    @_take.register
    def _(self, event: host_events.RequestSent) -> None:
        preparation = self.preparations.get(event.preparation)
        if preparation is None:
            return
        request = RequestState(
            event.request, preparation, event.arm, event.repeat, event.warm_up, event.task, event.t
        )
        request.cell = event.cell
        self.windows[preparation.window].requests.append(request)
        self.requests[event.request] = request
        self._decoding = preparation.window
        preparation.open_request = request

    @_take.register
    def _(self, event: host_events.RecordingDone) -> None:
        if recording := self.recordings.get(event.recording):
            recording.status = "done"
            recording.ended = event.t
            recording.duration_s = event.duration_s

    @_take.register
    def _(self, event: host_events.RecordingFailed) -> None:
        if recording := self.recordings.get(event.recording):
            recording.status = "failed"
            recording.ended = event.t
            recording.message = event.message

    @_take.register
    def _(self, event: host_events.RecordingCancelled) -> None:
        if recording := self.recordings.get(event.recording):
            recording.status = "cancelled"
            recording.ended = event.t

    @_take.register
    def _(self, event: host_events.HelperEnded) -> None:
        self.helper_endings.append(
            HelperEnding(event.t, event.returncode is None, event.message, self._decoding or self._preparing)
        )
        self._preparing = self._decoding = None

    @_take.register
    def _(self, event: host_events.PhoneReading) -> None:
        self.telemetry.add_report(event)

    @_take.register
    def _(self, event: host_events.RunEnded) -> None:
        self.status = event.status

    @_take.register
    def _(self, event: events.Prepared) -> None:
        if preparation := self.preparations.get(event.window):
            preparation.prepared = event

    @_take.register
    def _(self, event: events.Language) -> None:
        if preparation := self.preparations.get(event.window):
            preparation.language = event.language
            preparation.language_probability = event.probability

    @_take.register
    def _(self, event: decode_events.Stage) -> None:
        if preparation := self.preparations.get(event.window):
            if event.actor == "drafter":
                preparation.drafter_encoder_ns += event.end - event.start
            if self.details:
                preparation.stages.append(event)

    @_take.register
    def _(self, event: decode_events.Draft) -> None:
        preparation = self.preparations.get(event.window)
        if preparation is None:
            return
        if preparation.open_request is None:
            preparation.draft_steps += 1
            preparation.drafted_tokens += event.drafter_tokens
            preparation.draft_ns += event.end - event.start
        else:
            preparation.open_request.draft_ns += event.end - event.start
        if event.end_of_text:
            preparation.drafter_done = event.end
        if self.details:
            preparation.drafts.append(event)

    @_take.register
    def _(self, event: decode_events.Publish) -> None:
        if preparation := self.preparations.get(event.window):
            preparation.published = event.length
            if self.details:
                preparation.publishes.append(event)

    @_take.register
    def _(self, event: decode_events.Call) -> None:
        if request := self.requests.get(event.request):
            request.anatomy.add(event, request.live.committed)
            request.live.add(event)
            if self.details:
                request.calls.append(event)

    @_take.register
    def _(self, event: decode_events.Commit) -> None:
        if request := self.requests.get(event.request):
            request.live.committed += len(event.tokens)
            request.text += event.text
            if self.details:
                request.commits.append(event)

    @_take.register
    def _(self, event: decode_events.Words) -> None:
        if request := self.requests.get(event.request):
            request.words = event.words

    @_take.register
    def _(self, event: decode_events.Result) -> None:
        if request := self.requests.get(event.request):
            request.result = event
            request.preparation.open_request = None
            window = self.windows[request.preparation.window]
            self._decoding = None
            if self._preparing == window.window:
                self._preparing = None
            request.anatomy.close(event.counters.tokens, request.words, window.end_s - window.start_s)

    @_take.register
    def _(self, event: events.Warned) -> None:
        self.warnings.append(event.message)
