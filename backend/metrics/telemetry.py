"""What the device's sensors said in a run, sample by sample, in little memory; and their summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.energy.series import SLEEP_NOISE_NS, BatterySeries
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.protocol.telemetry import Battery, Telemetry


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Range(_Part):
    """A quantity over a run: its first, least, mean, most and last value."""

    first: float
    least: float
    mean: float
    most: float
    last: float


class ClockSummary(_Part):
    """The clock of one processor in kHz, null where it was never told; the share of samples without it."""

    cpu: int
    khz: Range | None
    offline: float = Field(ge=0, le=1)


class MissingProbe(_Part):
    """A probe that had no value: in how many samples, and why (the last reason)."""

    probe: str
    samples: int
    reason: str


class TelemetrySummary(_Part):
    """The sensors of a run. Temperatures in °C, the GPU's load in percent, times in seconds.

    `took_ms`: how long reading a sample took on the device. `slept_s`: how long it slept in the run.
    """

    samples: int
    seconds: float
    rate_hz: float | None
    took_ms: Range | None
    temperatures: dict[str, Range]
    battery_level: Range | None
    battery_temperature: Range | None
    battery_states: tuple[str, ...]
    charger: bool | None = Field(description="whether a charger was connected in any sample")
    clocks: tuple[ClockSummary, ...]
    gpu_busy: Range | None
    gpu_khz: Range | None
    rss_bytes_most: int
    memory_available_bytes_least: int | None
    slept_s: float
    reports: int = Field(description="how often Android was asked for what the helper cannot read")
    throttling: tuple[str, ...] = Field(description="Android's words for how far it slowed the phone down")
    missing: tuple[MissingProbe, ...]


@dataclass
class _Running:
    """A quantity's range so far."""

    first: float
    least: float
    most: float
    last: float
    total: float = 0.0
    count: int = 0

    def add(self, value: float) -> None:
        self.least, self.most, self.last = min(self.least, value), max(self.most, value), value
        self.total += value
        self.count += 1

    def range(self) -> Range:
        return Range(
            first=self.first,
            least=self.least,
            mean=self.total / self.count,
            most=self.most,
            last=self.last,
        )


class _Ranges:
    """Ranges by name, in the order in which the names came."""

    def __init__(self) -> None:
        self._found: dict[str, _Running] = {}

    def add(self, name: str, value: float | None) -> None:
        if value is not None:
            self._found.setdefault(name, _Running(value, value, value, value)).add(value)

    def of(self, name: str) -> Range | None:
        found = self._found.get(name)
        return found.range() if found is not None else None

    def all(self) -> dict[str, Range]:
        return {name: found.range() for name, found in self._found.items()}


class TelemetryFold:
    """Takes the samples of one stream in order. `battery` keeps what energy is computed from."""

    def __init__(self) -> None:
        self.battery = BatterySeries()
        self._samples = 0
        self._battery_samples = 0
        self._thermal_samples = 0
        self._reports = 0
        self._throttling: dict[str, None] = {}
        self._first_t: int | None = None
        self._last_t = 0
        self._zones = _Ranges()
        self._others = _Ranges()
        self._clocks = _Ranges()
        self._cpus = 0
        self._offline: dict[int, int] = {}
        self._states: dict[str, None] = {}
        self._charger: bool | None = None
        self._suspended: tuple[int, int] | None = None
        self._sleeps: list[tuple[int, int, int]] = []
        self._missing: dict[str, tuple[int, str]] = {}

    def add(self, event: Telemetry) -> None:
        """Take a sample."""
        self._samples += 1
        self._first_t = event.t if self._first_t is None else self._first_t
        self._last_t = max(self._last_t, event.t)
        self.battery.add(event)
        for zone in event.thermal:
            self._zones.add(zone.zone, zone.celsius)
        self._add_clocks(event.cpu_khz or ())
        self._others.add("rss", event.rss_bytes)
        self._others.add("available", event.memory_available_bytes)
        self._others.add("took", event.took_ns)
        if event.gpu is not None:
            self._others.add("gpu_busy", event.gpu.busy_percent)
            self._others.add("gpu_khz", event.gpu.khz)
        self._thermal_samples += bool(event.thermal)
        if event.battery is not None:
            self._battery_samples += 1
            self._add_battery(event.battery)
        self._add_sleep(event.t, event.suspended_ns)
        for probe, reason in event.missing.items():
            self._missing[probe] = (self._missing.get(probe, (0, ""))[0] + 1, reason)

    def add_report(self, reading: PhoneReading) -> None:
        """Take what Android said where the helper cannot read it; energy never comes from it."""
        self._reports += 1
        for zone in reading.thermal:
            self._zones.add(f"{zone.zone} (dumpsys, {reading.thermal_source})", zone.celsius)
        if reading.battery is not None:
            self._add_battery(reading.battery)
        if reading.throttling is not None:
            self._throttling[reading.throttling] = None

    def lacking(self) -> frozenset[str]:
        """What the helper's samples have never told, of `battery` and `thermal`; empty before the first."""
        if self._samples == 0:
            return frozenset()
        told = {"battery": self._battery_samples, "thermal": self._thermal_samples}
        return frozenset(name for name, samples in told.items() if samples == 0)

    def _add_battery(self, battery: Battery) -> None:
        self._others.add("level", battery.level)
        self._others.add("battery_temperature", battery.temperature_c)
        if battery.status is not None:
            self._states[battery.status] = None
        if battery.charger is not None:
            self._charger = bool(self._charger) or battery.charger

    def slept_between(self, start: int, end: int) -> float:
        """Seconds that the device slept in a span (ns), as far as its samples tell."""
        return sum(
            slept / NANOSECONDS for before, after, slept in self._sleeps if before < end and after > start
        )

    def _add_sleep(self, t: int, suspended_ns: int | None) -> None:
        if suspended_ns is None:
            return
        if self._suspended is not None:
            before, so_far = self._suspended
            if suspended_ns - so_far > SLEEP_NOISE_NS:
                self._sleeps.append((before, t, suspended_ns - so_far))
        self._suspended = t, suspended_ns

    def _add_clocks(self, clocks: Iterable[int | None]) -> None:
        for cpu, khz in enumerate(clocks):
            self._cpus = max(self._cpus, cpu + 1)
            self._clocks.add(str(cpu), khz)
            if khz is None:
                self._offline[cpu] = self._offline.get(cpu, 0) + 1

    def summary(self) -> TelemetrySummary | None:
        """The sensors so far; null where there was no sample."""
        if self._first_t is None:
            return None
        seconds = (self._last_t - self._first_t) / NANOSECONDS
        available, took = self._others.of("available"), self._others.of("took")
        rss = self._others.of("rss")
        return TelemetrySummary(
            samples=self._samples,
            seconds=seconds,
            rate_hz=(self._samples - 1) / seconds if seconds > 0 else None,
            took_ms=_scaled(took, 1e-6) if took is not None else None,
            temperatures=self._zones.all(),
            battery_level=self._others.of("level"),
            battery_temperature=self._others.of("battery_temperature"),
            battery_states=tuple(self._states),
            charger=self._charger,
            clocks=tuple(
                ClockSummary(
                    cpu=cpu, khz=self._clocks.of(str(cpu)), offline=self._offline.get(cpu, 0) / self._samples
                )
                for cpu in range(self._cpus)
            ),
            gpu_busy=self._others.of("gpu_busy"),
            gpu_khz=self._others.of("gpu_khz"),
            rss_bytes_most=int(rss.most) if rss is not None else 0,
            memory_available_bytes_least=int(available.least) if available is not None else None,
            slept_s=self.slept_between(self._first_t, self._last_t),
            reports=self._reports,
            throttling=tuple(self._throttling),
            missing=tuple(
                MissingProbe(probe=probe, samples=count, reason=reason)
                for probe, (count, reason) in sorted(self._missing.items())
            ),
        )


def _scaled(values: Range, factor: float) -> Range:
    return Range(**{name: value * factor for name, value in values.model_dump().items()})
