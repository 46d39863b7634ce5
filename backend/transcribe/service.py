"""Recordings in, transcripts out: the one service behind the command line and the window."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from pydantic import JsonValue

from as2d.backend.audio import AudioWindow, open_recording, shown_name
from as2d.backend.devices.device import Device
from as2d.backend.errors import UserError
from as2d.backend.export.transcript import Transcript, transcript_of
from as2d.backend.helper.endings import ConnectionLost, HelperDied, HelperRefused
from as2d.backend.models.progress import Cancelled
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol import host_events
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.message import now_ns
from as2d.backend.protocol.ops import Prepare, Request
from as2d.backend.runs.manifest import RecordingUsed, RunManifest, shown_path
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.methods import DEFAULT_BUDGET, agreed_budget, check_known, parse_method
from as2d.backend.transcribe.outcome import RecordingOutcome, unexpected
from as2d.backend.transcribe.profile import BudgetKey
from as2d.backend.transcribe.queue import QueuedRecording, RecordingQueue
from as2d.backend.transcribe.reading import log_done, log_failed, log_opened, log_window
from as2d.backend.transcribe.resolve import language_to_ask
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session, TargetThreads
from as2d.backend.transcribe.settings import TranscribeSettings

_TARGET = "target"
_DRAFTER = "drafter"
_MOST_DEATHS = 2
_MOST_LOSSES = 20
_PROGRESS_SECONDS = 0.5


class Transcriber:
    """Decodes the recordings of its queue, one after the other, in one recorded run.

    Use it as a context manager: entering finds and loads the models, leaving ends helper and run.
    Everything that happens goes to the observers as events.
    """

    def __init__(
        self,
        settings: TranscribeSettings,
        *,
        command: str = "transcribe",
        observers: Sequence[Observer] = (),
        cancel: CancelToken | None = None,
        device: Device | None = None,
    ) -> None:
        """Check the settings. Without a `device` this computer decodes.

        Raises:
            WrongUse: there is no such method or budget, or they contradict each other.
            HelperFailed: the helper program is missing.
        """
        choice = parse_method(settings.method)
        self._method = choice.name
        self._asked_budget = agreed_budget(choice, settings.budget)
        self._drafts = choice.drafts
        self._settings = settings
        self._command = command
        self._budget = 0
        self._cancel = cancel or CancelToken()
        self._statuses: list[bool] = []
        self.log = RunLog(observers)
        self.queue = RecordingQueue(self.log, self._cancel)
        self.session = Session(self.log, self._cancel, device)
        self._manifest: RunManifest | None = None
        self._drafter: str | None = None
        self.drafter: InstalledModel | None = None
        self._language_asked: str | None = None

    def __enter__(self) -> Self:
        """Find, install and load the models, and begin the run.

        Raises:
            UserError: that is impossible; nothing is left running.
            Cancelled: cancelled meanwhile.
        """
        try:
            self._open()
        except BaseException as error:
            self.session.close(self._status(type(error)), str(error) or type(error).__name__)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.session.close(self._status(kind), str(error) if isinstance(error, UserError) else None)

    @property
    def manifest(self) -> RunManifest:
        """The manifest of the run."""
        if self._manifest is None:
            raise RuntimeError("the transcriber was not entered")
        return self.session.manifest or self._manifest

    def outcomes(self) -> Iterator[RecordingOutcome]:
        """Decode what is in the queue, also what is added meanwhile; a failed recording never stops the
        others.
        """
        while (item := self.queue.take()) is not None:
            yield self.transcribe(item)

    def transcribe(self, item: QueuedRecording) -> RecordingOutcome:
        """Decode one recording; whatever goes wrong with it is in the outcome."""
        error: UserError | None = None
        cancelled = False
        try:
            self._decode_recording(item)
        except UserError as user_error:
            error = user_error
        except Cancelled:
            cancelled = True
        except Exception as surprise:  # noqa: BLE001  (one recording's surprise must not stop the others)
            error = unexpected(f"Decoding {shown_name(item.path)}", surprise)
        if error is not None:
            log_failed(self.log, item.name, error)
        elif cancelled:
            self.log.host(host_events.RecordingCancelled(t=now_ns(), recording=item.name))
        self._statuses.append(error is None and not cancelled)
        return RecordingOutcome(
            item.name,
            item.path,
            self.transcript(item.name) if error is None and not cancelled else None,
            error,
            cancelled,
            tuple(self.log.fold.recordings[item.name].warnings),
        )

    def transcript(self, recording: str) -> Transcript:
        """The transcript of a recording as far as it is decoded."""
        return transcript_of(self.log.fold, recording, self.manifest)

    def _open(self) -> None:
        session, settings = self.session, self._settings
        target = session.find_model(settings.target, "target")
        drafter = (
            session.find_model(settings.drafter, "drafter")
            if settings.drafter is not None and self._drafts
            else None
        )
        self._language_asked = language_to_ask(target, settings.language, settings.task)
        threads = TargetThreads.chosen(session.device, settings.threads, settings.shared_threads)
        session.open()
        check_known(self._method, session.hello.methods)
        self._budget = 0 if not self._drafts else DEFAULT_BUDGET
        if self._asked_budget is not None:
            self._budget = self._asked_budget
        elif drafter is not None:
            key = BudgetKey(
                target=target.digest,
                drafter=drafter.digest,
                threads=threads.alone,
                cpu=session.description.cpu,
            )
            chosen = session.profile.budget(key)
            self._budget = chosen.budget if chosen is not None else self._budget
        recordings = [
            RecordingUsed(recording=item.name, audio=shown_path(item.path)) for item in self.queue.waiting()
        ]
        session.begin_run(self._command, target, drafter, self._recorded_settings(threads), recordings)
        self._manifest = session.manifest
        session.load_target(_TARGET, target, threads)
        self._cancel.check()
        if drafter is not None:
            session.load_drafter(_DRAFTER, drafter)
        self._drafter = _DRAFTER if drafter is not None else None
        self.drafter = drafter

    def _recorded_settings(self, threads: TargetThreads) -> dict[str, JsonValue]:
        settings = self._settings.model_copy(
            update={
                "method": self._method,
                "budget": self._budget,
                "threads": threads.alone,
                "shared_threads": threads.shared,
            }
        )
        return settings.model_dump(mode="json")

    def _decode_recording(self, item: QueuedRecording) -> None:
        item.cancel.check()
        language = self._language_asked
        with open_recording(item.path) as recording:
            log_opened(self.log, item.name, recording)
            if language is not None:
                self._language(item.name, language, None, None)
            for window in recording.windows(self._progress_of(item.name), item.cancel):
                result = self._decode_window(item, window, language)
                if result is not None and language is None:
                    language = result.language
                    self._language(item.name, language, result.language_probability, result.window)
            for message in recording.warnings:
                self.log.host(host_events.RecordingWarned(t=now_ns(), recording=item.name, message=message))
            item.cancel.check()
            log_done(self.log, item.name, recording)

    def _decode_window(
        self, item: QueuedRecording, window: AudioWindow, language: str | None
    ) -> Result | None:
        """The result of a window; None: it holds no speech. A helper that dies gets one more try; a device
        whose connection breaks is waited for.
        """
        name = log_window(self.log, item.name, window)
        if not window.speech:
            return None
        deaths = losses = 0
        while True:
            item.cancel.check()
            try:
                if not self.session.engine.alive:
                    self.session.restart(item.cancel)
                return self._ask(f"{name}.p{deaths + losses + 1}", name, window, language, item.cancel)
            except ConnectionLost:
                losses += 1
                if losses == _MOST_LOSSES:
                    raise
            except HelperDied:
                deaths += 1
                item.cancel.check()
                if deaths == _MOST_DEATHS:
                    raise

    def _ask(
        self, preparation: str, name: str, window: AudioWindow, language: str | None, cancel: CancelToken
    ) -> Result:
        engine, settings = self.session.engine, self._settings
        engine.prepare(
            Prepare(
                window=preparation,
                target=_TARGET,
                drafter=self._drafter,
                audio=None,
                start_condition=settings.start_condition,
                language=language,
                task=settings.task,
            ),
            name,
            window.pcm,
        )
        request = f"{preparation}.r1"
        op = Request(
            request=request,
            window=preparation,
            method=self._method,
            budget=self._budget,
            admission=settings.admission,
            task=settings.task,
            language=language,
            words=settings.words,
            audit=settings.audit,
            producer_done=False,
        )
        sent = host_events.RequestSent(
            t=now_ns(), request=request, preparation=preparation, task=settings.task
        )
        try:
            result = engine.request(op, sent, cancel)
        except (Cancelled, HelperRefused):  # an interrupt leaves at once, without this courtesy
            engine.release(preparation)
            raise
        # A helper that dies here has said all that was asked of it: the next window starts another.
        with suppress(HelperDied):
            engine.release(preparation)
        return result

    def _language(self, name: str, language: str, probability: float | None, window: str | None) -> None:
        self.log.host(
            host_events.RecordingLanguage(
                t=now_ns(), recording=name, language=language, probability=probability, window=window
            )
        )

    def _progress_of(self, name: str) -> _ReadProgress:
        return _ReadProgress(self.log, name)

    def _status(self, kind: type[BaseException] | None) -> host_events.RunStatus:
        if kind is not None and issubclass(kind, Cancelled):
            return "cancelled"
        if kind is not None:
            return "failed" if issubclass(kind, Exception) else "interrupted"
        if self._cancel():
            return "cancelled"
        if all(self._statuses):
            return "done"
        return "partial" if any(self._statuses) else "failed"


class _ReadProgress:
    """Says how much of a recording was read, at most twice a second."""

    def __init__(self, log: RunLog, name: str) -> None:
        self._log = log
        self._name = name
        self._next = 0.0

    def __call__(self, seconds: float) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _PROGRESS_SECONDS
            self._log.host(host_events.RecordingProgress(t=now_ns(), recording=self._name, read_s=seconds))
