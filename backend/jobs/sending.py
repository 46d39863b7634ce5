"""A job for a phone: models, audio and ops are brought there, and the helper is left to work alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from as2d.backend.audio import AudioWindow, open_recording
from as2d.backend.audio.folders import FoundRecording
from as2d.backend.devices.device import JobDevice
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.jobs.job import Job, JobStore, JobWindow
from as2d.backend.jobs.removing import remove_files, remove_job
from as2d.backend.protocol import host_events
from as2d.backend.protocol.lines import RecordedEvent, to_line
from as2d.backend.protocol.message import now_ns
from as2d.backend.protocol.ops import Operation, Release
from as2d.backend.runs.store import new_run_id, utc_text
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.decoder import DecodeChoice, Decoder, open_decoder
from as2d.backend.transcribe.queue import QueuedRecording, RecordingQueue
from as2d.backend.transcribe.reading import log_opened, log_window
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.settings import TranscribeSettings
from as2d.backend.transcribe.window_file import window_file

DETACHED = "transcribe, detached"
"""The command that runs of jobs name."""


@dataclass
class _Written:
    """The job so far."""

    before: list[host_events.HostEvents] = field(default_factory=list)
    after: list[host_events.RecordingDone | host_events.RecordingFailed] = field(default_factory=list)
    windows: list[JobWindow] = field(default_factory=list)
    ops: list[bytes] = field(default_factory=list)
    files: list[str] = field(default_factory=list)

    def add(self, op: Operation) -> int:
        """Write an op; its number."""
        number = len(self.ops) + 1
        self.ops.append(to_line(op.model_copy(update={"id": number})))
        return number


@dataclass(frozen=True)
class SentJob:
    """A job that the device works on, and the recordings that were refused."""

    job: Job
    refused: tuple[UserError, ...]


class JobSender:
    """Makes one job of recordings and starts it on a device."""

    def __init__(
        self,
        settings: TranscribeSettings,
        device: JobDevice,
        *,
        observers: Sequence[Observer] = (),
        cancel: CancelToken | None = None,
    ) -> None:
        """Check the settings.

        Raises:
            WrongUse: there is no such method or budget, or they contradict each other.
        """
        # A job is a list of ops, each of which the phone does in its turn.
        self._choice = DecodeChoice(settings.model_copy(update={"prepare_ahead": False}))
        self._device = device
        self._cancel = cancel or CancelToken()
        self._written = _Written()
        self._log = RunLog([*observers, self._keep])
        self._log.record_into(None)
        self._session = Session(self._log, self._cancel, device)
        self._refused: list[UserError] = []

    def send(self, recordings: Sequence[FoundRecording], lease_seconds: int) -> SentJob:
        """Bring everything to the device and start the job there.

        The language of a recording for which none is asked is detected now, on its first window with speech.

        Raises:
            TransportLost: the device got lost. Where that was while the job started, it may run: it is kept
                to be collected.
            UserError: that is impossible; nothing of it is left on the device.
            Cancelled: cancelled meanwhile.
        """
        try:
            return self._send(recordings, lease_seconds)
        except BaseException:
            with suppress(UserError):
                remove_files(self._written.files, self._device, CancelToken())
            raise

    def _send(self, recordings: Sequence[FoundRecording], lease_seconds: int) -> SentJob:
        queue = RecordingQueue(self._log, self._cancel)
        for found in recordings:
            queue.add(found.path, found.within)
        used = [item.used for item in queue.waiting()]
        job = new_run_id(datetime.now(UTC))
        try:
            decoder = open_decoder(self._session, self._choice, DETACHED, used, record=False)
            for load in self._session.engine.loads:
                self._written.add(load)
            while (item := queue.take()) is not None:
                self._add_recording(item, decoder)
        finally:
            self._session.close("done")
        if not self._written.windows:
            raise (
                self._refused[0]
                if self._refused
                else InputRefused("There is no speech in these recordings, so there is nothing to send.")
            )
        kept = Job(
            job=job,
            device=self._device.id,
            device_label=self._device.describe().name,
            created=utc_text(datetime.now(UTC)),
            manifest=decoder.manifest,
            task=self._choice.settings.task,
            before=tuple(self._written.before),
            windows=tuple(self._written.windows),
            after=tuple(self._written.after),
            files=(),
        )
        return SentJob(self._start(kept, lease_seconds), tuple(self._refused))

    def _start(self, job: Job, lease_seconds: int) -> Job:
        with _file("job.jsonl", b"".join(self._written.ops)) as file:
            ops = self._device.place_file(file, self._session.progress, self._cancel)
        self._written.files.append(ops)
        job = job.model_copy(update={"files": tuple(self._written.files)})
        # Kept first: a job that runs and is not known here could not be collected.
        JobStore().keep(job)
        try:
            self._device.start_job(job.job, ops, lease_seconds, self._cancel)
        except BaseException:
            with suppress(UserError):
                remove_job(job, self._device, CancelToken())
                JobStore().forget(job.job)
            raise
        return job

    def _add_recording(self, item: QueuedRecording, decoder: Decoder) -> None:
        written = self._written
        marks = len(written.windows), len(written.ops)
        language = decoder.language
        try:
            with open_recording(item.path, item.found.shown) as recording:
                log_opened(self._log, item.name, recording)
                for window in recording.windows(cancelled=item.cancel):
                    name = log_window(self._log, item.name, window)
                    if not window.speech:
                        continue
                    if language is None:
                        language = self._detect(item.name, name, window, decoder)
                    self._add_window(item.name, name, window, language, decoder)
                for message in recording.warnings:
                    self._log.host(
                        host_events.RecordingWarned(t=now_ns(), recording=item.name, message=message)
                    )
                item.cancel.check()
                written.after.append(
                    host_events.RecordingDone(
                        t=now_ns(), recording=item.name, duration_s=recording.position_s
                    )
                )
        except InputRefused as error:
            del written.windows[marks[0] :], written.ops[marks[1] :]
            self._refused.append(error)
            written.after.append(
                host_events.RecordingFailed(
                    t=now_ns(), recording=item.name, message=error.message, exit_code=error.exit_code
                )
            )

    def _detect(self, recording: str, name: str, window: AudioWindow, decoder: Decoder) -> str:
        """The language of a window, which the target detects while the device is still connected."""
        preparation = f"{name}.language"
        engine = self._session.engine
        op = decoder.prepare(preparation, None).model_copy(update={"drafter": None})
        engine.prepare(op, name, window.pcm)
        found = self._log.fold.preparations[preparation]
        engine.release(preparation)
        if found.language is None:
            raise InputRefused(f"No language was detected in {name}; name it with --language.")
        self._log.host(
            host_events.RecordingLanguage(
                t=now_ns(),
                recording=recording,
                language=found.language,
                probability=found.language_probability,
                window=name,
            )
        )
        return found.language

    def _add_window(
        self, recording: str, name: str, window: AudioWindow, language: str, decoder: Decoder
    ) -> None:
        with window_file(window.pcm, "a window for the job") as wav:
            audio = self._device.place_file(wav, self._session.progress, self._cancel)
        written = self._written
        written.files.append(audio)
        preparation = f"{name}.p1"
        request = decoder.request(preparation, language)
        numbers = (
            written.add(decoder.prepare(preparation, language, audio=audio)),
            written.add(request),
            written.add(Release(window=preparation)),
        )
        written.windows.append(
            JobWindow(
                recording=recording,
                window=name,
                preparation=preparation,
                request=request.request,
                op_ids=numbers,
            )
        )

    def _keep(self, event: RecordedEvent) -> None:
        """An observer: what the run's stream will say of the recordings."""
        if isinstance(
            event,
            host_events.RecordingQueued
            | host_events.RecordingOpened
            | host_events.RecordingWarned
            | host_events.RecordingLanguage
            | host_events.WindowCut,
        ):
            self._written.before.append(event)


@contextmanager
def _file(name: str, content: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="as2d-") as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        yield path
