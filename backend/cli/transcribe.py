"""`as2d transcribe`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.audio.folders import FoundRecording, told_apart
from as2d.backend.cli.console import number, say
from as2d.backend.cli.device_option import DeviceOption, device_of, require_phone
from as2d.backend.cli.inputs import refuse_missing, with_folders
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.jobs import send_detached
from as2d.backend.cli.options import (
    AdbServerOption,
    ConfidenceOption,
    OutputDirOption,
    OverwriteTextsOption,
    PatienceOption,
    TextFormatOption,
)
from as2d.backend.cli.progress import EventProgress
from as2d.backend.cli.transcripts import check_outputs, give
from as2d.backend.devices.this_computer import MOST_THREADS
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.export.formats import Format
from as2d.backend.export.output_files import OutputFolder
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import measure
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol.ops import Admission, StartCondition, Task
from as2d.backend.runs.manifest import shown_path
from as2d.backend.transcribe.drafting import NO_DRAFTER, no_drafting
from as2d.backend.transcribe.languages import language_code
from as2d.backend.transcribe.methods import LARGEST_BUDGET, parse_method
from as2d.backend.transcribe.outcome import RecordingOutcome
from as2d.backend.transcribe.service import Transcriber
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET, TranscribeSettings
from as2d.backend.words import counted


def transcribe(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Recordings of any format that can be decoded, or folders of them."
        ),
    ],
    method: Annotated[
        str, typer.Option(help="How to decode, such as as2d or target-only; sd:5 means sd with K = 5.")
    ] = "as2d",
    budget: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=LARGEST_BUDGET,
            help="Most candidates a target call; default: the device's profile, else 4.",
        ),
    ] = None,
    start_condition: Annotated[
        StartCondition,
        typer.Option(help="When drafting starts: with the request or, pre-drafted, with the audio."),
    ] = "pre-drafted",
    admission: Annotated[Admission, typer.Option(help="How drafts are aligned with the text.")] = "text",
    confidence: ConfidenceOption = None,
    patience: PatienceOption = None,
    target: Annotated[str, typer.Option(help="Target: a model's name or folder.")] = DEFAULT_TARGET,
    drafter: Annotated[
        str, typer.Option(help="Drafter: a model's name or folder, or 'none'.")
    ] = DEFAULT_DRAFTER,
    task: Annotated[Task, typer.Option(help="Transcribe, or translate into English.")] = "transcribe",
    language: Annotated[
        str | None, typer.Option(help="Language such as en or English; default: detected once a recording.")
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_THREADS, help="Threads of the target; default: the cores, at most 4."),
    ] = None,
    prepare_ahead: Annotated[
        bool | None,
        typer.Option(
            "--prepare-ahead/--no-prepare-ahead",
            help="Prepare a recording's next window while one is decoded; default: only on a computer with "
            "more than twice as many cores as the target has threads, so that decodes keep theirs.",
            show_default=False,
        ),
    ] = None,
    form: TextFormatOption = "txt",
    output_dir: OutputDirOption = None,
    overwrite: OverwriteTextsOption = False,
    audit: Annotated[
        bool, typer.Option("--audit", help="Decode each window target-only too and compare the tokens.")
    ] = False,
    idle_seconds: Annotated[
        float,
        typer.Option(min=0, max=600, help="Do nothing so long before decoding: what the device draws idle."),
    ] = 0.0,
    device: DeviceOption = None,
    adb_server: AdbServerOption = None,
    detached: Annotated[
        bool,
        typer.Option(
            "--detached",
            help="Let the phone work alone, unplugged if you like; `as2d collect` fetches what it did.",
        ),
    ] = False,
    lease_hours: Annotated[
        float,
        typer.Option(min=0.1, max=168, help="With --detached: the phone's helper ends after so long anyway."),
    ] = 12.0,
) -> None:
    """Transcribe recordings."""
    recordings, empty = with_folders(files)
    if not recordings:
        raise typer.Exit(InputRefused.exit_code)
    check_outputs(form, output_dir, len(recordings))
    settings = TranscribeSettings(
        method=method,
        budget=budget,
        admission=admission,
        confidence=confidence,
        patience=patience,
        start_condition=start_condition,
        target=target,
        drafter=None if drafter == "none" else drafter,
        task=task,
        language=language_code(language) if language is not None else None,
        threads=threads,
        audit=audit,
        prepare_ahead=prepare_ahead,
    )
    names = told_apart(recordings)
    progress = EventProgress(dict(zip((shown_path(found.path) for found in recordings), names, strict=True)))
    if detached:
        if idle_seconds > 0:
            raise WrongUse("--idle-seconds is for runs that this computer watches, not for --detached.")
        if output_dir is not None or overwrite or form != "txt":
            raise WrongUse(
                "--format, --output-dir and --overwrite are for `as2d collect`, which writes what a detached "
                "job did."
            )
        if prepare_ahead:
            raise WrongUse("--prepare-ahead is for runs that this computer watches, not for --detached.")
        phone = require_phone(device, "This computer does not work detached", adb_server)
        send_detached(settings, phone, recordings, round(lease_hours * 3600), progress)
        raise typer.Exit(InputRefused.exit_code if empty else 0)
    transcriber = Transcriber(
        settings,
        observers=[progress],
        device=device_of(device, adb_server),
        idle_seconds=idle_seconds,
    )
    refused = refuse_missing(recordings)
    if len(refused) == len(recordings):
        raise typer.Exit(InputRefused.exit_code)
    paths = [found.path for found in recordings]
    folder = OutputFolder(output_dir, overwrite=overwrite, kept=paths) if output_dir is not None else None
    drafts = parse_method(method).drafts and drafter != "none"
    announce_installation([target, drafter if drafts else None])
    with progress:
        named = {
            transcriber.queue.add(found.path, found.within).name: (found, name)
            for found, name in zip(recordings, names, strict=True)
        }
        outcomes: list[RecordingOutcome] = []
        try:
            with transcriber:
                for outcome in transcriber.outcomes():
                    progress.pause()
                    if outcome.path not in refused:  # those were told at the beginning
                        _report(outcome, *named[outcome.name], form, folder, several=len(named) > 1)
                    outcomes.append(outcome)
        except (KeyboardInterrupt, Cancelled):
            progress.pause()
            _tell_what_is_kept(transcriber, form)
            raise
    if parse_method(method).drafts and not drafts and any(outcome.transcript for outcome in outcomes):
        say(NO_DRAFTER)
    code = _conclude(transcriber, outcomes, task, audit)
    raise typer.Exit(max(code, InputRefused.exit_code if empty else 0))


def _report(
    outcome: RecordingOutcome,
    found: FoundRecording,
    name: str,
    form: Format,
    folder: OutputFolder | None,
    *,
    several: bool,
) -> None:
    """Print or write what became of one recording."""
    for warning in outcome.warnings:
        say(f"Warning: {name}: {warning}")
    if outcome.error is not None:
        message = outcome.error.message
        say(f"Error: {message}" if name in message else f"Error: {name}: {message}")
    if outcome.transcript is None:
        return
    give(outcome.transcript, found, name, form, folder, several=several)


def _tell_what_is_kept(transcriber: Transcriber, form: Format) -> None:
    """Say where an interrupted run is, if it decoded anything."""
    folder = transcriber.session.run_folder
    if folder is not None and any(True for _ in transcriber.log.fold.finished_requests()):
        say(f"What was decoded is kept; this gives it: as2d show {folder.name} --format {form}")


def _conclude(transcriber: Transcriber, outcomes: list[RecordingOutcome], task: Task, audit: bool) -> int:
    """Say how it went; the exit status that says so."""
    session = transcriber.session
    done = sum(outcome.transcript is not None for outcome in outcomes)
    measures = measure(transcriber.log.fold.finished_requests())
    parts = [f"{done} of {counted(len(outcomes), 'recording')}"]
    if measures.requests:
        parts.append(f"{counted(measures.tokens, 'token')} in {counted(measures.calls, 'call')}")
        if measures.proposed:
            parts.append(f"acceptance {number(measures.acceptance, 2)}")
        parts.append(f"{number(measures.tps, 1)} tokens/s")
    if session.run_folder is not None:
        parts.append(f"run {session.run_folder.name}")
    say("; ".join(parts) + ".")
    drafter = transcriber.decoder.drafter
    if drafter is not None:
        windows = [
            (request.result.language, task)
            for request in transcriber.log.fold.finished_requests()
            if request.result is not None
        ]
        sentence = no_drafting(drafter.name, drafter.manifest.declares, windows)
        if sentence is not None:
            say(sentence)
    if audit:
        say(audit_sentence(transcriber.log.fold))
    codes = [outcome.error.exit_code for outcome in outcomes if outcome.error is not None]
    if session.storage_problem is not None:
        say(f"Error: {session.storage_problem.message}")
        codes.append(session.storage_problem.exit_code)
    return max(codes, default=0)


def audit_sentence(fold: RunFold) -> str:
    """How many tokens of the audited windows differ from a target-only decode, and where the first does."""
    audits = [
        (request, request.result.audit)
        for request in fold.finished_requests()
        if request.result is not None and request.result.audit is not None
    ]
    tokens = sum(audit.tokens for _, audit in audits)
    differing = sum(audit.differing for _, audit in audits)
    sentence = f"Audit: {differing} of {counted(tokens, 'token')} differ from target-only."
    first = next(((request, audit) for request, audit in audits if audit.differing), None)
    if first is not None:
        request, audit = first
        sentence += (
            f" The first is token {audit.first_difference} of window {request.preparation.window}, "
            f"margin {number(audit.margin, 4)}."
        )
    return sentence
