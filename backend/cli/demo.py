"""`as2d demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from as2d.backend.bench.arms import ArmOptions, ArmThreads, make_arms
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.decoding import decodes_of_window
from as2d.backend.bench.divergence import Divergence, TargetOnlyDecodes, divergences
from as2d.backend.bench.service import BenchChoices, BenchReport, run_bench
from as2d.backend.bench.summary import ArmSummary
from as2d.backend.cli.console import emit, number, say, table
from as2d.backend.cli.device_option import DeviceOption, phone_of
from as2d.backend.cli.hints import show_command
from as2d.backend.cli.how_far import AudioDecoded
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.cli.progress import EventProgress
from as2d.backend.devices.device import Device
from as2d.backend.devices.local import LocalDevice
from as2d.backend.export.scripts import join_texts
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.methods import DEFAULT_METHOD, TARGET_ONLY, parse_method
from as2d.backend.transcribe.sample import SAMPLE_LANGUAGE, sample_recording
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET
from as2d.backend.words import counted

_HEAD = (
    "method", "tokens", "calls", "acceptance", "tokens/s", "response ms", "drop to text s", "identical",
)  # fmt: skip
_HERE = "this computer"


def demo(
    repeats: Annotated[int, typer.Option(min=1, max=100, help="How often each method decodes.")] = 3,
    device: DeviceOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Transcribe the sample recording by target-only and by AS²D, and compare them.

    With a phone, on the phone and on this computer, from prepared audio only.
    """
    announce_installation([DEFAULT_TARGET, DEFAULT_DRAFTER])
    phone = phone_of(device, adb_server)
    if phone is None:
        report = _run(LocalDevice(), repeats)
        emit(_text(report))
        emit(table(_HEAD, _rows(report), right=(1, 2, 3, 4, 5, 6)))
        _conclude(report, repeats)
        return
    there, here = TargetOnlyDecodes(), TargetOnlyDecodes()
    with EventProgress() as progress:
        phone.make_ready(progress.step, CancelToken())
    beside = _run(LocalDevice(), repeats, here, drop_repeats=0)
    report = _run(phone, repeats, there, drop_repeats=0)
    emit(_text(report))
    rows = [[phone.describe().name, *row] for row in _rows(report)]
    rows += [[_HERE, *row] for row in _rows(beside)]
    emit(table(("device", *_HEAD), rows, right=(2, 3, 4, 5, 6, 7)))
    emit(_identical(report, phone.describe().name, list(divergences(there, here))))
    _conclude(report, repeats)


def _run(
    device: Device, repeats: int, decodes: TargetOnlyDecodes | None = None, *, drop_repeats: int = 1
) -> BenchReport:
    """Decode the sample on a device, which is ready."""
    threads = device.default_threads()
    arms = make_arms(
        [parse_method(TARGET_ONLY), parse_method(DEFAULT_METHOD)],
        ArmOptions(
            budgets=[],
            admissions=["text"],
            start_conditions=["pre-drafted"],
            threads=[ArmThreads(threads, device.default_shared_threads(threads))],
        ),
    )
    sample = BenchRecording(sample_recording(), SAMPLE_LANGUAGE, None, None)
    choices = BenchChoices(
        arms,
        [sample],
        repeats,
        DEFAULT_TARGET,
        DEFAULT_DRAFTER,
        drop_repeats=drop_repeats,
        command="demo",
        device=device,
    )
    far = AudioDecoded(lambda first: decodes_of_window(arms, repeats, first=first))
    with EventProgress(far=far) as progress:
        return run_bench(choices, [progress] if decodes is None else [progress, decodes])


def _text(report: BenchReport) -> str:
    return f"{sample_recording().name}: {join_texts(output.text for output in report.outputs)}\n\n"


def _identical(report: BenchReport, phone: str, differences: list[Divergence]) -> str:
    """Whether AS²D wrote target-only's tokens on the phone, and where phone and computer differ."""
    differing = sum(summary.differing or 0 for summary in report.summaries)
    same = "identical to" if differing == 0 else f"different in {counted(differing, 'token')} from"
    lines = [f"On {phone} AS²D's tokens are {same} target-only's on the same phone."]
    if not differences:
        lines.append(f"Target-only's tokens are the same on {phone} and on {_HERE}.")
    for difference in differences:
        there, here = (number(margin, 4) for margin in difference.margins)
        lines.append(
            f"In window {difference.window} target-only's tokens on {phone} and on {_HERE} part at token "
            f"{difference.position}, where the two best logits are {there} and {here} apart."
        )
    return "\n" + "\n".join(lines) + "\n"


def _conclude(report: BenchReport, repeats: int) -> None:
    as2d = report.summaries[-1]
    faster = number(as2d.speed_up, 2)
    emit(
        f"\nAS²D decodes {faster}× as fast as target-only "
        f"({counted(repeats, 'interleaved repeat')}, {counted(as2d.threads, 'thread')}, "
        "drafting during audio preparation).\n"
    )
    if report.unsteady:
        say(
            "Warning: the same decodes took half as long again at one time as at another, so the device was "
            "busy with other things; measure again when it is idle."
        )
    if report.run_folder is not None:
        emit(f"The run is kept; this shows it:\n{show_command(Path(report.run_folder))}\n")
    if report.storage_problem is not None:
        say(f"Error: {report.storage_problem.message}")
        raise typer.Exit(report.storage_problem.exit_code)


def _rows(report: BenchReport) -> list[list[str]]:
    return [_row(summary) for summary in report.summaries]


def _row(summary: ArmSummary) -> list[str]:
    """A method's figures; tokens and calls of one decode."""
    times = max(summary.repeats, 1)
    return [
        summary.method,
        str(summary.tokens // times),
        str(summary.calls // times),
        number(summary.acceptance, 2),
        number(summary.tps, 1),
        number(summary.response_ms, 0),
        number(summary.drop_to_transcript_s, 2),
        "yes" if summary.differing == 0 else f"no, differing in {counted(summary.differing or 0, 'token')}",
    ]
