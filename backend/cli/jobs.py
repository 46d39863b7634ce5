"""What phones do on their own: sending it, `as2d jobs` and `as2d collect`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.audio.folders import FoundRecording, told_apart
from as2d.backend.audio.names import shown_name
from as2d.backend.cli.console import emit, say, table
from as2d.backend.cli.device_option import require_phone
from as2d.backend.cli.inputs import refuse_missing
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import AdbServerOption, OutputDirOption, OverwriteTextsOption, TextFormatOption
from as2d.backend.cli.progress import EventProgress
from as2d.backend.cli.transcripts import check_outputs, give
from as2d.backend.devices.adb.connection import TransportLost
from as2d.backend.devices.device import JobDevice, JobState
from as2d.backend.errors import HelperFailed, InputRefused, UserError, WrongUse
from as2d.backend.export.formats import Format
from as2d.backend.export.output_files import OutputFolder
from as2d.backend.jobs.collecting import Collected, collect
from as2d.backend.jobs.job import Job, JobStore
from as2d.backend.jobs.sending import JobSender
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.methods import parse_method
from as2d.backend.transcribe.settings import TranscribeSettings
from as2d.backend.words import counted

_LOOK_SECONDS = 2.0
_ON_A_PHONE = "A job is on a phone"


def send_detached(
    settings: TranscribeSettings,
    phone: JobDevice,
    recordings: Sequence[FoundRecording],
    lease_seconds: int,
    progress: EventProgress,
) -> None:
    """Send a job to a phone and say how to collect it."""
    refused = refuse_missing(recordings)
    recordings = [recording for recording in recordings if recording.path not in refused]
    if not recordings:
        raise typer.Exit(InputRefused.exit_code)
    announce_installation(
        [settings.target, settings.drafter if parse_method(settings.method).drafts else None]
    )
    with progress:
        sent = JobSender(settings, phone, observers=[progress]).send(recordings, lease_seconds)
    for error in sent.refused:
        say(f"Error: {error.message}")
    say(
        f"The phone {sent.job.device_label} works on {counted(len(sent.job.windows), 'window')} by itself; "
        f"it may be unplugged. Fetch what it did with: as2d collect {sent.job.job}"
    )
    emit(f"{sent.job.job}\n")
    if refused or sent.refused:
        raise typer.Exit(InputRefused.exit_code)


def jobs(
    forget: Annotated[
        str | None, typer.Option("--forget", help="Forget a job here, without a look at its phone.")
    ] = None,
    adb_server: AdbServerOption = None,
) -> None:
    """List the jobs that phones work on, and how far those are that are connected."""
    store = JobStore()
    if forget is not None:
        store.require(forget)
        store.forget(forget)
    found, unreadable = store.all(), store.unreadable()
    if not found and not unreadable:
        say("No phone works on its own; `as2d transcribe --device PHONE --detached FILE` sends a job.")
        return
    rows: list[list[str]] = []
    unreached: list[str] = []
    for job in found:
        try:
            state = _progress(job, adb_server)
        except UserError as problem:
            state = "out of reach"
            unreached.append(f"Job {job.job} cannot be looked at now: {problem.message}")
        rows.append([job.job, job.device_label, job.created, str(len(job.windows)), state])
    if rows:
        emit(table(("job", "phone", "sent", "windows", "state"), rows, right=(3,)))
    for sentence in unreached:
        say(sentence)
    for error in unreadable:
        say(f"Error: {error.message}")
    if unreadable:
        raise typer.Exit(InputRefused.exit_code)


def collect_job(
    job: Annotated[
        str | None,
        typer.Argument(metavar="JOB", help="The job, as `as2d jobs` lists it; default: the only one."),
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until the phone has done everything.")] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="End a job that is not done, and take what there is.")
    ] = False,
    form: TextFormatOption = "txt",
    output_dir: OutputDirOption = None,
    overwrite: OverwriteTextsOption = False,
    adb_server: AdbServerOption = None,
) -> None:
    """Fetch what a phone has transcribed on its own, as a run like any other."""
    found = _job_named(job)
    check_outputs(form, output_dir, len(found.after))
    paths = [Path(used.audio) for used in found.manifest.recordings]
    folder = OutputFolder(output_dir, overwrite=overwrite, kept=paths) if output_dir is not None else None
    device = require_phone(found.device, _ON_A_PHONE, adb_server, decodes=False)
    cancel = CancelToken()
    with EventProgress() as progress:
        state = _await_end(found, device, progress, cancel, wait=wait)
        if state.running and not stop:
            raise HelperFailed(
                f"The phone {found.device_label} has done {state.results} of "
                f"{counted(len(found.windows), 'window')} and goes on; come back later, wait with --wait, or "
                "take what there is with --stop."
            )
        collected = collect(found, device, [progress], cancel)
    _report(found, collected, form, folder)


def _report(job: Job, collected: Collected, form: Format, folder: OutputFolder | None) -> None:
    recordings = job.manifest.recordings
    named = [FoundRecording.stored(used.audio, used.within) for used in recordings]
    for used, found, name in zip(recordings, named, told_apart(named), strict=True):
        transcript = collected.transcripts.get(used.recording)
        if transcript is not None:
            give(transcript, found, name, form, folder, several=len(recordings) > 1)
    for failure in collected.failures:
        say(f"Error: {failure}")
    done = f"{len(collected.transcripts)} of {counted(len(job.manifest.recordings), 'recording')}"
    say(f"{done}; run {shown_name(collected.run_folder)}.")
    if collected.left_behind:
        say(
            f"Warning: {job.device_label} was lost before the job's files there were deleted; "
            "`as2d phone clean --jobs` deletes them."
        )
    if collected.failures:
        raise typer.Exit(InputRefused.exit_code)


def _await_end(
    job: Job, device: JobDevice, progress: EventProgress, cancel: CancelToken, *, wait: bool
) -> JobState:
    """The job's state, with `wait` once it has ended; then a phone that is away is waited for."""
    resting = threading.Event()
    told = -1
    while True:
        try:
            state = device.job_state(job.job, cancel)
        except TransportLost:
            if not wait:
                raise
            device.wait_until_back(progress.step, cancel)
            continue
        if state is None:
            raise HelperFailed(
                f"The phone {job.device_label} does not know the job {job.job} any more, as after "
                "`as2d phone clean`; transcribe the recordings again, and forget the job with "
                f"`as2d jobs --forget {job.job}`."
            )
        if not wait or not state.running:
            return state
        if state.results != told:
            told = state.results
            say(f"{told} of {counted(len(job.windows), 'window')} …")
        resting.wait(_LOOK_SECONDS)


def _job_named(name: str | None) -> Job:
    store = JobStore()
    if name is not None:
        return store.find(name)
    found = store.all()
    if len(found) != 1:
        count = "no job" if not found else f"{len(found)} jobs"
        raise WrongUse(f"There {'is' if not found else 'are'} {count}; name one, `as2d jobs` lists them.")
    return found[0]


def _progress(job: Job, adb_server: str | None) -> str:
    """How far a job is, in words; nothing is put on its phone for this.

    Raises:
        UserError: the phone is out of reach; says why.
    """
    phone = require_phone(job.device, _ON_A_PHONE, adb_server, decodes=False)
    state = phone.job_state(job.job, CancelToken())
    if state is None:
        return "gone from the phone"
    done = f"{state.results} done"
    awake = ", kept awake" if state.awake else ""
    return f"running, {done}{awake}" if state.running else f"ended, {done}"
