"""The timeline of a run, event by event: lanes, counters and marks over one time axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from as2d.app.viewmodels.archive import CountArchive
from as2d.app.viewmodels.audio_time import AudioTime
from as2d.app.viewmodels.bars import Bars
from as2d.app.viewmodels.calls import CallTable, outcome
from as2d.app.viewmodels.columns import Column, TextColumn
from as2d.app.viewmodels.kinds import AudioKind, CallKind, CommitKind, DraftKind
from as2d.app.viewmodels.requests import Preparation, RequestSpan, WindowSpan
from as2d.app.viewmodels.sensors import Sensors
from as2d.app.viewmodels.speed import Speed
from as2d.backend.metrics.clock import RunClock
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.telemetry import Telemetry

if TYPE_CHECKING:
    from as2d.backend.energy.calibration import CurrentCalibration
    from as2d.backend.protocol.lines import RecordedEvent

END_TEXT = "⏹"
"""How the end of text is shown."""
MOST_CALLS = 400_000
MOST_STEPS = 400_000
_COMMIT_KINDS = {
    "prefill": CommitKind.PREFILL,
    "accepted": CommitKind.ACCEPTED,
    "correction": CommitKind.CORRECTION,
    "target-only": CommitKind.TARGET_ONLY,
    "guard": CommitKind.GUARD,
}
_STAGES = {
    "encoder": AudioKind.ENCODE,
    "cross": AudioKind.ENCODE,
    "language": AudioKind.LANGUAGE,
    "prefill": AudioKind.PREFILL,
}


class TimelineModel:
    """Fed live or from a recorded stream, with the same result. Times are ns of the helper's clock, which
    goes on where a phone restarted.

    `version` rises with every event that changes something. The newest `MOST_CALLS` calls and `MOST_STEPS`
    drafter steps are kept one by one, older ones as sums by the second, so that a run of any length fits.
    """

    def __init__(self) -> None:
        self._handlers: dict[type, Callable[[Any], None]] = {
            events.Hello: self._hello,
            Telemetry: self._telemetry,
            host_events.RecordingQueued: lambda own: self.files.update({own.recording: own.audio}),
            host_events.WindowCut: self._window_cut,
            host_events.PrepareSent: self._prepare_sent,
            host_events.RequestSent: self._request_sent,
            host_events.RunEnded: self._run_ended,
            decode_events.Stage: self._stage,
            decode_events.Draft: self._draft,
            decode_events.Publish: self._publish,
            decode_events.Call: self._call,
            decode_events.Commit: self._commit,
            decode_events.Words: self._words,
            decode_events.Result: self._result,
        }
        self.version = 0
        self._calibration: CurrentCalibration | None = None
        self.clear()

    def clear(self) -> None:
        """Forget everything, for another run."""
        self.version += 1
        self.ended = False
        self.clock = RunClock()
        self.audio = Bars(len(AudioKind))
        self.drafter = Bars(len(DraftKind))
        self.target = Bars(len(CallKind))
        self.committed = Bars(len(CommitKind))
        self.calls = CallTable()
        self._token_texts: dict[int, str] = {}
        self.commit_texts = TextColumn()
        self.commit_requests = Column("u4")
        self.commit_tokens = Column("u2")  # without those of the prefill, which are the firsts
        self.commit_firsts = Column("u1")
        self.draft_texts = TextColumn()
        self.publishes = Column("i8")
        self.speed = Speed()
        self.sensors = Sensors()
        self.sensors.calibrate(self._calibration)
        self.audio_time = AudioTime(self)
        self.requests: list[RequestSpan] = []
        self.counts = CountArchive()
        self.end_token: int | None = None
        self.forgotten_calls = 0
        self.forgotten_commits = 0
        self._by_name: dict[str, RequestSpan] = {}
        self._windows: dict[str, WindowSpan] = {}
        self._preparations: dict[str, Preparation] = {}
        self._audio_offsets: dict[str, float] = {}
        self._audio_end = 0.0
        self.files: dict[str, str] = {}

    def feed(self, event: RecordedEvent) -> None:
        """Take one event, in the order of the stream; one that the timeline does not show changes nothing."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)
            self.version += 1

    @property
    def span(self) -> tuple[int, int] | None:
        """From the first bar to the last; None: no bars yet."""
        spans = [lane.span for lane in (self.audio, self.drafter, self.target, self.committed)]
        known = [span for span in spans if span is not None]
        if not known:
            return None
        return min(span[0] for span in known), max(span[1] for span in known)

    @property
    def nbytes(self) -> int:
        """Memory of the columns."""
        lanes = (self.audio, self.drafter, self.target, self.committed)
        columns = (self.commit_requests, self.commit_tokens, self.commit_firsts, self.publishes)
        texts = (self.commit_texts, self.draft_texts)
        whole = sum(lane.nbytes for lane in lanes) + sum(column.nbytes for column in columns)
        whole += sum(text.nbytes for text in texts) + self.calls.nbytes
        return whole + self.speed.nbytes + self.sensors.nbytes

    @property
    def calibration(self) -> CurrentCalibration | None:
        """What the battery's current is read by."""
        return self._calibration

    def calibrate(self, calibration: CurrentCalibration | None) -> None:
        """Read the battery's current by what is known of the device; `clear` keeps it."""
        self._calibration = calibration
        self.sensors.calibrate(calibration)
        self.version += 1

    def request_named(self, name: str) -> RequestSpan | None:
        """A request by its name."""
        return self._by_name.get(name)

    def audio_seconds(self, recording: str, seconds: float) -> float | None:
        """A place in a recording on the axis of audio time."""
        offset = self._audio_offsets.get(recording)
        return None if offset is None else offset + seconds

    def recording_at(self, audio_s: float) -> tuple[str, float] | None:
        """The recording, and the second in it, at a place of the axis of audio time."""
        before = [(offset, name) for name, offset in self._audio_offsets.items() if offset <= audio_s]
        if not before:
            return None
        offset, name = max(before)
        return name, audio_s - offset

    def token_text(self, token: int) -> str:
        """What a token spells as far as drafts and commits told, else its number."""
        return END_TEXT if token == self.end_token else self._token_texts.get(token) or f"#{token}"

    def _hello(self, event: events.Hello) -> None:
        self.clock.restarted(event.t)

    def _telemetry(self, event: Telemetry) -> None:
        self.sensors.take(event, self.clock.at(event.t))

    def _window_cut(self, event: host_events.WindowCut) -> None:
        offset = self._audio_offsets.setdefault(event.recording, self._audio_end)
        self._audio_end = max(self._audio_end, offset + event.end_s)
        self._windows[event.window] = WindowSpan(
            event.window, event.recording, event.start_s, event.end_s, offset + event.start_s
        )

    def _prepare_sent(self, event: host_events.PrepareSent) -> None:
        if window := self._windows.get(event.window):
            self._preparations[event.preparation] = Preparation(event.preparation, window)

    def _request_sent(self, event: host_events.RequestSent) -> None:
        preparation = self._preparations.get(event.preparation)
        if preparation is None:
            return
        request = RequestSpan(
            len(self.requests),
            event.request,
            preparation,
            preparation.request is None,
            event.warm_up,
            event.arm,
            self.clock.last,
        )
        preparation.request = request
        self.requests.append(request)
        self._by_name[event.request] = request

    def _run_ended(self, event: host_events.RunEnded) -> None:  # noqa: ARG002
        self.ended = True

    def _stage(self, event: decode_events.Stage) -> None:
        begin, end = self.clock.at(event.start), self.clock.at(event.end)
        preparation = self._preparations.get(event.window)
        if preparation is not None:
            preparation.worked(begin, end)
        if event.actor == "drafter":
            self.drafter.append(begin, end, DraftKind.ENCODE)
            self.draft_texts.append("")
            return
        self.audio.append(begin, end, _STAGES[event.stage])
        if event.stage == "prefill" and preparation is not None and preparation.request is not None:
            preparation.request.prefill, preparation.request.decode = begin, end

    def _draft(self, event: decode_events.Draft) -> None:
        begin, end = self.clock.at(event.start), self.clock.at(event.end)
        preparation = self._preparations.get(event.window)
        early = preparation is not None and preparation.request is None
        if preparation is not None:
            preparation.worked(begin, end)
        self.drafter.append(begin, end, DraftKind.EARLY if early else DraftKind.STEP)
        self.draft_texts.append("■" if event.end_of_text and not event.text else event.text)
        if len(self.drafter) > MOST_STEPS + MOST_STEPS // 4:
            rows = len(self.drafter) - MOST_STEPS
            self.drafter.forget(rows)
            self.draft_texts.drop_first(rows)
            self.publishes.drop_first(max(0, len(self.publishes) - MOST_STEPS))
            self.speed.thin(MOST_STEPS)

    def _publish(self, event: decode_events.Publish) -> None:
        t = self.clock.at(event.t)
        for token, text in zip(event.tokens, event.texts, strict=False):
            self._token_texts[token] = text
        self.publishes.append(t)
        if preparation := self._preparations.get(event.window):
            preparation.published = event.length
            self.speed.published(t, event.window, event.length)

    def _call(self, event: decode_events.Call) -> None:
        request = self._by_name.get(event.request)
        if request is None:
            return
        begin, end = self.clock.at(event.start), self.clock.at(event.end)
        request.last_call = len(self.calls) + self.forgotten_calls
        self.target.append(begin, end, outcome(event))
        self.calls.append(event, request.number)
        request.preparation.worked(begin, end)
        self.speed.called(event, end)
        if len(self.calls) > MOST_CALLS + MOST_CALLS // 4:
            self._forget_calls(len(self.calls) - MOST_CALLS)

    def _commit(self, event: decode_events.Commit) -> None:
        request = self._by_name.get(event.request)
        if request is None:
            return
        end = self.clock.at(event.t)
        begin = end
        if request.last_commit is not None:
            begin = request.last_commit
        elif request.prefill is not None:
            begin = request.prefill  # the first token is what the prefill was for
        row = len(self.committed) + self.forgotten_commits
        self.committed.append(begin, end, _COMMIT_KINDS[event.origins[0]] if event.origins else 0)
        self.commit_texts.append(event.text)
        self.commit_requests.append(request.number)
        prefill = event.origins.count("prefill")
        self.commit_tokens.append(len(event.tokens) - prefill)
        self.commit_firsts.append(prefill)
        if request.last_call is not None and not prefill and request.last_call >= self.forgotten_calls:
            last = request.last_call - self.forgotten_calls
            self.calls.set_commit(last, row)
            if last and self.target.kind[last] == CallKind.GUARD:
                self.calls.set_commit(last - 1, row)  # the guard decided the root of the call before it
        self._learn(event)
        request.last_commit = end
        request.last_token = event.tokens[-1] if event.tokens else request.last_token
        request.tokens += len(event.tokens)
        request.commits.append((end, request.tokens))
        self.speed.committed(end, len(event.tokens) - prefill, request)

    def _learn(self, event: decode_events.Commit) -> None:
        """What the token that no drafter published spells: what is left of the text of a commit."""
        rest = event.text
        for token in event.tokens[:-1]:
            known = self._token_texts.get(token)
            if known is None or not rest.startswith(known):
                return
            rest = rest[len(known) :]
        if event.tokens and rest:
            self._token_texts.setdefault(event.tokens[-1], rest)

    def _words(self, event: decode_events.Words) -> None:
        request = self._by_name.get(event.request)
        if request is None:
            return
        ends = [(word.first_token + word.tokens, word.end) for word in event.words]
        place = 0
        for t, tokens in request.commits:
            while place < len(ends) and ends[place][0] <= tokens:
                place += 1
            if place:
                request.knots.append((t, ends[place - 1][1]))

    def _result(self, event: decode_events.Result) -> None:
        request = self._by_name.get(event.request)
        if request is None:
            return
        request.asked = self.clock.at(event.times.request)
        request.decode = self.clock.at(event.times.first_token)
        request.end = self.clock.at(event.times.end)
        request.method = event.method
        request.commits.clear()
        if event.stop == "end_of_text" and request.tokens == len(event.tokens) + 1:
            self.end_token = request.last_token
        self._correct_proposed(request, event.counters.proposed)
        self.speed.ended(request.end)
        self.audio_time.close(request)

    def _correct_proposed(self, request: RequestSpan, proposed: int) -> None:
        """Candidates behind an accepted end of text, in the last call, are not counted as proposed."""
        if request.last_call is None or request.last_call < self.forgotten_calls:
            return
        last = request.last_call - self.forgotten_calls
        first = last
        while first and self.calls.requests[first - 1] == request.number:
            first -= 1
        beyond = int(self.calls.proposed[first : last + 1].sum()) - proposed
        if 0 < beyond <= int(self.calls.proposed[last]):
            self.calls.correct_proposed(last, int(self.calls.proposed[last]) - beyond)

    def _forget_calls(self, rows: int) -> None:
        begins = self.target.begins[:rows]
        guards = self.target.kind[:rows] == CallKind.GUARD
        self.counts.add(begins, "calls", ~guards)
        self.counts.add(begins, "guard_calls", guards)
        self.counts.add(begins, "proposed", self.calls.proposed[:rows])
        self.counts.add(begins, "accepted", self.calls.accepted[:rows])
        self.target.forget(rows)
        self.calls.forget(rows)
        self.forgotten_calls += rows
        commits = max(0, len(self.committed) - MOST_CALLS)
        self.counts.add(self.committed.ends[:commits], "tokens", self.commit_tokens.values[:commits])
        self.counts.add(self.committed.ends[:commits], "firsts", self.commit_firsts.values[:commits])
        self.committed.forget(commits)
        self.commit_texts.drop_first(commits)
        self.commit_requests.drop_first(commits)
        self.commit_tokens.drop_first(commits)
        self.commit_firsts.drop_first(commits)
        self.forgotten_commits += commits
        self.speed.thin(MOST_CALLS)
