"""Energy of a run's requests, from its recorded stream."""

from __future__ import annotations

from bisect import bisect_right
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


def energy_report(fold: RunFold, calibration: CurrentCalibration | None = None) -> EnergyReport:
    """The energy of a run, by the phone's calibration or, without one, by one from the run's own readings."""
    used = calibration if calibration is not None else calibrate(fold.telemetry.battery, fold.busy)
    idle = _idle(fold, used)
    ends = sorted(
        request.result.times.end for request in fold.requests.values() if request.result is not None
    )
    requests = tuple(_of_request(fold, request, used, idle, ends) for request in fold.finished_requests())
    return EnergyReport(
        telemetry=fold.telemetry.summary(),
        calibration=used,
        calibrated_here=calibration is None,
        idle=idle,
        requests=requests,
    )


def _of_request(
    fold: RunFold,
    request: RequestState,
    calibration: CurrentCalibration,
    idle: Energy | NotMeasured,
    ends: list[int],
) -> RequestEnergy:
    """`ends`: when the run's requests ended, in order."""
    result = request.result
    assert result is not None
    times, tokens = result.times, len(result.tokens)
    series = fold.telemetry.battery
    response = energy_between(series, times.request, times.end, calibration, tokens)
    start = min(times.audio_ready, times.request)
    before: Energy | NotMeasured
    if bisect_right(ends, times.request) > bisect_right(ends, start):
        before = NotMeasured(
            obstacle="shared", reason="other requests ran between 'audio ready' and this request"
        )
    else:
        before = energy_between(series, start, times.end, calibration, tokens)
    above = None
    if isinstance(response, Energy) and isinstance(idle, Energy):
        above = response.joules - idle.mean_watts * response.seconds
    return RequestEnergy(
        request=request.request,
        arm=request.arm,
        method=result.method,
        response=response,
        from_audio_ready=before,
        above_idle_joules=above,
        slept_s=fold.telemetry.slept_between(start, times.end),
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
