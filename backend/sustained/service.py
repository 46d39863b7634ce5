"""Decoding for minutes to hours: one or two methods by turns over the same recordings, again and again.

What is faster in the first minute is not always faster when the device is hot. So both methods decode every
window one right after the other, each beginning every other round.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from as2d.backend.audio import AudioWindow, open_recording
from as2d.backend.bench.arm_engine import ArmEngine, ArmModels, Asked
from as2d.backend.bench.arms import Arm, ArmThreads
from as2d.backend.devices.device import Device
from as2d.backend.errors import InputRefused, UserError, WrongUse
from as2d.backend.helper.endings import HelperDied
from as2d.backend.protocol.decode_events import Result
from as2d.backend.runs.manifest import RecordingUsed, RunManifest, shown_path
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.decoder import DecodeChoice, budget_for
from as2d.backend.transcribe.ending import closing_session
from as2d.backend.transcribe.queue import QueuedRecording, RecordingQueue
from as2d.backend.transcribe.reading import log_failed, speech_windows
from as2d.backend.transcribe.resolve import language_to_ask
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.settings import TranscribeSettings
from as2d.backend.transcribe.threads import TargetThreads
from as2d.backend.transcribe.tries import despite_deaths

LONG_RUN = "long-run"
"""The command in the manifest of such a run."""

MOST_METHODS = 2
MOST_MINUTES = 24 * 60


@dataclass(frozen=True)
class LongRunChoices:
    """What is decoded, and for how long; `methods` take the place of the method in `settings`."""

    settings: TranscribeSettings
    methods: tuple[str, ...]
    recordings: Sequence[Path]
    minutes: float
    device: Device | None = None

    def decode_choices(self) -> list[DecodeChoice]:
        """The methods, checked.

        Raises:
            WrongUse: there are none or too many of them, one is twice among them or is none, or the time is
                none.
        """
        names = [method.strip() for method in self.methods]
        if not 1 <= len(set(names)) == len(names) <= MOST_METHODS:
            raise WrongUse("A long run takes one method, or two different ones.")
        if not 0 < self.minutes <= MOST_MINUTES:
            raise WrongUse(f"A long run takes up to {MOST_MINUTES} minutes, not {self.minutes:g}.")
        if not self.recordings:
            raise WrongUse("A long run needs at least one recording, which is decoded again and again.")
        found = []
        for name in names:
            alone = name == "target-only"
            changed: dict[str, JsonValue] = {"method": name} | ({"budget": None} if alone else {})
            found.append(DecodeChoice(self.settings.model_copy(update=changed)))
        if self.settings.drafter is None and any(choice.drafts for choice in found):
            raise WrongUse(f"The method {names[-1]} needs a drafter; name one.")
        return found


@dataclass
class LongRunReport:
    """What is left of a long run; `rounds`: how often every method decoded a window."""

    manifest: RunManifest | None = None
    run_folder: Path | None = None
    storage_problem: UserError | None = None
    refused: list[UserError] = field(default_factory=list)
    rounds: int = 0


def run_long(
    choices: LongRunChoices,
    observers: Sequence[Observer] = (),
    cancel: CancelToken | None = None,
    report: LongRunReport | None = None,
) -> LongRunReport:
    """Decode until the minutes are over, in one recorded run. They count from the first decode that counts:
    each method's very first one is a warm-up. `report` is filled whatever the end is.

    Raises:
        UserError: the choices contradict each other, a model cannot be had, every recording was refused, or
            the device failed.
        Cancelled: the end was asked for; the run keeps what was decoded until then.
    """
    methods = choices.decode_choices()
    cancel = cancel or CancelToken()
    session = Session(RunLog(observers), cancel, choices.device)
    report = report if report is not None else LongRunReport()
    try:
        with closing_session(session) as ending:
            _LongRun(choices, methods, session, cancel, report).run()
            ending.status = "partial" if report.refused else "done"
    finally:
        report.manifest = session.manifest
        report.run_folder = session.run_folder
        report.storage_problem = session.storage_problem
    return report


class _LongRun:
    """One long run: its recordings, arms and models."""

    def __init__(
        self,
        choices: LongRunChoices,
        methods: Sequence[DecodeChoice],
        session: Session,
        cancel: CancelToken,
        report: LongRunReport,
    ) -> None:
        self._choices = choices
        self._methods = methods
        self._session = session
        self._cancel = cancel
        self._report = report
        self._end: float | None = None
        self._count = 0
        self._languages: dict[str, str] = {}

    def run(self) -> None:
        settings, session = self._choices.settings, self._session
        drafts = any(method.drafts for method in self._methods)
        self._engine = ArmEngine.start(
            session,
            settings.target,
            [settings.drafter] if drafts and settings.drafter else [],
            self._arms,
            self._begin,
        )
        queue = RecordingQueue(session.log, self._cancel)
        items = []
        for path in self._choices.recordings:
            items.append(queue.add(path))
            queue.take()
        self._repeat(items)

    def _arms(self, models: ArmModels) -> list[Arm]:
        settings, device = self._choices.settings, self._session.device
        threads = TargetThreads.chosen(device, settings.threads, settings.shared_threads)
        return [self._arm(method, threads, models) for method in self._methods]

    def _arm(self, method: DecodeChoice, threads: TargetThreads, models: ArmModels) -> Arm:
        session, settings = self._session, method.settings
        default = session.device.default_threads()
        budget = budget_for(session, method, models.target, models.drafter, threads)
        return Arm(
            method.method,
            budget if method.drafts else 0,
            settings.admission,
            settings.start_condition if method.drafts else "request-start",
            ArmThreads(threads.alone, threads.shared, default),
            confidence=settings.confidence if method.method == "specasr" else None,
            patience=settings.patience if method.method == "as2d-resync" else None,
        )

    def _begin(self, models: ArmModels, arms: Sequence[Arm]) -> None:
        settings: dict[str, JsonValue] = {
            "method": ",".join(arm.method for arm in arms),
            "arms": [arm.label for arm in arms],
            "minutes": self._choices.minutes,
            "language": self._choices.settings.language,
            "task": self._choices.settings.task,
        }
        used = [
            RecordingUsed(recording=f"a{number}", audio=shown_path(path))
            for number, path in enumerate(self._choices.recordings, start=1)
        ]
        described = self._session.describe_run(LONG_RUN, models.target, models.drafter, settings, used)
        self._session.begin_run(described)

    def _repeat(self, items: list[QueuedRecording]) -> None:
        """Decode the recordings in turn until the time is over; one that cannot be read is left out."""
        repeat = 0
        while items and not self._is_over():
            decoded = self._report.rounds
            for item in list(items):
                try:
                    self._decode_recording(item, repeat)
                except InputRefused as error:
                    log_failed(self._session.log, item.name, error)
                    self._report.refused.append(error)
                    items.remove(item)
                if self._is_over():
                    return
            if decoded == self._report.rounds and items:
                raise InputRefused("There is no speech in any of the recordings; add one with speech.")
            repeat += 1
        if not items:
            raise self._report.refused[0]

    def _decode_recording(self, item: QueuedRecording, repeat: int) -> None:
        if repeat == 0:  # the stream is told once how the recording is cut
            for name, window in speech_windows(self._session.log, item):
                self._decode_window(item, name, window, repeat)
                if self._is_over():
                    return
            return
        with open_recording(item.path) as recording:
            for window in recording.windows(cancelled=item.cancel):
                if not window.speech:
                    continue
                self._decode_window(item, f"{item.name}.w{window.index + 1}", window, repeat)
                if self._is_over():
                    return
        item.cancel.check()  # reading ends early without a word

    def _decode_window(self, item: QueuedRecording, name: str, window: AudioWindow, repeat: int) -> None:
        """Every arm decodes it once; each begins every other round."""
        arms = self._engine.arms
        if self._end is None:
            for arm in arms:
                self._decode(item, name, window, arm, repeat=None)
            self._end = time.monotonic() + 60 * self._choices.minutes
        turn = self._report.rounds % len(arms)
        for arm in (*arms[turn:], *arms[:turn]):
            self._decode(item, name, window, arm, repeat=repeat)
        self._report.rounds += 1
        self._session.log.forget_older(name)

    def _decode(
        self, item: QueuedRecording, name: str, window: AudioWindow, arm: Arm, *, repeat: int | None
    ) -> None:
        result = despite_deaths(
            self._session, self._cancel, lambda _: self._ask(item, name, window, arm, repeat)
        )
        self._languages.setdefault(item.name, result.language)

    def _ask(
        self, item: QueuedRecording, name: str, window: AudioWindow, arm: Arm, repeat: int | None
    ) -> Result:
        self._count += 1
        preparation = f"{name}.p{self._count}"
        settings, engine = self._choices.settings, self._engine
        language = self._languages.get(item.name) or language_to_ask(
            engine.models.target, settings.language, settings.task
        )
        engine.prepare(arm, preparation, name, window.pcm, language, task=settings.task)
        asked = Asked(repeat or 0, warm_up=repeat is None)
        try:
            return engine.decode(
                arm,
                f"{preparation}.r1",
                preparation,
                language,
                asked,
                self._cancel,
                producer_done=False,
                task=settings.task,
            )
        finally:
            with suppress(HelperDied):  # the next decode starts another
                self._session.engine.release(preparation)

    def _is_over(self) -> bool:
        return self._end is not None and time.monotonic() >= self._end
