"""One benchmark from its choices to its summaries: behind `as2d bench`, `as2d demo`, and later the window."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from as2d.backend.bench.arm_engine import ArmEngine
from as2d.backend.bench.arms import Arm, rounds
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.decodes import unsteady_arms
from as2d.backend.bench.decoding import DecodingBench, DropTime
from as2d.backend.bench.summary import ArmSummary, summarise
from as2d.backend.devices.device import Device
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.models.store import InstalledModel
from as2d.backend.runs.manifest import RecordingUsed, RunManifest, shown_path
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.ending import closing_session
from as2d.backend.transcribe.queue import RecordingQueue
from as2d.backend.transcribe.reading import log_failed, speech_windows
from as2d.backend.transcribe.resolve import language_of_item
from as2d.backend.transcribe.run_log import Observer, RunLog
from as2d.backend.transcribe.session import Session


@dataclass(frozen=True)
class BenchChoices:
    """What to measure. `drop_repeats` 0: no drop-to-transcript times; `device` null: this computer."""

    arms: Sequence[Arm]
    recordings: Sequence[BenchRecording]
    repeats: int
    target: str
    drafter: str
    drop_repeats: int = 0
    command: str = "bench"
    device: Device | None = None


@dataclass(frozen=True)
class WindowOutput:
    """What the target wrote in a window, by the last arm that decoded it."""

    window: str
    language: str
    tokens: tuple[int, ...]
    text: str


@dataclass
class BenchReport:
    """What came out; `outputs` one a window with speech, in order; `unsteady` as `unsteady_arms`."""

    summaries: list[ArmSummary] = field(default_factory=list)
    refused: list[UserError] = field(default_factory=list)
    outputs: list[WindowOutput] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)
    manifest: RunManifest | None = None
    run_folder: str | None = None
    storage_problem: UserError | None = None
    target: InstalledModel | None = None
    drafter: InstalledModel | None = None


def run_bench(
    choices: BenchChoices, observers: Sequence[Observer] = (), cancel: CancelToken | None = None
) -> BenchReport:
    """Run a benchmark in one recorded run. A recording that is refused is left out and named in the report.

    Raises:
        UserError: a model cannot be had, a method is unknown to the helper, every recording was refused, or
            the helper failed.
        Cancelled: the end was asked for; the run keeps what was measured until then.
    """
    log = RunLog(observers)
    cancel = cancel or CancelToken()
    session = Session(log, cancel, choices.device)
    report = BenchReport()
    with closing_session(session) as ending:
        _run(choices, session, cancel, report)
        ending.status = "done" if not report.refused else "partial"
    report.manifest = session.manifest
    report.run_folder = str(session.run_folder) if session.run_folder is not None else None
    report.storage_problem = session.storage_problem
    return report


def _run(choices: BenchChoices, session: Session, cancel: CancelToken, report: BenchReport) -> None:
    queue = RecordingQueue(session.log, cancel)
    used = [
        RecordingUsed(
            recording=f"a{number}",
            audio=shown_path(recording.path),
            reference=recording.reference,
            language=recording.language,
        )
        for number, recording in enumerate(choices.recordings, start=1)
    ]
    engine = ArmEngine.start(
        session,
        choices.target,
        [choices.drafter] if any(arm.drafts for arm in choices.arms) else [],
        lambda _: choices.arms,
        lambda models, _: session.begin_run(
            session.describe_run(choices.command, models.target, models.drafter, _settings(choices), used)
        ),
    )
    report.target, report.drafter = engine.models.target, engine.models.drafter
    bench = DecodingBench(engine, cancel)
    first = True
    usable: list[BenchRecording] = []
    for recording in choices.recordings:
        item = queue.add(recording.path)
        queue.take()
        language = language_of_item(report.target, recording.language, recording.asked)
        try:
            for name, window in speech_windows(session.log, item):
                bench.compare(name, window, choices.repeats, language, first=first)
                first = False
            usable.append(recording)
        except InputRefused as error:
            log_failed(session.log, item.name, error)
            report.refused.append(error)
    if not usable:
        raise report.refused[0]
    drops = _drops(bench, choices, usable)
    fold = session.log.fold
    report.summaries = summarise(choices.arms, list(fold.finished_requests()), drops)
    report.unsteady = unsteady_arms(fold.finished_requests())
    for state in fold.windows.values():
        answered = state.answered()
        if answered is not None and answered.result is not None:
            result = answered.result
            report.outputs.append(WindowOutput(state.window, result.language, result.tokens, result.text))


def _drops(
    bench: DecodingBench, choices: BenchChoices, recordings: Sequence[BenchRecording]
) -> dict[str, float]:
    """Drop-to-transcript seconds by arm: the sum over recordings of the median over repeats, arms
    interleaved.
    """
    times: list[DropTime] = []
    for recording in recordings:
        for repeat, order in rounds(choices.arms, choices.drop_repeats):
            for arm in order:
                times.append(bench.drop(recording, arm, repeat))
    sums: dict[str, float] = {}
    for arm in choices.arms:
        for recording in recordings:
            mine = [t.seconds for t in times if t.arm == arm and t.recording == str(recording.path)]
            if mine:
                sums[arm.label] = sums.get(arm.label, 0.0) + statistics.median(mine)
    return sums


def _settings(choices: BenchChoices) -> dict[str, JsonValue]:
    return {
        "method": ",".join(dict.fromkeys(arm.method for arm in choices.arms)),
        "arms": [arm.label for arm in choices.arms],
        "repeats": choices.repeats,
        "drop_repeats": choices.drop_repeats,
    }
