"""Reads runs into numbers by window, event by event: of a run only the requests that go on are in memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from as2d.backend.compare.judging.decoded import Decoded, Outputs, Site, WindowSums
from as2d.backend.compare.judging.recordings import Heard, RecordingId
from as2d.backend.energy.report import Asked, energies
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import (
    decode_seconds,
    drop_seconds,
    first_token_seconds,
    response_seconds,
    rest_seconds,
)
from as2d.backend.metrics.states import RequestState
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.runs.manifest import ArmUsed
from as2d.backend.runs.store import StoredRun

_NAN = float("nan")
_LOOK_EVERY = 1024
_AGAIN = "again"

WindowId = tuple[str, str, float, float]
"""A window as its family knows it: family, the recording's id, and where it lies in it, s."""


@dataclass
class Collected:
    """What was read: the ways to decode, in order; windows, with their numbers; recordings; sentences on
    runs.
    """

    arms: dict[tuple[Site, str], Decoded] = field(default_factory=dict)
    windows: dict[WindowId, int] = field(default_factory=dict)
    outputs: list[Outputs] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    recordings: dict[RecordingId, Heard] = field(default_factory=dict)
    finished: set[RecordingId] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def window(self, key: WindowId) -> int:
        """The number of a window, a new one where it is not known."""
        number = self.windows.setdefault(key, len(self.outputs))
        if number == len(self.outputs):
            self.outputs.append(Outputs())
            self.languages.append("")
        return number


def collect(runs: Sequence[StoredRun], cancel: Callable[[], bool] | None = None) -> Collected:
    """Read runs, one after the other.

    Raises:
        InputRefused: a run cannot be read.
        Cancelled: the end was asked for.
    """
    collected = Collected()
    last = {Site.of(run.manifest, number): number for number, run in enumerate(runs)}
    for number, run in enumerate(runs):
        reader = _Reader(run, number, collected)
        # What an interrupt cut off was decoded again by the sessions that follow: nothing of it is lost.
        goes_on = run.manifest.status not in ("running", "done") and last[reader.site] > number
        reader.read(cancel, tells=not goes_on)
    return collected


@dataclass
class _Open:
    """What the calls of a request that goes on have shown."""

    margins: array[float] = field(default_factory=lambda: array("f"))
    threads: set[int] = field(default_factory=set)

    def take(self, call: decode_events.Call, committed: int) -> None:
        """`committed`: tokens before this call, its root included; its first choice is the next one."""
        self.threads.add(call.threads)
        if call.kind == "guard":
            return
        wanted = committed + len(call.margins)
        self.margins.extend([_NAN] * (wanted - len(self.margins)))
        self.margins[committed:wanted] = array("f", call.margins)


class _Reader:
    """Reads one run."""

    def __init__(self, run: StoredRun, number: int, collected: Collected) -> None:
        self._run = run
        self._manifest = run.manifest
        self._collected = collected
        self.site = Site.of(run.manifest, number)
        self._arms = {arm.label: arm for arm in run.manifest.arms}
        self._fold = RunFold()
        self._open: dict[str, _Open] = {}
        self._encoder_threads: dict[str, int] = {}
        self._drafted: dict[str, int] = {}
        self._last: RequestState | None = None
        self._made_beside: dict[str, RequestState] = {}
        self._beside: dict[tuple[str, str | None, int | None], tuple[events.Prepared, RequestState]] = {}
        self._asked: list[Asked] = []
        self._energy_of: dict[str, tuple[Decoded, WindowSums]] = {}

    def read(self, cancel: Callable[[], bool] | None, *, tells: bool) -> None:
        """Read it; with `tells` note what of it is missing."""
        before = sum(arm.decodes for arm in self._collected.arms.values())
        stream = self._run.stream()
        for number, event in enumerate(stream):
            if cancel is not None and number % _LOOK_EVERY == 0 and cancel():
                raise Cancelled
            self._fold.feed(event)
            if isinstance(event, decode_events.Call):
                self._call(event)
            elif isinstance(event, decode_events.Stage):
                if event.actor == "drafter":
                    self._encoder_threads[event.window] = event.threads
            elif isinstance(event, decode_events.Draft):
                if event.end_of_text:  # the first one: in benchmarks other arms draft after it
                    self._drafted.setdefault(event.window, event.end)
            elif isinstance(event, host_events.PrepareSent):
                self._prepare_sent(event)
            elif isinstance(event, events.Prepared):
                self._prepared(event)
            elif isinstance(event, decode_events.Result):
                self._result(event)
            elif isinstance(event, events.Released):
                self._fold.forget_preparation(event.window)
                self._encoder_threads.pop(event.window, None)
                self._drafted.pop(event.window, None)
                self._made_beside.pop(event.window, None)
        self._recordings()
        self._energies()
        decoded = sum(arm.decodes for arm in self._collected.arms.values()) - before
        if tells:
            self._tell(stream.problem, decoded)

    def _prepare_sent(self, event: host_events.PrepareSent) -> None:
        """Keep what a window is prepared beside, which may be over already."""
        if event.beside is None:
            return
        last = self._last
        before = self._fold.requests.get(event.beside)
        if before is None and last is not None and last.request == event.beside:
            before = last
        if before is not None:
            self._made_beside[event.preparation] = before

    def _prepared(self, event: events.Prepared) -> None:
        """Keep when a window was prepared beside a decode, until the same arm's decode of that window."""
        preparation = self._fold.preparations.get(event.window)
        before = self._made_beside.get(event.window)
        if preparation is not None and before is not None:
            self._beside[preparation.window, before.arm, before.repeat] = event, before

    def _call(self, event: decode_events.Call) -> None:
        request = self._fold.requests.get(event.request)
        if request is not None:
            opened = self._open.setdefault(event.request, _Open())
            opened.take(event, request.live.committed)

    def _result(self, result: decode_events.Result) -> None:
        request = self._fold.requests.get(result.request)
        opened = self._open.pop(result.request, None) or _Open()
        if request is None:
            return
        self._last = request
        times = result.times
        asked = Asked(result.request, times.request, times.end, times.audio_ready, len(result.tokens))
        self._asked.append(asked)
        if not request.warm_up and result.stop != "cancelled":
            self._take(request, result, opened)
        self._fold.forget_request(result.request)

    def _take(self, request: RequestState, result: decode_events.Result, opened: _Open) -> None:
        arm = self._arm(request, result)
        arm.runs[self._manifest.run] = None
        arm.threads |= opened.threads
        threads = self._encoder_threads.get(request.preparation.name)
        if arm.used.drafter is not None and threads is not None:
            arm.drafter_threads.add(threads)
        arm.transcribes = arm.transcribes and request.task == "transcribe"
        window = self._fold.windows[request.preparation.window]
        number = self._collected.window(
            (self.site.family, window.recording, round(window.start_s, 3), round(window.end_s, 3))
        )
        self._collected.languages[number] = result.language
        sums = arm.windows.setdefault(number, WindowSums())
        repeat = request.repeat if request.repeat is not None else sums.decodes
        if repeat in sums.repeats:  # a program that was killed before it noted this decode did it again
            return
        counters = result.counters
        sums.repeats.append(repeat)
        sums.outputs.append(self._collected.outputs[number].keep(result.tokens, result.text, opened.margins))
        sums.decode_s.append(decode_seconds(result))
        sums.response_s.append(response_seconds(result))
        drop = self._drop(request, result)
        if drop is not None:
            sums.drop_s.append(drop)
        sums.first_token_s.append(first_token_seconds(result))
        sums.tokens += counters.tokens
        sums.after_first += max(counters.tokens - 1, 0)
        sums.calls += counters.calls
        sums.guard_calls += counters.guard_calls
        sums.proposed += counters.proposed
        sums.accepted += counters.accepted
        sums.hits += counters.hits
        arm.proposed_at.update(dict(enumerate(counters.proposed_by_position)))
        arm.accepted_at.update(dict(enumerate(counters.accepted_by_position)))
        self._energy_of[result.request] = arm, sums

    def _drop(self, request: RequestState, result: decode_events.Result) -> float | None:
        """As `drop_seconds`; of a window that was prepared while the same arm decoded the one before, from
        that one's text on, so that the windows of a recording add up to its own time.
        """
        preparation = request.preparation
        prepared, before = self._beside.pop((preparation.window, request.arm, request.repeat), (None, None))
        if prepared is not None and before is not None and before.result is not None:
            return rest_seconds(before.result, prepared) + response_seconds(result)
        if preparation.name in self._made_beside:
            return None
        return drop_seconds(request, result, self._drafted.get(preparation.name))

    def _arm(self, request: RequestState, result: decode_events.Result) -> Decoded:
        label = request.arm or result.method
        known = self._collected.arms.get((self.site, label))
        if known is None:
            used = self._arms.get(label) or self._seen(label, result)
            known = Decoded(self.site, label, used, self._manifest)
            self._collected.arms[self.site, label] = known
        return known

    def _seen(self, label: str, result: decode_events.Result) -> ArmUsed:
        """The arm of a run whose manifest tells of none, as its first result shows it."""
        drafts = result.method != "target-only"
        drafter = self._manifest.drafter
        return ArmUsed(
            label=label,
            method=result.method,
            budget=result.budget,
            admission=result.admission,
            start_condition=result.start_condition,
            confidence=result.confidence,
            patience=result.patience,
            group=None,
            again=label.partition("(")[0].split()[-1:] == [_AGAIN],
            drafter=drafter.name if drafts and drafter is not None else None,
            threads=0,
            shared_threads=0,
            drafter_threads=0,
            drafter_shared_threads=0,
        )

    def _recordings(self) -> None:
        """Note the recordings: those of the manifest, and those that came while the run went on."""
        family = self.site.family
        used = {used.recording: used for used in self._manifest.recordings}
        for name, state in self._fold.recordings.items():
            if name not in used:
                self._collected.recordings.setdefault((family, name), Heard(state.audio))
            if state.status == "done":
                self._collected.finished.add((family, name))
        for name, known in used.items():
            heard = Heard(known.audio, known.corpus, known.reference, known.language)
            self._collected.recordings.setdefault((family, name), heard)
        for window in self._fold.windows.values():  # a damaged stream may have lost more than its windows
            self._collected.recordings.setdefault((family, window.recording), Heard(window.recording))

    def _energies(self) -> None:
        """Energy needs the sensors of the whole run."""
        for energy in energies(self._fold, self._manifest.device.battery_current, self._asked):
            found = self._energy_of.get(energy.request)
            if found is not None:
                arm, sums = found
                arm.add_energy(sums, energy.response, energy.from_audio_ready)

    def _tell(self, problem: str | None, decoded: int) -> None:
        run, notes = self._manifest.run, self._collected.notes
        if self._manifest.status == "running":
            notes.append(f"The run {run} is still being recorded; what it has so far is counted.")
        elif problem is not None:
            notes.append(f"The run {run} is incomplete ({problem}); what it has is counted.")
        if not decoded:
            notes.append(f"The run {run} decoded nothing that could be compared.")
