"""A run as a Perfetto trace: what target and drafter did, what it led to, and the counters beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from as2d.backend.energy.calibration import calibrate
from as2d.backend.export.flows import Flows
from as2d.backend.export.perfetto_file import Annotations, PerfettoFile
from as2d.backend.metrics.clock import RunClock
from as2d.backend.metrics.counter_stream import UNITS, Counter, CounterStream
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.sensor_values import watts_per_raw
from as2d.backend.metrics.token_texts import TokenTexts
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.telemetry import Telemetry
from as2d.backend.runs.store import StoredRun

TRACKS = {
    "Requests": "One slice a request: from the request to the commit of its end.",
    "Encoder": "The target's work on a window before any request: encoder, audio keys and values, language.",
    "Drafter": "The drafter's encoder, and one slice a step with the text that it said.",
    "Target": "Prefills and target calls: V K/accepted with candidates, T without, G a guard call.",
    "Commits": "Text that became final.",
}
COUNTERS: dict[Counter, tuple[str, str]] = {
    "ready": ("Candidates ready", "Published and not yet consumed tokens of the draft."),
    "acceptance": ("Acceptance", "Accepted of proposed candidates over the last 16 calls that had some."),
    "tps": ("Decode speed", "Tokens a second of decode time over the last 16 calls."),
    "temperature": ("Temperature", "The hottest sensor of the device."),
    "power": ("Power", "What the battery gives: its current times its voltage."),
}
_END = "⏹"
_PAUSE_NS = 1_000_000_000


def write_perfetto(stored: StoredRun, file: IO[bytes]) -> None:
    """Write a run's trace, which opens in the Perfetto UI.

    Raises:
        InputRefused: the run's stream cannot be read.
        OSError: the file cannot be written.
    """
    about = _About(stored, None)
    writer = _Writer(stored, file, about)
    for event in stored.events():
        writer.feed(event)


def write_perfetto_of_runs(
    runs: Sequence[StoredRun],
    file: IO[bytes],
    *,
    most_calls: int,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Write several runs into one trace, each as a process of its own, one behind the other in time.

    Of a run that has more than its share of `most_calls` target calls the first ones are written, and its
    label says so. `check` may raise to stop.

    Raises:
        InputRefused: a run's stream cannot be read.
        OSError: the file cannot be written.
    """
    share = max(most_calls // max(len(runs), 1), 1)
    start = _PAUSE_NS
    for number, stored in enumerate(runs):
        check()
        about = _About(stored, share)
        writer = _Writer(stored, file, about, number=number, shift_ns=start - about.begin)
        for event in _first_calls(stored, share):
            check()
            writer.feed(event)
        start += max(about.end - about.begin, 0) + _PAUSE_NS


def _first_calls(stored: StoredRun, most: int | None) -> Iterator[RecordedEvent]:
    """The events of a run up to its `most`-th target call; None: all."""
    calls = 0
    for event in stored.events():
        calls += isinstance(event, decode_events.Call)
        if most is not None and calls > most:
            return
        yield event


def _times(event: RecordedEvent) -> tuple[int, ...]:
    """When that happened which a trace shows of an event, on the helper's clock."""
    match event:
        case decode_events.Stage() | decode_events.Draft() | decode_events.Call():
            return event.start, event.end
        case decode_events.Result():
            return event.times.request, event.times.end
        case decode_events.Commit() | decode_events.Publish() | Telemetry():
            return (event.t,)
    return ()


class _About:
    """What must be known of the whole run before its first slice is written; `begin` and `end` are the first
    and the last time that it shows, ns, also where the helper was started anew in between.
    """

    def __init__(self, stored: StoredRun, most_calls: int | None) -> None:
        self.flows = Flows()
        self.texts = TokenTexts()
        self.end_token: int | None = None
        fold = RunFold()
        clock = RunClock()
        begin: int | None = None
        last: dict[str, int] = {}
        calls = 0
        for event in _first_calls(stored, most_calls):
            calls += isinstance(event, decode_events.Call)
            if isinstance(event, events.Hello):
                clock.restarted(event.t)
            for t in map(clock.at, _times(event)):
                begin = t if begin is None else min(begin, t)
            fold.feed(event)
            self.flows.feed(event)
            if isinstance(event, decode_events.Publish):
                self.texts.learn(event)
            elif isinstance(event, decode_events.Commit) and event.tokens:
                self.texts.split(event.tokens, event.text)
                last[event.request] = event.tokens[-1]
            elif isinstance(event, decode_events.Result) and event.stop == "end_of_text":
                token = last.get(event.request)
                if token is not None and (not event.tokens or event.tokens[-1] != token):
                    self.end_token = token
        known = stored.manifest.device.battery_current
        calibration = known if known is not None else calibrate(fold.telemetry.battery, fold.busy)
        self.watts = watts_per_raw(calibration)
        self.cut = calls == most_calls
        self.begin = begin or 0
        self.end = clock.last or 0
        self.pid = fold.hello.pid if fold.hello is not None else 1

    def text(self, token: int) -> str:
        """What a token spells, else its number."""
        return _END if token == self.end_token else self.texts.text(token) or f"#{token}"

    def spelt(self, tokens: Sequence[int]) -> list[str]:
        return [self.text(token) for token in tokens]


class _Writer:
    """Turns events into packets, in the order of the stream."""

    def __init__(
        self, stored: StoredRun, file: IO[bytes], about: _About, *, number: int = 0, shift_ns: int = 0
    ) -> None:
        manifest = stored.manifest
        labels = [f"{manifest.command}, {manifest.created}", manifest.device.name]
        if about.cut:
            labels.append("its first calls only")
        self._about = about
        self._file = PerfettoFile(
            file, f"AS²D run {manifest.run}", about.pid, labels, number=number, shift_ns=shift_ns
        )
        self._tracks = {name: self._file.track(name, text) for name, text in TRACKS.items()}
        self._counter_tracks: dict[Counter, int] = {}
        self._clock = RunClock()
        self._counters = CounterStream(self._clock, about.watts)
        self._steps: dict[str, int] = {}
        self._commit_from: dict[str, int] = {}
        self._requests: dict[str, str] = {}
        self._handlers: dict[type, Callable[[Any], None]] = {
            events.Hello: lambda event: self._clock.restarted(event.t),
            host_events.RequestSent: self._request_sent,
            decode_events.Stage: self._stage,
            decode_events.Draft: self._draft,
            decode_events.Call: self._call,
            decode_events.Commit: self._commit,
            decode_events.Result: self._result,
        }

    def feed(self, event: RecordedEvent) -> None:
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)
        for sample in self._counters.feed(event):
            if not math.isnan(sample.value):  # a trace cannot say that a value is not known
                value = sample.value * (100 if sample.counter == "acceptance" else 1)
                self._file.value(self._counter(sample.counter), sample.t, value)

    def _counter(self, name: Counter) -> int:
        if name not in self._counter_tracks:
            title, about = COUNTERS[name]
            self._counter_tracks[name] = self._file.counter(title, about, UNITS[name] or "%")
        return self._counter_tracks[name]

    def _span(
        self,
        track: str,
        times: tuple[int, int],
        name: str,
        annotations: Annotations,
        out: Sequence[int] = (),
        into: Sequence[int] = (),
    ) -> None:
        begin, end = (self._clock.at(t) for t in times)
        category = track.lower()
        self._file.span(
            self._tracks[track],
            begin,
            max(begin, end),
            name,
            annotations,
            category=category,
            out=out,
            into=into,
        )

    def _request_sent(self, event: host_events.RequestSent) -> None:
        self._requests[event.preparation] = event.request

    def _stage(self, event: decode_events.Stage) -> None:
        track = "Drafter" if event.actor == "drafter" else "Encoder"
        if event.stage == "prefill":
            track = "Target"
            request = self._requests.get(event.window)
            if request is not None:
                self._commit_from[request] = event.start
        annotations: Annotations = {"window": event.window, "threads": event.threads}
        self._span(track, (event.start, event.end), event.stage, annotations)

    def _draft(self, event: decode_events.Draft) -> None:
        number = self._steps.get(event.window, 0)
        self._steps[event.window] = number + 1
        annotations: Annotations = {
            "window": event.window,
            "epoch": event.epoch,
            "step": event.step,
            "text": event.text,
            "confidence": event.confidence,
            "tokens": event.drafter_tokens,
            "end of text": event.end_of_text,
        }
        name = event.text.strip() or (_END if event.end_of_text else "draft")
        out = self._about.flows.drafts.get((event.window, number), [])
        self._span("Drafter", (event.start, event.end), name, annotations, out=out)

    def _call(self, event: decode_events.Call) -> None:
        about = self._about
        annotations: Annotations = {
            "request": event.request,
            "window": event.window,
            "index": event.index,
            "kind": event.kind,
            "reason": event.reason,
            "K": event.k,
            "root": about.text(event.root),
            "root id": event.root,
            "candidates": about.spelt(event.candidates),
            "candidate ids": event.candidates,
            "choices": about.spelt(event.choices),
            "choice ids": event.choices,
            "margins": event.margins,
            "accepted": event.accepted,
            "published": event.published,
            "cursor": event.cursor,
            "threads": event.threads,
        }
        names = {"target-only": "T", "guard": "G"}
        name = names.get(event.kind, f"V {event.k}/{event.accepted}")
        into = about.flows.calls.get((event.request, event.index), []) if event.kind != "guard" else []
        self._span("Target", (event.start, event.end), name, annotations, into=into)

    def _commit(self, event: decode_events.Commit) -> None:
        begin = self._commit_from.get(event.request, event.t)
        self._commit_from[event.request] = event.t
        annotations: Annotations = {
            "request": event.request,
            "text": event.text,
            "token ids": event.tokens,
            "origins": event.origins,
            "first": event.first,
        }
        name = event.text.strip() or (_END if self._about.end_token in event.tokens else "…")
        self._span("Commits", (begin, event.t), name, annotations)

    def _result(self, event: decode_events.Result) -> None:
        counters = event.counters
        annotations: Annotations = {
            "request": event.request,
            "window": event.window,
            "method": event.method,
            "budget": event.budget,
            "admission": event.admission,
            "start condition": event.start_condition,
            "language": event.language,
            "stop": event.stop,
            "text": event.text,
            "tokens": counters.tokens,
            "calls": counters.calls,
            "guard calls": counters.guard_calls,
            "proposed": counters.proposed,
            "accepted": counters.accepted,
        }
        times = (event.times.request, event.times.end)
        self._span("Requests", times, f"{event.method} {event.request}", annotations)
