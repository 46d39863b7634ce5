"""A run as tables: its requests, windows, target calls and counters, one row each."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, get_args

from as2d.backend.energy.calibration import calibrate
from as2d.backend.energy.measure import Energy
from as2d.backend.energy.report import energy_report
from as2d.backend.metrics.clock import RunClock
from as2d.backend.metrics.counter_stream import UNITS, CounterStream
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import (
    decode_seconds,
    draft_seconds,
    first_token_seconds,
    prepare_seconds,
    response_seconds,
)
from as2d.backend.metrics.sensor_values import watts_per_raw
from as2d.backend.metrics.states import RequestState, WindowState
from as2d.backend.protocol import events
from as2d.backend.runs.store import StoredRun

TableName = Literal["requests", "windows", "calls", "counters"]
TABLES: tuple[TableName, ...] = get_args(TableName)
Row = dict[str, object]

_MS = 1e6
_DIGITS = 6


def table_rows(stored: StoredRun, table: TableName, recording: str | None = None) -> list[Row]:
    """The rows of a table; the names of their columns end in their units. `recording`: of this one only
    (counters, which belong to the device, are always those of the whole run).

    Raises:
        InputRefused: the run's stream cannot be read.
    """
    if table == "counters":
        return list(_counters(stored))
    fold = stored.fold(details=table == "calls")
    if table == "windows":
        rows = [_window(fold, window) for window in fold.windows.values()]
    elif table == "requests":
        energy = _joules(fold, stored)
        rows = [_request(fold, request, energy) for request in fold.requests.values()]
    else:
        rows = [row for request in fold.requests.values() for row in _calls(fold, request)]
    return [row for row in rows if recording is None or row["recording"] == recording]


def _window(fold: RunFold, window: WindowState) -> Row:
    answered = window.answered()
    result = answered.result if answered is not None else None
    return {
        "recording": window.recording,
        "file": _file(fold, window),
        "audio": fold.recordings[window.recording].audio if window.recording in fold.recordings else "",
        "window": window.window,
        "index": window.index,
        "from_s": window.start_s,
        "to_s": window.end_s,
        "speech": window.speech,
        "requests": len(window.requests),
        "language": result.language if result is not None else None,
        "tokens": len(result.tokens) if result is not None else None,
        "text": result.text.strip() if result is not None else None,
    }


def _file(fold: RunFold, window: WindowState) -> str:
    recording = fold.recordings.get(window.recording)
    return recording.audio.rpartition("/")[2] if recording is not None else ""


def _request(fold: RunFold, request: RequestState, energy: dict[str, float]) -> Row:
    window = fold.windows[request.preparation.window]
    row: Row = {
        "recording": window.recording,
        "file": _file(fold, window),
        "window": window.window,
        "request": request.request,
        "arm": request.arm,
        "repeat": request.repeat,
        "warm_up": request.warm_up,
        "from_s": window.start_s,
        "to_s": window.end_s,
    }
    result = request.result
    if result is None:
        return row
    counters, seconds = result.counters, decode_seconds(result)
    return row | {
        "method": result.method,
        "budget": result.budget,
        "admission": result.admission,
        "start_condition": result.start_condition,
        "language": result.language,
        "stop": result.stop,
        "tokens": counters.tokens,
        "calls": counters.calls,
        "guard_calls": counters.guard_calls,
        "proposed": counters.proposed,
        "accepted": counters.accepted,
        "acceptance": _ratio(counters.accepted, counters.proposed),
        "tokens_per_call": _ratio(counters.tokens - 1, counters.calls),
        "prepare_ms": _ms(prepare_seconds(request)),
        "draft_ms": _ms(draft_seconds(request)),
        "first_token_ms": _ms(first_token_seconds(result)),
        "decode_ms": _ms(seconds),
        "response_ms": _ms(response_seconds(result)),
        "tokens_per_s": _ratio(counters.tokens - 1, seconds),
        "energy_j": energy.get(request.request),
        "text": result.text.strip(),
    }


def _calls(fold: RunFold, request: RequestState) -> Iterator[Row]:
    window = fold.windows[request.preparation.window]
    begin = request.result.times.request if request.result is not None else request.sent
    commits = iter(request.commits)
    commit = next(commits, None)
    for call in request.calls:
        while commit is not None and commit.t < call.end:
            commit = next(commits, None)
        yield {
            "recording": window.recording,
            "file": _file(fold, window),
            "window": window.window,
            "request": request.request,
            "index": call.index,
            "kind": call.kind,
            "reason": call.reason,
            "at_ms": round((call.start - begin) / _MS, _DIGITS),
            "took_ms": round((call.end - call.start) / _MS, _DIGITS),
            "k": call.k,
            "accepted": call.accepted,
            "published": call.published,
            "cursor": call.cursor,
            "threads": call.threads,
            "root": call.root,
            "candidates": call.candidates,
            "choices": call.choices,
            "margins": call.margins,
            "text": commit.text if commit is not None and call.kind != "guard" else None,
        }


def _counters(stored: StoredRun) -> Iterator[Row]:
    fold = stored.fold()
    known = stored.manifest.device.battery_current
    calibration = known if known is not None else calibrate(fold.telemetry.battery, fold.busy)
    clock = RunClock()
    counters = CounterStream(clock, watts_per_raw(calibration))
    first: int | None = None
    for event in stored.events():
        if isinstance(event, events.Hello):
            clock.restarted(event.t)
        for sample in counters.feed(event):
            first = sample.t if first is None else first
            yield {
                "at_s": round((sample.t - first) / 1e9, 9),
                "counter": sample.counter,
                "value": None if math.isnan(sample.value) else round(sample.value, _DIGITS),
                "unit": UNITS[sample.counter],
            }


def _joules(fold: RunFold, stored: StoredRun) -> dict[str, float]:
    """The energy of each response that could be measured."""
    report = energy_report(fold, stored.manifest.device.battery_current)
    return {of.request: of.response.joules for of in report.requests if isinstance(of.response, Energy)}


def _ms(seconds: float) -> float:
    return round(seconds * 1000, _DIGITS)


def _ratio(part: float, whole: float) -> float | None:
    return round(part / whole, _DIGITS) if whole > 0 else None
