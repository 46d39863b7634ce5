"""`as2d show`."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from typing import Annotated

import typer
from pydantic import JsonValue

from as2d.backend.cli.console import emit, number, table
from as2d.backend.cli.missing_end import warn_of_missing_end
from as2d.backend.cli.sensors import sensors_text
from as2d.backend.energy.report import energy_report
from as2d.backend.errors import WrongUse
from as2d.backend.export.content import transcripts_text
from as2d.backend.export.formats import Format
from as2d.backend.export.timeline import CALL_HEAD, LEGEND, call_lines, text_timeline
from as2d.backend.jobs.sending import DETACHED
from as2d.backend.metrics.anatomy import pool_anatomy
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import decode_seconds, drop_to_transcript_seconds, measure, prepare_seconds
from as2d.backend.metrics.states import HelperEnding, RequestState
from as2d.backend.paths import runs_dir
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.runs.corrections import read_corrections
from as2d.backend.runs.labels import read_labels
from as2d.backend.runs.origin import read_origin
from as2d.backend.runs.store import RunStore, StoredRun

_SETTING_NAMES = {
    "threads": "target's threads",
    "shared_threads": "target's threads beside the drafter",
    "prepare_ahead": "next window prepared ahead",
}
"""Settings that would be taken for others by their own names."""


def show(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run's name, a beginning of it, 'last', or its folder.")
    ] = "last",
    form: Annotated[
        Format | None, typer.Option("--format", help="Print the run's transcripts in this format instead.")
    ] = None,
    recording: Annotated[
        str | None, typer.Option(help="With --format: only this recording, by its name or its number, as a1.")
    ] = None,
    decoded: Annotated[
        bool, typer.Option("--decoded", help="With --format: the decoded text, not the corrected one.")
    ] = False,
    calls: Annotated[bool, typer.Option("--calls", help="List every target call too.")] = False,
    telemetry: Annotated[
        bool,
        typer.Option(
            "--telemetry", help="Show the device's sensors and the energy only; json with --format."
        ),
    ] = False,
    width: Annotated[
        int | None, typer.Option(min=40, max=1000, help="Columns of the timeline; default: the terminal's.")
    ] = None,
) -> None:
    """Show a recorded run: its table, sensors and a timeline of each window, or its transcripts."""
    if telemetry and (form not in (None, "json") or recording is not None):
        raise WrongUse("--telemetry prints a table, or with --format json one object, of the whole run.")
    if recording is not None and form is None:
        raise WrongUse("--recording chooses a transcript; give --format too.")
    stored = RunStore(runs_dir()).find(run)
    stream = stored.stream()
    fold = RunFold.of(stream, details=form is None and not telemetry)
    warn_of_missing_end(stored, stream)
    report = energy_report(fold, stored.manifest.device.battery_current)
    if telemetry:
        emit(report.model_dump_json() + "\n" if form else sensors_text(report, everything=True))
        return
    if form is not None:
        corrections = None if decoded else read_corrections(stored.folder)
        emit(transcripts_text(stored.manifest, fold, form, recording, corrections))
        return
    columns = width or shutil.get_terminal_size((100, 24)).columns
    emit(_head(stored, fold))
    emit("\n" + _windows(fold))
    emit("\n" + _sums(fold))
    emit("\n" + _anatomy(fold))
    emit("\n" + sensors_text(report, everything=False))
    for request in fold.requests.values():
        emit(f"\n{request.request}  {_title(request)}\n{text_timeline(request, columns)}")
        if calls:
            emit(table(CALL_HEAD, call_lines(request), right=(0, 1, 2, 4, 5)))
    emit(f"\n{LEGEND}\n")


def _head(stored: StoredRun, fold: RunFold) -> str:
    manifest, labels, origin = stored.manifest, read_labels(stored.folder), read_origin(stored.folder)
    drafter = manifest.drafter.name if manifest.drafter is not None else "none"
    settings = ", ".join(
        f"{_SETTING_NAMES.get(name, name.replace('_', ' '))} {_setting(value)}"
        for name, value in manifest.settings.items()
        if value is not None
    )
    lines = [
        f"run      {manifest.run} ({manifest.command}, {manifest.status}), made {manifest.created}",
        f"device   {manifest.device.name}; helper {manifest.versions.helper}, MNN {manifest.versions.mnn}",
        f"models   target {manifest.target.name}, drafter {drafter}",
        f"settings {settings}",
    ]
    if labels.name or labels.tags:
        lines.insert(1, f"name     {labels.name or '–'}; tags {', '.join(labels.tags) or '–'}")
    if origin is not None:
        lines.insert(1, f"from     the bundle {origin.bundle or '–'}, opened {origin.opened or '–'}")
    # A phone that worked alone was sent the recording at one time and asked at another; arms take turns.
    once = manifest.command != DETACHED and all(request.arm is None for request in fold.finished_requests())
    for recording in fold.recordings.values():
        seconds = drop_to_transcript_seconds(recording) if once else None
        took = f", {seconds:.2f} s from drop to transcript" if seconds is not None else ""
        message = f": {recording.message}" if recording.message else ""
        lines.append(
            f"audio    {recording.recording} {recording.audio} ({recording.status}, "
            f"{number(recording.duration_s, 1)} s, language {recording.language or '–'}{took}){message}"
        )
    lines += [_ending(fold, ending) for ending in fold.helper_endings]
    return "\n".join(lines) + "\n"


def _ending(fold: RunFold, ending: HelperEnding) -> str:
    """What was lost in the middle of a run, and what became of the window."""
    what = "the connection to the device" if ending.lost else "the helper"
    reason = "" if ending.lost else f": {ending.message}"
    if ending.window is None:
        return f"ended    {what}, while no window was decoded{reason}"
    name = fold.windows[ending.window].recording
    recording = fold.recordings.get(name)
    when = ""
    if recording is not None and recording.opened is not None:
        when = f", {(ending.t - recording.opened) / NANOSECONDS:.1f} s after {name} was opened"
    again = "it was decoded again" if ending.again else "it was not decoded again"
    return f"ended    {what}, in {ending.window}{when}; {again}{reason}"


def _setting(value: JsonValue) -> str:
    """A setting of a run as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(map(_setting, value)) if isinstance(value, list) else str(value)


def _windows(fold: RunFold) -> str:
    arms = ["arm", "repeat"] if any(request.arm for request in fold.requests.values()) else []
    head = (
        "request", *arms, "from s", "to s", "prepare ms", "decode ms", "tokens", "calls", "guard", "proposed",
        "accepted", "tokens/s", "stop",
    )  # fmt: skip
    rows = []
    for request in fold.requests.values():
        window = fold.windows[request.preparation.window]
        result = request.result
        named = [request.request, request.arm or "", _repeat(request)][: 1 + len(arms)]
        start = [*named, number(window.start_s, 2), number(window.end_s, 2)]
        if result is None:
            rows.append([*start, *["–"] * 8, "not finished"])
            continue
        counters, seconds = result.counters, decode_seconds(result)
        rows.append(
            [
                *start,
                number(prepare_seconds(request) * 1000, 0),
                number(seconds * 1000, 0),
                str(counters.tokens),
                str(counters.calls),
                str(counters.guard_calls),
                str(counters.proposed),
                str(counters.accepted),
                number((counters.tokens - 1) / seconds if seconds > 0 else None, 1),
                result.stop,
            ]
        )
    return table(head, rows, right=tuple(range(1 + len(arms), len(head) - 1)))


def _repeat(request: RequestState) -> str:
    """Which of an arm's decodes of the window it is; warm-ups do not count."""
    if request.warm_up:
        return "warm-up"
    return str(request.repeat + 1) if request.repeat is not None else "–"


def _sums_by_arm(fold: RunFold, arms: Sequence[str]) -> str:
    """A row an arm: what is pooled over several methods means nothing."""
    rows = []
    for arm in arms:
        requests = [request for request in fold.finished_requests() if request.arm == arm]
        measures = measure(requests)
        rows.append(
            [
                arm,
                str(len(requests)),
                str(measures.tokens),
                f"{measures.calls} ({measures.guard_calls})",
                number(measures.tokens_per_call, 2),
                f"{measures.proposed}, {measures.accepted}",
                number(measures.decode_s, 3),
                number(measures.tps, 1),
                number(measures.response_s, 3),
            ]
        )
    head = (
        "arm, warm-ups left out", "decodes", "tokens", "calls (guard)", "tokens a call", "proposed, accepted",
        "decode s", "tokens/s, pooled", "response s, median",
    )  # fmt: skip
    return table(head, rows, right=tuple(range(1, len(head))))


def _sums(fold: RunFold) -> str:
    arms = list(dict.fromkeys(request.arm for request in fold.finished_requests() if request.arm))
    if len(arms) > 1:
        return _sums_by_arm(fold, arms)
    measures = measure(fold.finished_requests())
    rows = [
        ["tokens through the end", str(measures.tokens)],
        ["target calls (guard calls apart)", f"{measures.calls} ({measures.guard_calls})"],
        ["tokens a call", number(measures.tokens_per_call, 2)],
        ["candidates proposed, accepted", f"{measures.proposed}, {measures.accepted}"],
        ["acceptance", number(measures.acceptance, 3)],
        ["decode time", number(measures.decode_s, 3, "s")],
        ["decode speed, pooled", number(measures.tps, 1, "tokens/s")],
        ["response latency, median", number(measures.response_s, 3, "s")],
        ["audio preparation, sum", number(measures.audio_prepare_s, 3, "s")],
        ["drafter's work, sum", number(measures.draft_s, 3, "s")],
    ]
    return table(("measure", "value"), rows, right=(1,))


def _anatomy(fold: RunFold) -> str:
    """One row an arm: where its candidates were accepted, and why boundaries had none."""
    arms: dict[str, list[RequestState]] = {}
    for request in fold.finished_requests():
        if request.result is not None:
            arms.setdefault(request.arm or request.result.method, []).append(request)
    rows, timed = [], True
    for arm, requests in arms.items():
        measures = measure(requests)
        anatomy = pool_anatomy(request.anatomy for request in requests)
        timed = timed and anatomy.timed
        without = (f"{reason} {count}" for reason, count in anatomy.reasons.items() if reason != "candidates")
        rows.append(
            [
                arm,
                number(anatomy.hit_rate, 2),
                _numbers(anatomy.hit_rate_by_third),
                number(measures.acceptance, 2),
                _numbers(anatomy.acceptance_by_third),
                _numbers(measures.acceptance_by_position),
                ", ".join(without),
            ]
        )
    what = "audio" if timed else "text"
    named = "arm" if any(request.arm for request in fold.requests.values()) else "method"
    head = (
        named, "hit rate", f"by third of the {what}", "acceptance", f"by third of the {what}",
        "by draft position", "calls without candidates",
    )  # fmt: skip
    return table(head, rows, right=(1, 3))


def _numbers(values: Sequence[float | None]) -> str:
    return " ".join(number(value, 2) for value in values) or "–"


def _title(request: RequestState) -> str:
    if request.result is None:
        return "not finished"
    return f"{request.result.method}, budget {request.result.budget}: {request.result.text.strip()[:60]}"
