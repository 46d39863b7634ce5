"""Records the traces of recordings: behind `as2d trace`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

from as2d.backend.audio import AudioWindow
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.errors import HelperFailed, InputRefused, UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.ops import Prepare, Trace
from as2d.backend.protocol.trace_events import Traced
from as2d.backend.replay.trace_file import trace_line
from as2d.backend.runs.files import atomic_file, is_ordinary, storage_error
from as2d.backend.runs.manifest import shown_path
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.queue import QueuedRecording, RecordingQueue
from as2d.backend.transcribe.reading import log_failed, speech_windows
from as2d.backend.transcribe.resolve import language_to_ask
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session, TargetThreads

_TARGET = "target"
_DRAFTER = "drafter"
_TASK: Final = "transcribe"


@dataclass(frozen=True)
class TraceChoices:
    """What to record. `target` and `drafter` are names of the catalogue or model folders."""

    recordings: Sequence[BenchRecording]
    target: str
    drafter: str
    threads: TargetThreads


@dataclass
class TraceReport:
    """What was recorded: windows and tokens through the end, and the recordings that were refused.

    `ended_by`: what ended the recording before all windows were there.
    """

    windows: int = 0
    tokens: int = 0
    refused: list[UserError] = field(default_factory=list)
    storage_problem: UserError | None = None
    ended_by: KeyboardInterrupt | Cancelled | HelperFailed | None = None


class _NothingRecorded(Exception):
    """No window with speech: there is nothing to write."""


def record_traces(
    choices: TraceChoices,
    output: Path,
    observers: Sequence[Observer] = (),
    cancel: CancelToken | None = None,
) -> TraceReport:
    """Record every window with speech into the trace file `output`, which appears when all are there.

    A recording that is refused is left out and named in the report; where no window was recorded nothing is
    written. An interrupt, or a helper that fails, leaves a file of the windows before it and is told in the
    report as `ended_by`, unless an older file would be lost for such a part.

    Raises:
        UserError: the file cannot be written, a model cannot be had, or the helper failed; nothing is
            written then.
        KeyboardInterrupt, Cancelled: the end was asked for; nothing is written.
    """
    cancel = cancel or CancelToken()
    log = RunLog(observers)
    log.record_into(None)
    session = Session(log, cancel)
    older = is_ordinary(output) and output.stat().st_size > 0
    tracing = _Tracing(session, choices, cancel, keep_part=not older)
    try:
        with atomic_file(output) as file:
            tracing.record(file)
            if not tracing.report.windows:
                raise _NothingRecorded
    except _NothingRecorded:
        return tracing.report
    except OSError as error:
        raise storage_error(error, output, "the traces") from error
    finally:
        session.close("done")
    return tracing.report


class _Tracing:
    """One recording of traces. With `keep_part` what is complete counts when it is interrupted."""

    def __init__(
        self, session: Session, choices: TraceChoices, cancel: CancelToken, *, keep_part: bool
    ) -> None:
        self._session = session
        self._choices = choices
        self._cancel = cancel
        self._queue = RecordingQueue(session.log, cancel)
        self._keep_part = keep_part
        self.report = TraceReport()

    def record(self, file: BinaryIO) -> None:
        """Write the windows of all recordings; as `record_traces`."""
        try:
            self._record(file)
        except (KeyboardInterrupt, Cancelled, HelperFailed) as end:
            if not (self._keep_part and self.report.windows):
                raise
            self.report.ended_by = end

    def _record(self, file: BinaryIO) -> None:
        session, choices, report = self._session, self._choices, self.report
        target = session.find_model(choices.target, "target")
        drafter = session.find_model(choices.drafter, "drafter")
        session.open()
        session.load_target(_TARGET, target, choices.threads)
        session.load_drafter(_DRAFTER, drafter)
        for recording in choices.recordings:
            item = self._queue.add(recording.path)
            self._queue.take()
            try:
                self._recording(item, recording, target, drafter, file)
            except InputRefused as error:
                log_failed(session.log, item.name, error)
                report.refused.append(error)
        report.storage_problem = session.storage_problem

    def _recording(
        self,
        item: QueuedRecording,
        recording: BenchRecording,
        target: InstalledModel,
        drafter: InstalledModel,
        file: BinaryIO,
    ) -> None:
        """Record the windows of one recording; its language is detected once, on its first."""
        choices, session = self._choices, self._session
        language = language_to_ask(target, recording.language, _TASK)
        for name, window in speech_windows(session.log, item):
            self._cancel.check()
            traced = self._trace(name, window, language)
            language = language or traced.language
            line = trace_line(
                traced,
                window=name,
                recording=shown_path(recording.path),
                split=recording.split,
                start_s=window.start_s,
                end_s=window.end_s,
                target=target.digest,
                drafter=drafter.digest,
                helper=session.hello.build,
                device=session.description.name,
                threads=choices.threads.alone,
                shared_threads=choices.threads.shared,
            )
            file.write(line.model_dump_json().encode() + b"\n")
            file.flush()
            self.report.windows += 1
            self.report.tokens += len(traced.tokens)

    def _trace(self, name: str, window: AudioWindow, language: str | None) -> Traced:
        engine = self._session.engine
        prepare = Prepare(
            window=name,
            target=_TARGET,
            drafter=_DRAFTER,
            audio=None,
            start_condition="request-start",
            language=language,
            task=_TASK,
        )
        engine.prepare(prepare, name, window.pcm)
        traced = engine.trace(Trace(window=name, language=language, task=_TASK))
        engine.release(name)
        return traced
