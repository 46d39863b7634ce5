"""What a phone has done on its own becomes a run like any other."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from as2d.backend.devices.device import JobDevice
from as2d.backend.errors import HelperFailed, UserError
from as2d.backend.export.transcript import Transcript, transcript_of
from as2d.backend.jobs.job import Job, JobStore, JobWindow
from as2d.backend.jobs.removing import remove_job
from as2d.backend.metrics.fold import RunFold
from as2d.backend.paths import runs_dir
from as2d.backend.protocol import host_events
from as2d.backend.protocol.events import Failed, Prepared, Warned
from as2d.backend.protocol.host_events import RunStatus
from as2d.backend.protocol.lines import parse_helper_event
from as2d.backend.protocol.message import HelperEvent, now_ns
from as2d.backend.runs.store import RunStore, new_run_id
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.run_log import Observer, RunLog

_LEASE_ENDED = "lease_ended"
"""The code of the helper's warning that it ended with its lease."""


@dataclass(frozen=True)
class Collected:
    """What came of a job: its run, the transcripts by recording, and the sentences about what failed.

    `left_behind`: the device was lost before the job's files there could be deleted.
    """

    run_folder: Path
    fold: RunFold
    transcripts: dict[str, Transcript]
    failures: tuple[str, ...]
    left_behind: bool = False


@dataclass
class _Reasons:
    """Why windows were not decoded: by recording, and for all that have no reason of their own."""

    of_recording: dict[str, str] = field(default_factory=dict)
    of_job: str = "the job ended before"

    def note(self, event: HelperEvent, by_number: dict[int, JobWindow]) -> None:
        """Take an event that may tell one."""
        if isinstance(event, Warned) and event.code == _LEASE_ENDED:
            self.of_job = "the job ended before, with its lease"
        elif isinstance(event, Failed) and event.re is not None:
            window = by_number.get(event.re)
            if window is not None:
                self.of_recording.setdefault(window.recording, event.message)
            else:  # a model could not be loaded
                self.of_job = event.message


def collect(
    job: Job, device: JobDevice, observers: Sequence[Observer] = (), cancel: CancelToken | None = None
) -> Collected:
    """End a job where it still runs, fetch what it has done, record that as a run, and take the job away
    from the device.

    Windows that it did not reach are named in the failures.

    Raises:
        UserError: the device is out of reach, or the run cannot be stored; the job stays there then.
        Cancelled: cancelled meanwhile; the job stays there.
    """
    cancel = cancel or CancelToken()
    with tempfile.TemporaryDirectory(prefix="as2d-") as folder:
        events = Path(folder) / "events.jsonl"
        device.stop_job(job.job, cancel)  # else what it does from here on would be lost
        device.fetch_events(job.job, events, cancel)
        cancel.check()
        collected = _record(job, events, observers)
    with suppress(UserError):  # another run on battery shows it again
        device.learn_battery(collected.fold.telemetry.battery, collected.fold.busy)
    JobStore().forget(job.job)
    try:
        remove_job(job, device, CancelToken())
    except UserError:
        return replace(collected, left_behind=True)
    return collected


def _record(job: Job, events: Path, observers: Sequence[Observer]) -> Collected:
    """Make the run: the host's events stand where they took effect on the device."""
    log = RunLog(observers)
    # A name of its own: a run of this job that could not be stored to its end may be there.
    manifest = job.manifest.model_copy(update={"run": new_run_id(datetime.now(UTC))})
    run = RunStore(runs_dir()).create(manifest)
    status: RunStatus = "interrupted"
    try:
        log.record_into(run.recorder)
        for event in job.before:
            log.host(event)
        failures = _conclude(job, log, _play(job, events, log))
        done = [state.status == "done" for state in log.fold.recordings.values()]
        status = "done" if all(done) else "partial" if any(done) else "failed"
    finally:
        run.finish(status, log.fold, None, log.ended)
    transcripts = {
        name: transcript_of(log.fold, name, run.manifest)
        for name, state in log.fold.recordings.items()
        if state.status == "done"
    }
    return Collected(run.folder, log.fold, transcripts, tuple(failures))


def _play(job: Job, events: Path, log: RunLog) -> _Reasons:
    """Pass the device's events on; what they tell of windows that were not decoded."""
    by_preparation = {window.preparation: window for window in job.windows}
    by_number = {number: window for window in job.windows for number in window.op_ids}
    begun: set[str] = set()
    reasons = _Reasons()
    with events.open("rb") as file:
        for line in file:
            if not line.endswith(b"\n"):  # the helper was killed while it wrote this
                break
            event = parse_helper_event(line)
            window = by_preparation.get(str(getattr(event, "window", "")))
            if window is not None and window.preparation not in begun:
                begun.add(window.preparation)
                log.host(
                    host_events.PrepareSent(t=now_ns(), window=window.window, preparation=window.preparation)
                )
            log.helper(line.rstrip(b"\n"), event)
            if isinstance(event, Prepared) and window is not None:
                log.host(_request_sent(job, window))
            reasons.note(event, by_number)
    return reasons


def _request_sent(job: Job, window: JobWindow) -> host_events.RequestSent:
    return host_events.RequestSent(
        t=now_ns(), request=window.request, preparation=window.preparation, task=job.task
    )


def _conclude(job: Job, log: RunLog, reasons: _Reasons) -> list[str]:
    """Say how each recording ended; the sentences about those that failed."""
    missing: dict[str, int] = {}
    for window in job.windows:
        request = log.fold.requests.get(window.request)
        if request is None or request.result is None:
            missing[window.recording] = missing.get(window.recording, 0) + 1
    failures = []
    for event in job.after:
        ended: host_events.RecordingDone | host_events.RecordingFailed = event
        name = log.fold.recordings[event.recording].audio
        if isinstance(event, host_events.RecordingDone) and event.recording in missing:
            count = sum(window.recording == event.recording for window in job.windows)
            reason = reasons.of_recording.get(event.recording, reasons.of_job)
            error: UserError = HelperFailed(
                f"{name}: {missing[event.recording]} of {count} windows were not decoded ({reason}); "
                "transcribe it again."
            )
            ended = host_events.RecordingFailed(
                t=now_ns(), recording=event.recording, message=error.message, exit_code=error.exit_code
            )
        if isinstance(ended, host_events.RecordingFailed):
            failures.append(ended.message)
        log.host(ended)
    return failures
