"""Sensors and energy of a run as text."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.cli.console import number, table
from as2d.backend.energy.calibration import CurrentCalibration
from as2d.backend.energy.measure import Energy, NotMeasured
from as2d.backend.energy.report import EnergyReport, RequestEnergy
from as2d.backend.metrics.telemetry import Range, TelemetrySummary
from as2d.backend.words import counted

_SHOWN_ZONES = 5
_UNITS = {"uA": "in µA", "mA": "in mA"}
_PROBES = {
    "battery": "anything of a battery",
    "battery.current_raw": "the battery's current",
    "battery.voltage_uv": "the battery's voltage",
    "battery.level": "the battery's level",
    "battery.temperature_c": "the battery's temperature",
    "battery.status": "whether the battery is charging",
    "battery.charge_counter_raw": "the battery's charge",
    "battery.charger": "whether a charger is connected",
    "cpu_khz": "the clocks of its processors",
    "gpu": "anything of its GPU",
    "gpu.busy_percent": "how busy its GPU is",
    "gpu.khz": "the clock of its GPU",
    "thermal": "all of its temperatures",
    "memory_available_bytes": "how much memory is available",
    "rss_bytes": "how much memory the helper has",
}
"""What the helper's probes read, by their names in `missing`."""
_COLUMNS = (
    "J, W and s count from the request to its last token; above idle: without what the phone takes anyway.\n"
    "From audio ready, over so many seconds: also what was drafted between the end of the target's encoder\n"
    "and the request. The encoders themselves are in none of them.\n"
)
_SIGNS = {1: "positive while discharging", -1: "negative while discharging"}


def sensors_text(report: EnergyReport, *, everything: bool) -> str:
    """The tables of a run's sensors and energy; of many thermal zones the hottest, unless `everything`."""
    if report.telemetry is None:
        return "telemetry  none was recorded\n"
    return _telemetry(report.telemetry, everything=everything) + "\n" + _energy(report)


def _telemetry(summary: TelemetrySummary, *, everything: bool) -> str:
    took = summary.took_ms
    cost = f"; reading one takes {took.mean:.2f} ms, at most {took.most:.2f} ms" if took is not None else ""
    rate = f", {summary.rate_hz:.1f} a second" if summary.rate_hz is not None else ""
    lines = [f"telemetry  {counted(summary.samples, 'sample')} in {summary.seconds:.1f} s{rate}{cost}"]
    if summary.slept_s > 0:
        lines.append(
            f"The device slept {summary.slept_s:.1f} s: times of requests in which it did are invalid."
        )
    rows = _rows(summary, everything=everything)
    text = "\n".join(lines) + "\n"
    if rows:
        head = ("sensor", "unit", "first", "least", "mean", "most", "last")
        text += table(head, rows, right=(2, 3, 4, 5, 6))
    if summary.reports:
        slowed = f"; throttling {', '.join(summary.throttling)}" if summary.throttling else ""
        text += f"from Android's reports, which were asked for {counted(summary.reports, 'time')}{slowed}\n"
    for probe in summary.missing:
        told = f"the device did not tell {_PROBES.get(probe.probe, probe.probe)} ({probe.reason})."
        if probe.samples < summary.samples:
            told = f"in {probe.samples} of {counted(summary.samples, 'sample')} {told}"
        text += told[0].upper() + told[1:] + "\n"
    return text


def _rows(summary: TelemetrySummary, *, everything: bool) -> list[list[str]]:
    rows = []
    zones = sorted(summary.temperatures.items(), key=lambda zone: -zone[1].most)
    for name, values in zones if everything else zones[:_SHOWN_ZONES]:
        rows.append(_row(name, "°C", values, 1))
    if not everything and len(zones) > _SHOWN_ZONES:
        left = len(zones) - _SHOWN_ZONES
        rows.append([f"{left} cooler ones: see --telemetry", *[""] * 6])
    for name, unit, found, scale, digits in (
        ("battery", "°C", summary.battery_temperature, 1.0, 1),
        ("battery level", "%", summary.battery_level, 1.0, 0),
        ("GPU busy", "%", summary.gpu_busy, 1.0, 0),
        ("GPU clock", "MHz", summary.gpu_khz, 1e-3, 0),
    ):
        if found is not None:
            rows.append(_row(name, unit, found, digits, scale))
    for clock in summary.clocks:
        offline = f", offline {clock.offline:.0%}" if clock.offline > 0 else ""
        if clock.khz is not None:
            rows.append(_row(f"CPU {clock.cpu} clock{offline}", "MHz", clock.khz, 0, 1e-3))
    most = number(summary.rss_bytes_most / 1e6, 0)
    rows.append(["memory of the helper", "MB", "–", "–", "–", most, "–"])
    if summary.memory_available_bytes_least is not None:
        free = number(summary.memory_available_bytes_least / 1e6, 0)
        rows.append(["memory available", "MB", "–", free, "–", "–", "–"])
    return rows


def _row(name: str, unit: str, values: Range, digits: int, scale: float = 1.0) -> list[str]:
    numbers = (values.first, values.least, values.mean, values.most, values.last)
    return [name, unit, *(number(value * scale, digits) for value in numbers)]


def _energy(report: EnergyReport) -> str:
    reasons = [
        str(request.response) for request in report.requests if isinstance(request.response, NotMeasured)
    ]
    numbers = any(
        isinstance(measured, Energy)
        for request in report.requests
        for measured in (request.response, request.from_audio_ready)
    )
    if not numbers:
        return f"energy     {'; '.join(dict.fromkeys(reasons)) or 'no finished request'}\n"
    text = f"energy     {_sensor(report.requests)}; the whole phone, its idle power included\n"
    source = "this run's readings" if report.calibrated_here else "the phone's record"
    text += f"           {calibration_text(report.calibration)}, from {source}\n"
    text += f"           idle: {_idle(report.idle)}\n"
    head = (
        "request", "J", "± J", "mean W", "s", "tokens", "J/token", "J above idle", "J from audio ready",
        "over s", "",
    )  # fmt: skip
    rows = [_energy_row(request) for request in report.requests]
    return text + table(head, rows, right=tuple(range(1, 10))) + _COLUMNS


def _sensor(requests: Sequence[RequestEnergy]) -> str:
    measured = [part for request in requests for part in (request.response, request.from_audio_ready)]
    return next(energy.sensor for energy in measured if isinstance(energy, Energy))


def calibration_text(calibration: CurrentCalibration) -> str:
    """What is known of a battery current, in one line."""
    unit = _UNITS[calibration.unit] if calibration.unit is not None else "of unknown unit"
    sign = calibration.discharging_sign
    parts = [f"current {unit}", _SIGNS[sign] if sign is not None else "sign not known"]
    if calibration.refresh_s is not None:
        parts.append(f"a new value every {calibration.refresh_s:.2f} s")
    return ", ".join(parts) + f"; confidence {calibration.confidence}"


def _idle(idle: Energy | NotMeasured) -> str:
    if isinstance(idle, NotMeasured):
        return str(idle)
    return f"{idle.mean_watts:.2f} W over {idle.seconds:.1f} s"


def _energy_row(request: RequestEnergy) -> list[str]:
    response, ready = request.response, request.from_audio_ready
    notes = {str(part) for part in (response, ready) if isinstance(part, NotMeasured)}
    if request.slept_s > 0:
        notes.add(f"invalid: the device slept {request.slept_s:.1f} s")
    cells = ["–"] * 6
    if isinstance(response, Energy):
        cells = [
            number(response.joules, 1),
            number(response.uncertainty_joules, 1),
            number(response.mean_watts, 2),
            number(response.seconds, 2),
            str(response.tokens),
            number(response.joules_per_token, 3),
        ]
    return [
        f"{request.request} {request.arm or request.method}",
        *cells,
        number(request.above_idle_joules, 1),
        number(ready.joules if isinstance(ready, Energy) else None, 1),
        number(ready.seconds if isinstance(ready, Energy) else None, 2),
        "; ".join(sorted(notes)),
    ]
