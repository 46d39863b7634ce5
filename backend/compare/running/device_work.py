"""A device's part of a comparison: target by target, recording by recording, window by window."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing

from as2d.backend.audio import AudioWindow, Recording, open_recording
from as2d.backend.bench.arm_engine import ArmEngine, ArmModels
from as2d.backend.bench.arms import Arm, ArmThreads
from as2d.backend.compare.running.cells import cells_a_window, cells_of_window, recording_key
from as2d.backend.compare.running.described import of_plan, plan_settings
from as2d.backend.compare.running.gate import PhoneGate
from as2d.backend.compare.running.journal import RunBegun, ThreadsChosen
from as2d.backend.compare.running.planned import PlannedRecording, noted_recordings, planned_recordings
from as2d.backend.compare.running.shared import REQUESTS_A_RUN, Surroundings
from as2d.backend.compare.running.window_work import WindowWork
from as2d.backend.devices.device import Device
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.protocol import host_events
from as2d.backend.protocol.message import now_ns
from as2d.backend.runs.manifest import RecordingUsed, RunManifest, shown_path
from as2d.backend.transcribe.ending import closing_session
from as2d.backend.transcribe.following import Following
from as2d.backend.transcribe.reading import SpokenWindow, log_done, log_opened, log_window
from as2d.backend.transcribe.resolve import language_of_item
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session

_Spoken = tuple[int, AudioWindow, Recording]
"""A window with speech, counted from 0, of an open recording."""


class DeviceWork:
    """One device's part. `refused` are recordings that could be read before and can no more."""

    def __init__(
        self, around: Surroundings, name: str, device: Device, observers: Sequence[Observer]
    ) -> None:
        self._around = around
        self._name = name
        self._device = device
        self._observers = observers
        self.session: Session | None = None
        self.refused: list[UserError] = []

    def run(self) -> None:
        """Run every cell that is left.

        Raises:
            UserError: the device cannot go on; what is done is in the journal.
            Cancelled: the end was asked for.
        """
        for target in self._around.plan.targets:
            if self._left(target):
                self._target(target)

    def end_soon(self) -> None:
        """From any thread, after a cancellation: what the helper still does is not waited for."""
        if self.session is not None:
            self.session.engine.end_soon()

    def _left(self, target: str) -> bool:
        around = self._around
        each = cells_a_window(around.plan)
        return any(
            around.journal.done_of(recording_key(self._name, target, read.recording)) < each * read.windows
            for read in around.journal.present()
        )

    def _target(self, target: str) -> None:
        around = self._around
        gate = PhoneGate(around.plan.gate, self._name)
        log = RunLog([*self._observers, gate])
        session = Session(log, around.cancel, self._device)
        self.session = session
        with closing_session(session):
            TargetWork(around, self._name, target, session, gate, self.refused).run()
        if session.storage_problem is not None:
            raise session.storage_problem


class TargetWork:
    """The cells of one target on one device."""

    def __init__(
        self,
        around: Surroundings,
        device: str,
        target: str,
        session: Session,
        gate: PhoneGate,
        refused: list[UserError],
    ) -> None:
        self._around = around
        self._device = device
        self._target_name = target
        self._session = session
        self._gate = gate
        self._refused = refused
        self._announced: str | None = None
        self._told: tuple[int, str] | None = None
        self._read: Recording | None = None

    def run(self) -> None:
        """Load the models, begin the run and decode every cell that is left; as `DeviceWork.run`."""
        around, session = self._around, self._session
        around.tell("preparing", "start the helper")
        self._engine = ArmEngine.start(
            session,
            self._target_name,
            around.plan.drafters if any(arm.drafts for arm in around.plan.arms()) else (),
            lambda _: around.plan.arms(self._threads()),
            self._begin,
        )
        gate = self._gate if session.description.kind == "phone" else None
        self._windows = WindowWork(around, self._engine, gate)
        for planned in noted_recordings(planned_recordings(around.plan, around.base), around.journal):
            around.cancel.check()
            self._recording(planned)

    def _begin(self, models: ArmModels, arms: Sequence[Arm]) -> None:
        self._session.begin_run(self._manifest(models, arms))
        self._around.journal.note(RunBegun(run=self._session.run.manifest.run))
        self._around.tell("preparing", "load the models")

    def _threads(self) -> ArmThreads:
        """The threads that were chosen when the comparison began on this device, else now."""
        known = self._around.journal.threads.get(self._device)
        if known is None:
            asked, device = self._around.plan.threads, self._session.device
            target = asked.target or device.default_threads()
            known = ThreadsChosen(
                device=self._device,
                target=target,
                target_shared=min(asked.target_shared or device.default_shared_threads(target), target),
                drafter=asked.drafter or target,
                drafter_shared=asked.drafter_shared or 1,
            )
            self._around.journal.note(known)
        return ArmThreads(known.target, known.target_shared, known.drafter, known.drafter_shared)

    def _recording(self, planned: PlannedRecording) -> None:
        around = self._around
        key = recording_key(self._device, self._target_name, planned.name)
        each = cells_a_window(around.plan)
        if around.journal.done_of(key) >= each * around.journal.recordings[planned.name].windows:
            return
        language = language_of_item(
            self._engine.models.target, planned.item.language, around.plan.language
        ) or around.journal.language_of(key)
        self._announced = self._told = self._read = None
        with closing(self._windows_of(planned)) as windows:
            self._decode(planned, Following(windows), language)
        self._windows.ahead.forget()
        self._done()

    def _done(self) -> None:
        """Say that all windows of the recording are decoded, if any were."""
        if self._read is not None and self._announced is not None:
            log_done(self._session.log, self._announced, self._read)

    def _decode(self, planned: PlannedRecording, windows: Following[_Spoken], language: str | None) -> None:
        """Decode a recording's windows by the cells that are left."""
        around = self._around
        for spoken, window, recording in windows:
            cells = [
                cell
                for cell in cells_of_window(
                    around.plan, self._engine.arms, self._device, self._target_name, planned.name, spoken
                )
                if not around.journal.is_done(cell.key)
            ]
            if not cells:
                continue
            if self._windows.requests >= REQUESTS_A_RUN:
                self._windows.ahead.forget()
                self._next_run()
                self._announced = self._told = None
            self._announced = self._announced or self._announce(planned, recording, language)
            name = self._name_of(spoken, window)
            language = (
                self._windows.decode(name, window, cells, language, lambda: self._following(windows))
                or language
            )

    def _following(self, windows: Following[_Spoken]) -> SpokenWindow | None:
        """The window that comes next, of which the stream is told before its turn."""
        seen = windows.look()
        return None if seen is None else SpokenWindow(self._name_of(seen[0], seen[1]), seen[1])

    def _name_of(self, spoken: int, window: AudioWindow) -> str:
        """The window's name in the stream, which is told of it once."""
        if self._told is None or self._told[0] != spoken:
            assert self._announced is not None
            self._told = spoken, log_window(self._session.log, self._announced, window)
        return self._told[1]

    def _windows_of(self, planned: PlannedRecording) -> Generator[_Spoken, None, None]:
        """The windows with speech, counted from 0. A recording that can no longer be read, or is another than
        before, is refused and ends there; nothing else that fails meanwhile is taken for that.
        """
        around, spoken = self._around, 0
        before = around.journal.recordings[planned.name].windows
        try:
            with open_recording(planned.item.path) as recording:
                for window in recording.windows(cancelled=around.cancel):
                    if window.speech:
                        yield spoken, window, recording
                        spoken += 1
                around.cancel.check()
                self._read = recording
        except InputRefused as error:
            self._refused.append(error)
            return
        if spoken != before:
            self._refused.append(
                InputRefused(
                    f"{planned.item.path.name} changed since the comparison began: it had {before} "
                    f"windows with speech and has {spoken}; begin another comparison in a new folder."
                )
            )

    def _announce(self, planned: PlannedRecording, recording: Recording, language: str | None) -> str:
        name = f"a{planned.number}"
        audio, item, log = shown_path(planned.item.path), planned.item, self._session.log
        self._session.run.use(
            RecordingUsed(
                recording=name,
                audio=audio,
                corpus=item.corpus,
                reference=item.reference,
                language=item.language,
            )
        )
        log.host(host_events.RecordingQueued(t=now_ns(), recording=name, audio=audio))
        log_opened(log, name, recording)
        if language is not None:
            log.host(
                host_events.RecordingLanguage(
                    t=now_ns(), recording=name, language=language, probability=None, window=None
                )
            )
        return name

    def _next_run(self) -> None:
        self._session.next_run(self._manifest(self._engine.models, self._engine.arms))
        self._around.journal.note(RunBegun(run=self._session.run.manifest.run))
        self._windows.requests = 0

    def _manifest(self, models: ArmModels, arms: Sequence[Arm]) -> RunManifest:
        plan = self._around.plan
        manifest = self._session.describe_run(
            "compare", models.target, models.drafter, plan_settings(plan, arms), []
        )
        return of_plan(manifest, plan, self._around.journal.comparison, arms, list(models.drafters.values()))
