"""`as2d long-run`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.audio.folders import FoundRecording
from as2d.backend.bench.tables import render_rows
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.device_option import DeviceOption, device_of
from as2d.backend.cli.how_far import MinutesDecoded
from as2d.backend.cli.inputs import refuse_missing
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import AdbServerOption, DrafterOption, FormatOption, TargetOption
from as2d.backend.cli.progress import EventProgress
from as2d.backend.errors import InputRefused
from as2d.backend.protocol.ops import StartCondition
from as2d.backend.sustained.fold import SustainedFold
from as2d.backend.sustained.service import MOST_MINUTES, LongRunChoices, run_long
from as2d.backend.sustained.verdict import SpeedUp, SustainedVerdict, verdict_of
from as2d.backend.transcribe.languages import language_code
from as2d.backend.transcribe.methods import LARGEST_BUDGET
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET, TranscribeSettings
from as2d.backend.words import counted


def long_run(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Recordings, decoded again and again.")],
    methods: Annotated[
        str, typer.Option(help="One method, or two that decode every window by turns.")
    ] = "target-only,as2d",
    minutes: Annotated[float, typer.Option(max=MOST_MINUTES, help="How long.")] = 30.0,
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
    target: TargetOption = DEFAULT_TARGET,
    drafter: DrafterOption = DEFAULT_DRAFTER,
    language: Annotated[
        str | None, typer.Option(help="Language of the recordings; default: detected once in each.")
    ] = None,
    form: FormatOption = "md",
    device: DeviceOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Decode for minutes to hours: what the first minutes' speed is worth when the device is hot."""
    settings = TranscribeSettings(
        budget=budget,
        start_condition=start_condition,
        target=target,
        drafter=drafter,
        language=language_code(language) if language is not None else None,
    )
    missing = refuse_missing(map(FoundRecording, files))
    recordings = [path for path in files if path not in missing]
    if not recordings:
        raise typer.Exit(InputRefused.exit_code)
    names = tuple(part for part in methods.split(",") if part.strip())
    choices = LongRunChoices(settings, names, recordings, minutes, device_of(device, adb_server))
    drafts = any(choice.drafts for choice in choices.decode_choices())
    announce_installation([target, drafter if drafts else None])
    fold = SustainedFold(minutes)
    with EventProgress(far=MinutesDecoded(minutes)) as progress:
        report = run_long(choices, [fold.feed, progress])
    verdict = verdict_of(fold)
    if verdict is None:
        say("It was too short for a verdict: give it more minutes, or shorter recordings.")
    else:
        emit(render_rows([change.model_dump() for change in verdict.arms], form))
        _say_verdict(fold, verdict)
    outputs = counted(fold.compared, "comparison")
    say(f"{outputs} with what a window had before: {fold.differing} with other tokens.")
    if report.manifest is not None and report.run_folder is not None:
        say(f"Run {report.manifest.run} on {report.manifest.device.name}.")
    for error in (*report.refused, *([report.storage_problem] if report.storage_problem else ())):
        say(f"Error: {error.message}")
    codes = [error.exit_code for error in (*report.refused, report.storage_problem) if error is not None]
    raise typer.Exit(max([*codes, InputRefused.exit_code if missing else 0]))


def _say_verdict(fold: SustainedFold, verdict: SustainedVerdict) -> None:
    span = f"{verdict.span_s / 60:g} min" if verdict.span_s >= 60 else f"{verdict.span_s:g} s"
    say(f"The first {span} against the last {span} of {verdict.seconds / 60:.1f} min:")
    for change in verdict.arms:
        say(
            f"  {change.arm}: {change.first_tps:.1f} tokens/s, then {change.last_tps:.1f} "
            f"({100 * change.change:+.0f} %)"
        )
    if verdict.speed_up_first is not None and verdict.speed_up_last is not None:
        first, last = _speed_up(verdict.speed_up_first), _speed_up(verdict.speed_up_last)
        words = {"kept": "the ranking is the same", "changed": "THE RANKING CHANGED"}
        ranking = words.get(verdict.ranking or "", "which is faster cannot be told at both ends")
        say(f"  {fold.arms[1]} against {fold.arms[0]}: {first}, then {last}; {ranking}.")
    if verdict.start_celsius is not None and verdict.hottest_celsius is not None:
        say(f"  {verdict.start_celsius:.1f} °C at the begin, {verdict.hottest_celsius:.1f} °C at most.")


def _speed_up(up: SpeedUp) -> str:
    interval = f" ({up.low:.2f}–{up.high:.2f})" if up.low is not None and up.high is not None else ""
    return f"{up.median:.2f} x{interval}"
