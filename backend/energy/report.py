"""Energy of a run's requests, from its recorded stream."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.energy.calibration import CurrentCalibration, calibrate
from as2d.backend.energy.measure import Energy, NotMeasured, energy_between
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.states import RequestState
from as2d.backend.metrics.telemetry import TelemetrySummary
from as2d.backend.protocol.message import NANOSECONDS

_LEAST_IDLE_SECONDS = 5.0

Measured = Annotated[Energy | NotMeasured, Field(discriminator="kind")]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RequestEnergy(_Part):
    """Energy of one request: over its response, as the paper's, and from 'audio ready', so that what was
    drafted before the request is paid for.

    `above_idle_joules` is the response's energy less idle power x its seconds; null without either.
    `slept_s`: how long the device slept from 'audio ready' to the end; with any sleep all times of the
    request are invalid.
    """

    request: str
    arm: str | None
    method: str
    response: Measured
    from_audio_ready: Measured
    above_idle_joules: float | None
    slept_s: float


class EnergyReport(_Part):
    """Sensors and energy of a run. `idle` is the energy of its longest stretch without work.

    `calibration` is what the battery current was read by; `calibrated_here`: it comes from this run's own
    readings, else from the phone's record.
    """

    telemetry: TelemetrySummary | None
    calibration: CurrentCalibration
    calibrated_here: bool
    idle: Measured
    requests: tuple[RequestEnergy, ...]


@dataclass(frozen=True)
class Asked:
    """An answered request: when it came, when it ended, when its audio was ready, ns; its text tokens."""

    request: str
    asked: int
    ended: int
    audio_ready: int
    tokens: int


@dataclass(frozen=True)
class AskedEnergy:
    """Energy of a request over its response, and from 'audio ready'."""

    request: str
    response: Energy | NotMeasured
    from_audio_ready: Energy | NotMeasured


def energies(
    fold: RunFold, calibration: CurrentCalibration | None, asked: Sequence[Asked]
) -> Iterator[AskedEnergy]:
    """The energies of requests that the fold itself need not keep: `asked` are all that were answered in the
    run, in any order. `calibration` as in `energy_report`.
    """
    used = calibration if calibration is not None else calibrate(fold.telemetry.battery, fold.busy)
    ends = sorted(request.ended for request in asked)
    for request in asked:
        yield _measured(fold, request, used, ends)


def energy_report(fold: RunFold, calibration: CurrentCalibration | None = None) -> EnergyReport:
    """The energy of a run, by the phone's calibration or, without one, by one from the run's own readings."""
    used = calibration if calibration is not None else calibrate(fold.telemetry.battery, fold.busy)
    idle = _idle(fold, used)
    asked = {
        request.request: _asked(request) for request in fold.requests.values() if request.result is not None
    }
    ends = sorted(request.ended for request in asked.values())
    requests = tuple(
        _of_request(fold, request, _measured(fold, asked[request.request], used, ends), idle)
        for request in fold.finished_requests()
    )
    return EnergyReport(
        telemetry=fold.telemetry.summary(),
        calibration=used,
        calibrated_here=calibration is None,
        idle=idle,
        requests=requests,
    )


def _asked(request: RequestState) -> Asked:
    result = request.result
    assert result is not None
    times = result.times
    return Asked(request.request, times.request, times.end, times.audio_ready, len(result.tokens))


def _measured(fold: RunFold, request: Asked, calibration: CurrentCalibration, ends: list[int]) -> AskedEnergy:
    """`ends`: when the run's requests ended, in order."""
    series = fold.telemetry.battery
    response = energy_between(series, request.asked, request.ended, calibration, request.tokens)
    start = min(request.audio_ready, request.asked)
    before: Energy | NotMeasured
    if bisect_right(ends, request.asked) > bisect_right(ends, start):
        before = NotMeasured(
            obstacle="shared", reason="other requests ran between 'audio ready' and this request"
        )
    else:
        before = energy_between(series, start, request.ended, calibration, request.tokens)
    return AskedEnergy(request.request, response, before)


def _of_request(
    fold: RunFold, request: RequestState, measured: AskedEnergy, idle: Energy | NotMeasured
) -> RequestEnergy:
    result = request.result
    assert result is not None
    times, response = result.times, measured.response
    above = None
    if isinstance(response, Energy) and isinstance(idle, Energy):
        above = response.joules - idle.mean_watts * response.seconds
    return RequestEnergy(
        request=request.request,
        arm=request.arm,
        method=result.method,
        response=response,
        from_audio_ready=measured.from_audio_ready,
        above_idle_joules=above,
        slept_s=fold.telemetry.slept_between(min(times.audio_ready, times.request), times.end),
    )


def _idle(fold: RunFold, calibration: CurrentCalibration) -> Energy | NotMeasured:
    """The energy of the longest stretch in which the run did nothing."""
    first, last = fold.telemetry.battery.span or (0, 0)
    start, end = fold.busy.longest_pause(first, last)
    seconds = (end - start) / NANOSECONDS
    if seconds < _LEAST_IDLE_SECONDS:
        return NotMeasured(
            obstacle="no-idle", reason=f"the run was never idle for {_LEAST_IDLE_SECONDS:.0f} s"
        )
    return energy_between(fold.telemetry.battery, start, end, calibration)
