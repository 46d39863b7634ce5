"""Recorded runs side by side: what they differ in first, then their numbers, window by window."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue

from as2d.backend.compare.statistics import median_interval
from as2d.backend.energy.measure import Energy
from as2d.backend.energy.report import energy_report
from as2d.backend.errors import WrongUse
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import decode_seconds, measure
from as2d.backend.metrics.states import RequestState
from as2d.backend.runs.labels import read_labels
from as2d.backend.runs.store import StoredRun

_LEFT_OUT = {"format", "run", "created", "ended", "status", "message", "recordings"}
WindowKey = tuple[str, float, float]
"""A window in any run: the recording's file name and where it lies in it, s."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Difference(_Part):
    """A setting, version or device property that is not the same in all runs; a value a run, null: it has
    none.
    """

    what: str
    values: tuple[str | None, ...]


class TextDifference(_Part):
    """The first window whose tokens are not those of the reference: the position (from 0) and both texts."""

    recording: str
    start_s: float
    position: int
    text: str
    reference: str


class Side(_Part):
    """One way to decode in one run: `arm` of a benchmark, else the method. Speeds in tokens/s, times in ms.

    The rest is against the first side, over the windows that both decoded: `speed_up` is the median of the
    windows' ratios of decode speed with its bootstrap interval by recording (`speed_up_low`, `…_high`),
    `slower_share` the share of them below 1, `identical` whether all their tokens are the same.
    """

    run: str
    name: str
    arm: str
    windows: int
    tps: float | None
    response_ms: float | None
    joules_per_token: float | None
    acceptance: float | None
    calls: int
    extra: int
    tokens_per_call: float | None
    common: int
    speed_up: float | None
    speed_up_low: float | None
    speed_up_high: float | None
    slower_share: float | None
    identical: bool | None
    difference: TextDifference | None


class RecordedComparison(_Part):
    """Runs side by side; the first side is the reference of the others."""

    differences: tuple[Difference, ...]
    sides: tuple[Side, ...]


@dataclass
class _Arm:
    """The finished requests of one way to decode, by window."""

    run: StoredRun
    name: str
    arm: str
    requests: dict[WindowKey, list[RequestState]]
    joules_per_token: float | None


def compare_runs(runs: Sequence[StoredRun]) -> RecordedComparison:
    """Compare recorded runs, of here or from bundles; a benchmark brings all its arms.

    Raises:
        WrongUse: there is nothing to compare.
        InputRefused: a run cannot be read.
    """
    arms = [arm for run in runs for arm in _arms(run)]
    if len(arms) < 2:
        raise WrongUse("A comparison needs two runs, or a benchmark of two methods, that decoded something.")
    return RecordedComparison(
        differences=tuple(differences(runs)), sides=tuple(_side(arm, arms[0]) for arm in arms)
    )


def differences(runs: Sequence[StoredRun]) -> Iterator[Difference]:
    """What the runs were made with that is not the same in all of them."""
    flat = [_flat(run.manifest.model_dump(mode="json", exclude=_LEFT_OUT)) for run in runs]
    for what in dict.fromkeys(name for values in flat for name in values):
        values = tuple(own.get(what) for own in flat)
        if len(set(values)) > 1:
            yield Difference(what=what, values=values)


def _flat(value: JsonValue, name: str = "") -> dict[str, str]:
    if isinstance(value, dict):
        found: dict[str, str] = {}
        for key, inner in value.items():
            found |= _flat(inner, f"{name} {key.replace('_', ' ')}".strip())
        return found
    if isinstance(value, list):
        return {name: ", ".join(map(str, value))}
    return {} if value is None else {name: str(value)}


def _arms(run: StoredRun) -> list[_Arm]:
    fold = run.fold()
    label = read_labels(run.folder).name or run.manifest.run
    joules = _joules(fold, run)
    found: dict[str, _Arm] = {}
    for request in fold.finished_requests():
        assert request.result is not None
        name = request.arm or request.result.method
        arm = found.setdefault(name, _Arm(run, label, name, {}, joules.get(name)))
        window = fold.windows[request.preparation.window]
        audio = fold.recordings[window.recording].audio
        key = (Path(audio).name, round(window.start_s, 3), round(window.end_s, 3))
        arm.requests.setdefault(key, []).append(request)
    return list(found.values())


def _joules(fold: RunFold, run: StoredRun) -> dict[str, float]:
    """Joules a token of each arm whose every request could be measured."""
    sums: dict[str, list[Energy | None]] = {}
    for energy in energy_report(fold, run.manifest.device.battery_current).requests:
        measured = energy.response if isinstance(energy.response, Energy) else None
        sums.setdefault(energy.arm or energy.method, []).append(measured)
    found = {}
    for arm, energies in sums.items():
        known = [energy for energy in energies if energy is not None and energy.tokens]
        tokens = sum(energy.tokens or 0 for energy in known)
        if tokens and len(known) == len(energies):
            found[arm] = sum(energy.joules for energy in known) / tokens
    return found


def _side(arm: _Arm, reference: _Arm) -> Side:
    measures = measure(request for requests in arm.requests.values() for request in requests)
    common = [key for key in arm.requests if key in reference.requests] if arm is not reference else []
    ratios: dict[str, list[float]] = {}
    for key in common:
        own, other = _speed(arm.requests[key]), _speed(reference.requests[key])
        if own is not None and other is not None:
            ratios.setdefault(key[0], []).append(own / other)
    whole = [ratio for values in ratios.values() for ratio in values]
    interval = median_interval(ratios)
    difference = next(_text_differences(arm, reference, common), None)
    return Side(
        run=arm.run.manifest.run,
        name=arm.name,
        arm=arm.arm,
        windows=len(arm.requests),
        tps=measures.tps,
        response_ms=None if measures.response_s is None else 1000 * measures.response_s,
        joules_per_token=arm.joules_per_token,
        acceptance=measures.acceptance,
        calls=measures.calls,
        extra=measures.extra,
        tokens_per_call=measures.tokens_per_call,
        common=len(common),
        speed_up=statistics.median(whole) if whole else None,
        speed_up_low=interval[0] if interval is not None else None,
        speed_up_high=interval[1] if interval is not None else None,
        slower_share=sum(ratio < 1 for ratio in whole) / len(whole) if whole else None,
        identical=difference is None if common else None,
        difference=difference,
    )


def _speed(requests: Sequence[RequestState]) -> float | None:
    """Decode speed of a window over its repeats, tokens/s."""
    results = [request.result for request in requests if request.result is not None]
    seconds = sum(decode_seconds(result) for result in results)
    tokens = sum(result.counters.tokens - 1 for result in results)
    return tokens / seconds if seconds > 0 and tokens > 0 else None


def _text_differences(arm: _Arm, reference: _Arm, common: Sequence[WindowKey]) -> Iterator[TextDifference]:
    for key in common:
        own, other = arm.requests[key][-1].result, reference.requests[key][-1].result
        if own is None or other is None or own.tokens == other.tokens:
            continue
        pairs = enumerate(zip(own.tokens, other.tokens, strict=False))
        shorter = min(len(own.tokens), len(other.tokens))
        position = next((place for place, (one, two) in pairs if one != two), shorter)
        yield TextDifference(
            recording=key[0], start_s=key[1], position=position, text=own.text, reference=other.text
        )
