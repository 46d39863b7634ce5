"""`as2d bench`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from as2d.backend.audio import open_recording
from as2d.backend.bench.arms import ArmOptions, make_arms
from as2d.backend.bench.budget import keep_best_budget
from as2d.backend.bench.calls import measure_calls
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.decoding import decodes_of_window
from as2d.backend.bench.peer import first_differences, peer_folder, require_peer, time_peer
from as2d.backend.bench.rows import page_rows
from as2d.backend.bench.service import BenchChoices, BenchReport, run_bench
from as2d.backend.bench.tables import render_rows
from as2d.backend.cli.bench_drop import bench_drop
from as2d.backend.cli.bench_inputs import bench_recordings, conclude, ready_device, without_missing
from as2d.backend.cli.bench_push import bench_push
from as2d.backend.cli.choices import (
    admissions_of,
    arm_threads,
    budgets_of,
    conditions_of,
    numbers_of,
    thread_counts_of,
)
from as2d.backend.cli.console import emit, say
from as2d.backend.cli.device_option import DeviceOption
from as2d.backend.cli.how_far import AudioDecoded
from as2d.backend.cli.installing import announce_installation
from as2d.backend.cli.options import (
    AdbServerOption,
    AdmissionsOption,
    BudgetsOption,
    ConditionsOption,
    ConfidenceOption,
    CorpusLanguageOption,
    DrafterOption,
    DrafterSharedThreadsOption,
    DrafterThreadsOption,
    FormatOption,
    LimitOption,
    MethodsOption,
    PatienceOption,
    SplitOption,
    TargetOption,
)
from as2d.backend.cli.progress import EventProgress
from as2d.backend.devices.this_computer import default_threads
from as2d.backend.errors import UserError, WrongUse
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.ending import closing_session
from as2d.backend.transcribe.methods import LARGEST_BUDGET, parse_methods
from as2d.backend.transcribe.run_log import RunLog
from as2d.backend.transcribe.session import Session
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET
from as2d.backend.transcribe.threads import TargetThreads
from as2d.backend.words import counted

_DEFAULT = "decode"


class _DefaultGroup(TyperGroup):
    """`as2d bench FILE …` means `as2d bench decode FILE …`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401  (the base class's own type)
        if args[:1] != ["--help"] and (not args or args[0] not in self.commands):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


bench_app = typer.Typer(
    cls=_DefaultGroup,
    help="Measure decoding, the way from a file to its text, single target calls, or pushes to a phone.\n\n"
    "`as2d bench FILE` means `as2d bench decode FILE`.\n\n"
    "Its options: `as2d bench decode --help`.",
)
bench_app.command("drop")(bench_drop)
bench_app.command("push")(bench_push)


@bench_app.command()
def decode(
    inputs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="Recordings or JSONL manifests; default: the sample."),
    ] = None,
    methods: MethodsOption = "target-only,as2d",
    budgets: BudgetsOption = None,
    admissions: AdmissionsOption = "text",
    start_conditions: ConditionsOption = "request-start,pre-drafted",
    confidence: ConfidenceOption = None,
    patience: PatienceOption = None,
    a_a: Annotated[
        bool, typer.Option("--a-a", help="Measure target-only a second time, which shows the noise.")
    ] = False,
    threads: Annotated[
        str | None,
        typer.Option(help="Threads of the target, with commas; default: the cores, at most 4."),
    ] = None,
    drafter_threads: DrafterThreadsOption = None,
    drafter_shared_threads: DrafterSharedThreadsOption = 1,
    target: TargetOption = DEFAULT_TARGET,
    drafter: DrafterOption = DEFAULT_DRAFTER,
    split: SplitOption = None,
    language: CorpusLanguageOption = None,
    limit: LimitOption = None,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="How often each arm decodes a window.")] = 3,
    drop_repeats: Annotated[
        int, typer.Option(min=0, max=100, help="How often to time drop-to-transcript; 0: not at all.")
    ] = 0,
    form: FormatOption = "md",
    peer: Annotated[
        bool, typer.Option("--peer", help="Time faster-whisper on the same weights too.")
    ] = False,
    save_budget: Annotated[
        bool, typer.Option("--save-budget", help="Keep the fastest as2d budget in the device's profile.")
    ] = False,
    device: DeviceOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Decode windows by every arm, interleaved, with prepared audio, after a warm-up."""
    choice = parse_methods(methods)
    if not choice:
        raise WrongUse("No method was named; --methods takes names such as target-only,as2d.")
    budget_list = budgets_of(budgets, choice)
    if peer:
        require_peer()
    recordings = bench_recordings(inputs, split, language, limit)
    chosen = ready_device(device, adb_server)
    counts = thread_counts_of(threads) if threads is not None else [chosen.default_threads()]
    arms = make_arms(
        choice,
        ArmOptions(
            budgets=budget_list,
            admissions=admissions_of(admissions),
            start_conditions=conditions_of(start_conditions),
            threads=arm_threads(chosen, counts, drafter_threads, drafter_shared_threads),
            confidence=confidence,
            patience=patience,
            a_a=a_a,
        ),
    )
    recordings, missing = without_missing(recordings)
    choices = BenchChoices(arms, recordings, repeats, target, drafter, drop_repeats, device=chosen)
    announce_installation([target, drafter if any(arm.drafts for arm in arms) else None])
    far = AudioDecoded(lambda first: decodes_of_window(arms, repeats, first=first))
    with EventProgress(far=far) as progress:
        report = run_bench(choices, [progress])
    if form == "md":
        emit(render_rows(page_rows(report.summaries), form))
        if peer:
            rows = _peer_rows(report, recordings, counts, repeats)
            emit("\n" + render_rows([{n: row[n] for n in row if n != "arm"} for row in rows], form))
    else:
        rows = [summary.model_dump(mode="json") for summary in report.summaries]
        if peer:
            empty = dict.fromkeys(rows[0])
            rows += [empty | row for row in _peer_rows(report, recordings, counts, repeats)]
        emit(render_rows(rows, form))
    if save_budget:
        kept = keep_best_budget(report, chosen)
        of_threads = counted(kept.key.threads, "thread")
        say(f"Budget {kept.budget} is kept for {of_threads} ({kept.tps:.1f} tokens/s).")
    recorded = report.manifest if report.run_folder is not None else None
    run = f"{recorded.run} on {recorded.device.name}" if recorded is not None else None
    conclude(report.refused, run, report.storage_problem, missing=missing)


@bench_app.command()
def calls(
    target: TargetOption = DEFAULT_TARGET,
    widths: Annotated[str, typer.Option(help="Widths K, comma-separated.")] = "1,2,3,4,5,6,7,8",
    threads: Annotated[
        str | None, typer.Option(help="Thread settings, comma-separated; default: 1 to the cores, at most 4.")
    ] = None,
    context: Annotated[int, typer.Option(min=0, max=400, help="Tokens in the KV cache.")] = 60,
    repeats: Annotated[int, typer.Option(min=1, max=1000, help="Calls of each width.")] = 15,
    form: FormatOption = "md",
) -> None:
    """Time single target calls: the median of each width in ms."""
    counts = thread_counts_of(threads) if threads is not None else list(range(1, default_threads() + 1))
    asked = numbers_of(widths, "--widths", 1, LARGEST_BUDGET + 1)
    log, cancel = RunLog(), CancelToken()
    session = Session(log, cancel)
    with closing_session(session):
        model = session.find_model(target, "target")
        session.open()
        session.begin_run(
            session.describe_run("bench calls", model, None, {"method": "calls", "widths": widths}, [])
        )
        names = {count: f"target-{count}" for count in counts}
        for count, name in names.items():
            session.load_target(name, model, TargetThreads(count, count), exact=False)
        rows = measure_calls(session.engine, names, asked, context, repeats)
    emit(render_rows(rows, form))


def _peer_rows(
    report: BenchReport, recordings: Sequence[BenchRecording], threads: Sequence[int], repeats: int
) -> list[dict[str, object]]:
    """Time the peer over the windows of the report, and say where its float32 tokens are others."""
    sounds = []
    for recording in recordings:
        try:
            with open_recording(recording.path) as opened:
                sounds += [window.pcm for window in opened.windows() if window.speech]
        except UserError:  # named already by the first measurement
            continue
    languages = [output.language for output in report.outputs]
    assert report.target is not None
    counts = sorted({*range(1, max(threads) + 1)})
    measured = time_peer(
        peer_folder(report.target.name), list(zip(sounds, languages, strict=True)), counts, repeats
    )
    for peer in measured:
        if peer.compute_type == "float32":
            differences = first_differences(peer, [output.tokens for output in report.outputs])
            windows = counted(len(report.outputs), "window")
            say(f"{len(differences)} of {windows} differ from the peer's float32 tokens.")
            for window, position, ours, its in differences:
                name = report.outputs[window].window
                say(f"  window {name}: token {position} is {ours} here and {its} there")
    return [times.row() for times in measured]
