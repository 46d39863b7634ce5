"""What `as2d bench decode` and `as2d bench drop` share: recordings, the device, the last words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from as2d.backend.audio.folders import FoundRecording
from as2d.backend.bench.corpus import BenchRecording, Split, gather
from as2d.backend.cli.console import say
from as2d.backend.cli.device_option import device_of
from as2d.backend.cli.inputs import refuse_missing
from as2d.backend.cli.progress import EventProgress
from as2d.backend.devices.device import Device
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.sample import SAMPLE_LANGUAGE, sample_recording


def bench_recordings(
    inputs: list[Path] | None, split: Split | None, language: str | None, limit: int | None
) -> list[BenchRecording]:
    """The recordings of files and manifests; without any the sample."""
    if inputs:
        return gather(inputs, split, language, limit)
    return [BenchRecording(sample_recording(), SAMPLE_LANGUAGE, None, None)]


def ready_device(device: str | None, adb_server: str | None) -> Device:
    """The chosen device with its helper in place."""
    chosen = device_of(device, adb_server)
    with EventProgress() as progress:
        chosen.make_ready(progress.step, CancelToken())
    return chosen


def without_missing(recordings: Sequence[BenchRecording]) -> tuple[list[BenchRecording], bool]:
    """The recordings whose files are there, and whether some are not; those are told.

    Raises typer.Exit with the code of a refused input when none is there.
    """
    missing = refuse_missing(FoundRecording(recording.path) for recording in recordings)
    found = [recording for recording in recordings if recording.path not in missing]
    if not found:
        raise typer.Exit(InputRefused.exit_code)
    return found, bool(missing)


def conclude(
    errors: Sequence[UserError], run: str | None, storage_problem: UserError | None, *, missing: bool
) -> None:
    """Tell what was refused and where the run is, and end with the exit code of the worst of it."""
    for error in errors:
        say(f"Error: {error.message}")
    if run is not None:
        say(f"Run {run}.")
    codes = [error.exit_code for error in errors]
    if missing:
        codes.append(InputRefused.exit_code)
    if storage_problem is not None:
        say(f"Error: {storage_problem.message}")
        codes.append(storage_problem.exit_code)
    raise typer.Exit(max(codes, default=0))
