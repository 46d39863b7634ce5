"""What the helper's sensors say: one event a sample, five a second unless told otherwise."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from as2d.backend.protocol.message import HelperEvent, Message


class ZoneTemperature(Message):
    """The temperature of a thermal zone, by the vendor's own name for it."""

    zone: str
    celsius: float


class Battery(Message):
    """The battery as the kernel tells it; null: see `missing` under `battery.<field>`.

    The current is raw: its unit (µA or mA) and its sign differ between phones and come from the phone's
    calibration. `status` is the kernel's word (Charging, Discharging, Full, Not charging, Unknown).
    `charger`: a charger or a USB port feeds the phone. `current_source` is the file of the current.
    """

    current_raw: int | None
    voltage_uv: int | None
    level: int | None = Field(description="percent")
    temperature_c: float | None
    status: str | None
    charge_counter_raw: int | None
    charger: bool | None
    current_source: str | None


class Gpu(Message):
    """How busy the GPU is (of the driver's last interval) and its clock; null: see `missing`."""

    busy_percent: float | None
    khz: int | None


class Telemetry(HelperEvent):
    """One reading of the device's sensors; `missing` says why a probe has none.

    `cpu_khz` holds the clock of each processor, null where it is offline. `suspended_ns` is CLOCK_BOOTTIME -
    CLOCK_MONOTONIC: it grows by the time that the device slept. `took_ns` is how long the reading took; a
    probe that is costly is left out of some samples, and `missing` says so. Runs of protocol version 2 have
    `rss_bytes`, `cpu_khz` and `missing` only.
    """

    event: Literal["telemetry"] = "telemetry"
    rss_bytes: int = Field(ge=0)
    memory_available_bytes: int | None = Field(default=None, ge=0)
    cpu_khz: tuple[int | None, ...] | None
    thermal: tuple[ZoneTemperature, ...] = ()
    battery: Battery | None = None
    gpu: Gpu | None = None
    suspended_ns: int | None = Field(default=None, ge=0)
    took_ns: int | None = Field(default=None, ge=0)
    missing: dict[str, str]
