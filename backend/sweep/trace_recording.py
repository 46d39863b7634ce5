"""Records the traces of recordings: behind `as2d trace`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.errors import HelperFailed, InputRefused, UserError
from as2d.backend.models.progress import Cancelled
from as2d.backend.models.store import InstalledModel
from as2d.backend.replay.trace_file import TraceLine
from as2d.backend.replay.window_tracer import WindowToTrace, WindowTracer
from as2d.backend.runs.files import atomic_file, is_ordinary, storage_error
from as2d.backend.runs.manifest import shown_path
from as2d.backend.sweep.tracing import TraceShared, traced_by
from as2d.backend.sweep.work import Workers
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.queue import RecordingQueue
from as2d.backend.transcribe.reading import log_failed, speech_windows
from as2d.backend.transcribe.resolve import language_of_item
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.threads import TargetThreads


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
    workers: Workers | None = None,
) -> TraceReport:
    """Record every window with speech into the trace file `output`, which appears when all are there.

    With `workers` they share the windows; what is recorded is the same, measured times apart, however many
    there are. Without, one helper here records them all.

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
    tracing = _Tracing(session, choices, cancel, workers, keep_part=not older)
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
        self,
        session: Session,
        choices: TraceChoices,
        cancel: CancelToken,
        workers: Workers | None,
        *,
        keep_part: bool,
    ) -> None:
        self._session = session
        self._workers = workers
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
        for line in self._traced(target, drafter):
            file.write(line.model_dump_json().encode() + b"\n")
            file.flush()
            report.windows += 1
            report.tokens += len(line.tokens)
        report.storage_problem = session.storage_problem

    def _traced(self, target: InstalledModel, drafter: InstalledModel) -> Iterator[TraceLine]:
        """The traces of all windows, in their order."""
        choices, windows = self._choices, self._windows(target)
        if self._workers is None:
            tracer = WindowTracer(self._session, target, drafter, choices.threads)
            yield from map(tracer.trace, windows)
            return
        shared = TraceShared(choices.target, target.digest, choices.drafter, drafter.digest, choices.threads)
        yield from traced_by(self._workers, shared, windows)

    def _windows(self, target: InstalledModel) -> Iterator[WindowToTrace]:
        """The windows with speech of all recordings; a recording that is refused ends there."""
        log = self._session.log
        for recording in self._choices.recordings:
            item = self._queue.add(recording.path)
            self._queue.take()
            try:
                language = language_of_item(target, recording.language, recording.asked)
                for name, window in speech_windows(log, item):
                    self._cancel.check()
                    yield WindowToTrace(
                        recording=item.name,
                        window=name,
                        path=shown_path(recording.path),
                        split=recording.split,
                        start_s=window.start_s,
                        end_s=window.end_s,
                        pcm=window.pcm,
                        language=language,
                    )
            except InputRefused as error:
                log_failed(log, item.name, error)
                self.report.refused.append(error)
