"""From a dropped file to its text, everything included: each drop starts a helper and loads its models."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from as2d.backend.audio import AudioWindow, open_recording
from as2d.backend.bench.arm_engine import ArmEngine, ArmModels, request_op, target_name
from as2d.backend.bench.arms import Arm, rounds
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.drop_parts import DropParts, PartSums, added, middle
from as2d.backend.bench.service import BenchChoices
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.export.formats import render
from as2d.backend.export.output_files import OutputFolder
from as2d.backend.export.transcript import transcript_of
from as2d.backend.protocol.host_events import RequestSent
from as2d.backend.protocol.message import NANOSECONDS, now_ns
from as2d.backend.runs.manifest import RecordingUsed, shown_path
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.ending import closing_session
from as2d.backend.transcribe.queue import QueuedRecording, RecordingQueue
from as2d.backend.transcribe.reading import log_done, log_failed, log_opened, log_window
from as2d.backend.transcribe.resolve import language_of_item
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session


@dataclass(frozen=True)
class ArmDrops:
    """An arm's drops: the sums over the recordings of the repeat that took the middle time. `tokens` of the
    texts; `device`, `target`, `drafter` by name.
    """

    arm: Arm
    parts: DropParts
    recordings: int
    repeats: int
    tokens: int
    device: str
    target: str
    drafter: str | None


@dataclass
class DropReport:
    """What came out; `refused` recordings are in no sum."""

    arms: list[ArmDrops] = field(default_factory=list)
    refused: list[UserError] = field(default_factory=list)
    run_folder: Path | None = None
    storage_problem: UserError | None = None


def run_drops(
    choices: BenchChoices, observers: Sequence[Observer] = (), cancel: CancelToken | None = None
) -> DropReport:
    """Drop every recording `repeats` times for each arm, in turn, in one recorded run; each arm's first drop
    of all is a warm-up. A recording that is refused is left out and named in the report.

    Raises:
        UserError: a model cannot be had, a method is unknown to the helper, every recording was refused, or
            the helper failed.
        Cancelled: the end was asked for; the run keeps what was measured until then.
    """
    sums = PartSums()
    log = RunLog([*observers, sums])
    cancel = cancel or CancelToken()
    session = Session(log, cancel, choices.device)
    report = DropReport()
    with closing_session(session) as ending:
        _Drops(choices, session, sums, cancel).run(report)
        if report.refused:
            ending.status = "partial"
    report.run_folder = session.run_folder
    report.storage_problem = session.storage_problem
    return report


@dataclass(frozen=True)
class _Dropped:
    parts: DropParts
    tokens: int


class _Drops:
    """The drops of one run."""

    def __init__(self, choices: BenchChoices, session: Session, sums: PartSums, cancel: CancelToken) -> None:
        self._choices = choices
        self._session = session
        self._sums = sums
        self._cancel = cancel
        self._queue = RecordingQueue(session.log, cancel)
        # Everything is loaded once: the device then has the models, and their g is known.
        drafts = any(arm.drafts for arm in choices.arms)
        drafters = [choices.drafter] if drafts else []
        self._engine = ArmEngine.start(
            session, choices.target, drafters, lambda _models: choices.arms, self._begin
        )
        self._loads = {load.model: load for load in session.engine.loads}

    def run(self, report: DropReport) -> None:
        """Drop everything."""
        arms, recordings = self._choices.arms, self._choices.recordings
        done: dict[Arm, list[_Dropped]] = {arm: [] for arm in arms}
        warm = False
        with tempfile.TemporaryDirectory(prefix="as2d-") as folder:
            texts = Path(folder)
            for recording in recordings:
                try:
                    if not warm:
                        for arm in arms:
                            self._drop(recording, arm, None, texts)
                        warm = True
                    drops = [
                        (arm, self._drop(recording, arm, repeat, texts))
                        for repeat, order in rounds(arms, self._choices.repeats)
                        for arm in order
                    ]
                except InputRefused as error:
                    report.refused.append(error)
                    continue
                for arm in arms:
                    mine = [dropped for other, dropped in drops if other == arm]
                    parts = middle([dropped.parts for dropped in mine])
                    done[arm].append(_Dropped(parts, mine[0].tokens))
        if not warm:
            raise report.refused[0]
        report.arms = [self._of_arm(arm, drops) for arm, drops in done.items()]

    def _begin(self, models: ArmModels, arms: Sequence[Arm]) -> None:
        settings: dict[str, JsonValue] = {
            "method": ",".join(dict.fromkeys(arm.method for arm in arms)),
            "arms": [arm.label for arm in arms],
            "repeats": self._choices.repeats,
        }
        self._manifest = self._session.describe_run(
            self._choices.command, models.target, models.drafter, settings, []
        )
        self._session.begin_run(self._manifest)

    def _drop(self, recording: BenchRecording, arm: Arm, repeat: int | None, folder: Path) -> _Dropped:
        """One drop, of a helper that does not run yet; without `repeat` it is a warm-up."""
        session = self._session
        session.engine.close()
        self._cancel.check()
        self._sums.begin()
        item = self._queue.add(recording.path)
        begin = now_ns()
        self._queue.take()
        with self._timed("helper"):
            session.engine.start()
        with self._timed("load_target"):
            session.engine.load(self._loads[target_name(arm)])
        if arm.drafts:
            with self._timed("load_drafter"):
                session.engine.load(self._loads[self._engine.drafter_name(arm, self._choices.drafter)])
        try:
            tokens = self._decode(recording, item, arm, repeat)
        except UserError as error:
            log_failed(session.log, item.name, error)
            raise
        with self._timed("write"):
            # The run compares ways of decoding; a text is of one.
            own = {
                "method": arm.method,
                "budget": arm.budget,
                "admission": arm.admission,
                "start_condition": arm.start_condition,
            }
            manifest = self._manifest.model_copy(update={"settings": own})
            text = render(transcript_of(session.log.fold, item.name, manifest), "txt")
            OutputFolder(folder, overwrite=True).write(item.path, "txt", text)
        return _Dropped(self._sums.parts((now_ns() - begin) / NANOSECONDS), tokens)

    def _decode(self, recording: BenchRecording, item: QueuedRecording, arm: Arm, repeat: int | None) -> int:
        """Decode a recording as `transcribe` does; the tokens of its text."""
        log, engine = self._session.log, self._session.engine
        self._session.use(RecordingUsed(recording=item.name, audio=shown_path(item.path)))
        language = language_of_item(self._engine.models.target, recording.language, recording.asked)
        tokens = 0
        with ExitStack() as opened:
            with self._timed("audio"):
                audio = opened.enter_context(open_recording(item.path))
                windows = audio.windows(cancelled=item.cancel)
            log_opened(log, item.name, audio)
            for window in self._timed_windows(windows):
                name = log_window(log, item.name, window)
                if not window.speech:
                    continue
                op = self._engine.prepare_op(arm, f"{name}.p1", language)
                asked = now_ns()
                prepared = engine.prepare(op, name, window.pcm)
                self._sums.prepared(prepared, (now_ns() - asked) / NANOSECONDS)
                request = request_op(arm, f"{op.window}.r1", op.window, language, producer_done=False)
                request = request.model_copy(update={"words": True})
                sent = RequestSent(
                    t=now_ns(),
                    request=request.request,
                    preparation=op.window,
                    task=request.task,
                    arm=arm.label,
                    repeat=repeat or 0,
                    warm_up=repeat is None,
                )
                result = engine.request(request, sent, item.cancel)
                self._sums.decoded(result)
                language = language or result.language
                tokens += result.counters.tokens
                engine.release(op.window)
            log_done(log, item.name, audio)
        return tokens

    def _timed_windows(self, windows: Iterator[AudioWindow]) -> Iterator[AudioWindow]:
        while True:
            with self._timed("audio"):
                window = next(windows, None)
            if window is None:
                return
            yield window

    @contextmanager
    def _timed(self, part: str) -> Iterator[None]:
        begin = now_ns()
        yield
        self._sums.add(part, (now_ns() - begin) / NANOSECONDS)

    def _of_arm(self, arm: Arm, drops: Sequence[_Dropped]) -> ArmDrops:
        models = self._engine.models
        return ArmDrops(
            arm=arm,
            parts=added([dropped.parts for dropped in drops]),
            recordings=len(drops),
            repeats=self._choices.repeats,
            tokens=sum(dropped.tokens for dropped in drops),
            device=self._session.description.name,
            target=models.target.name,
            drafter=models.drafter.name if models.drafter is not None and arm.drafts else None,
        )
