"""Recordings in, transcripts out: the one service behind the command line and the window."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Self

from as2d.backend.audio import open_recording
from as2d.backend.devices.device import Device
from as2d.backend.errors import UserError
from as2d.backend.export.transcript import Transcript, transcript_of
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol import host_events
from as2d.backend.protocol.message import now_ns
from as2d.backend.runs.manifest import RunManifest
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.decoder import DecodeChoice, Decoder, model_choice, open_decoder
from as2d.backend.transcribe.idling import stay_idle
from as2d.backend.transcribe.loaded_helper import LoadedHelper
from as2d.backend.transcribe.outcome import RecordingOutcome, unexpected
from as2d.backend.transcribe.queue import QueuedRecording, RecordingQueue
from as2d.backend.transcribe.reading import log_done, log_failed, log_opened, spoken_windows
from as2d.backend.transcribe.ready import ModelChoice, ReadyModels
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.settings import TranscribeSettings
from as2d.backend.transcribe.window_work import WindowWork

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
        idle_seconds: float = 0.0,
        ready: ReadyModels | None = None,
    ) -> None:
        """Check the settings. Without a `device` this computer decodes. `idle_seconds`: the device does
        nothing for so long before it decodes, so that its idle power is known. `ready`, on this computer:
        models that are loaded, and where they stay loaded behind a run that was done.

        Raises:
            WrongUse: there is no such method or budget, or they contradict each other.
            HelperFailed: the helper program is missing.
        """
        self._choice = DecodeChoice(settings)
        self._command = command
        self._cancel = cancel or CancelToken()
        self._interrupted = False
        self._statuses: list[bool] = []
        self.log = RunLog(observers)
        self.queue = RecordingQueue(self.log, self._cancel)
        self.session = Session(self.log, self._cancel, device)
        self._decoder: Decoder | None = None
        self._idle_seconds = idle_seconds
        self._ready = ready

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
        status = self._status(kind)
        try:
            if status in ("done", "partial"):
                self._keep_models()
        finally:
            self.session.close(status, str(error) if isinstance(error, UserError) else None)

    @property
    def manifest(self) -> RunManifest:
        """The manifest of the run."""
        return self.session.manifest or self.decoder.manifest

    @property
    def decoder(self) -> Decoder:
        """The models that decode."""
        if self._decoder is None:
            raise RuntimeError("the transcriber was not entered")
        return self._decoder

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
            self.session.use(item.used)
            self._decode_recording(item)
        except UserError as user_error:
            error = user_error
        except Cancelled:
            cancelled = True
        except Exception as surprise:  # noqa: BLE001  (one recording's surprise must not stop the others)
            error = unexpected(f"Decoding {item.found.shown}", surprise)
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

    def interrupt(self) -> None:
        """Cancel everything because the program ends; the run is kept as an interrupted one."""
        self._interrupted = True
        self._cancel.cancel()
        self.session.engine.end_soon()

    def transcript(self, recording: str) -> Transcript:
        """The transcript of a recording as far as it is decoded."""
        return transcript_of(self.log.fold, recording, self.manifest)

    def _open(self) -> None:
        recordings = [item.used for item in self.queue.waiting()]
        self._decoder = open_decoder(
            self.session, self._choice, self._command, recordings, record=True, ready=self._take_ready()
        )
        if self._idle_seconds > 0:
            stay_idle(self._idle_seconds, self.session.progress, self._cancel)

    def _take_ready(self) -> Callable[[ModelChoice], LoadedHelper | None] | None:
        ready = self._ready
        return (lambda models: ready.take(models, self._cancel)) if ready is not None else None

    def _keep_models(self) -> None:
        """Leave the helper to the next run; one that this run has changed nothing about but its windows."""
        if self._ready is not None and self.session.engine.alive:
            target, drafter = self.decoder.target, self.decoder.drafter
            models = model_choice(self.session.device, self._choice.settings, target, drafter)
            self._ready.keep(models, self.session.engine.hand_over())

    def _decode_recording(self, item: QueuedRecording) -> None:
        item.cancel.check()
        language = self.decoder.language
        with open_recording(item.path, item.found.shown) as recording:
            log_opened(self.log, item.name, recording)
            if language is not None:
                self._language(item.name, language, None, None)
            spoken = spoken_windows(self.log, item, recording, self._progress_of(item.name))
            with WindowWork(self.session, self.decoder, spoken, item.cancel) as work:
                for window in work:
                    result = work.decode(window, language)
                    if language is None:
                        language = result.language
                        self._language(item.name, language, result.language_probability, result.window)
            for message in recording.warnings:
                self.log.host(host_events.RecordingWarned(t=now_ns(), recording=item.name, message=message))
            item.cancel.check()
            log_done(self.log, item.name, recording)

    def _language(self, name: str, language: str, probability: float | None, window: str | None) -> None:
        self.log.host(
            host_events.RecordingLanguage(
                t=now_ns(), recording=name, language=language, probability=probability, window=window
            )
        )

    def _progress_of(self, name: str) -> _ReadProgress:
        return _ReadProgress(self.log, name)

    def _status(self, kind: type[BaseException] | None) -> host_events.RunStatus:
        if self._interrupted:  # whatever ended then, down to the helper
            return "interrupted"
        if self._cancel() if kind is None else issubclass(kind, Cancelled):
            return "cancelled"
        if kind is not None:
            return "failed" if issubclass(kind, Exception) else "interrupted"
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
