"""Phones whose battery is known, and what their sensors would say of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from as2d.backend.energy.series import BatterySeries
from as2d.backend.protocol.telemetry import Battery, Telemetry

S = 1_000_000_000

XIAOMI = "/sys/class/power_supply/battery/current_now"


@dataclass(frozen=True)
class SimulatedPhone:
    """A phone with a battery of 4600 mAh at 76 %. `sign` of the raw current while it discharges;
    `unit` and `counter_unit` are amperes and ampere hours of a raw 1; times in seconds.
    """

    unit: float = 1e-6
    sign: int = -1
    refresh_s: float = 0.25
    counter_unit: float = 1e-6
    noise: float = 0.01
    volts: float = 4.0
    seed: int = 1

    def samples(
        self,
        watts: Callable[[float], float],
        seconds: float,
        *,
        hz: float = 5.0,
        start_s: float = 100.0,
        status: str | None = "Discharging",
        charger: bool | None = False,
        counter: bool = True,
        slept: Callable[[float], float] = lambda _: 0.0,
    ) -> list[Telemetry]:
        """What the helper says while the phone draws `watts(s)`, s from 0 to `seconds`."""
        chance = random.Random(self.seed)
        charge = 3.5
        held, shown, renewed, last = 0.0, 0, -1e9, 0.0
        found = []
        for number in range(int(seconds * hz) + 1):
            at = number / hz
            charge -= watts((at + last) / 2) / self.volts * (at - last) / 3600
            last = at
            if at - renewed >= self.refresh_s - 1e-9:
                held = watts(at) / self.volts * (1 + chance.gauss(0, self.noise))
                shown, renewed = round(charge / self.counter_unit / 100) * 100, at
            found.append(
                Telemetry(
                    t=int((start_s + at) * S),
                    seq=number,
                    rss_bytes=1,
                    cpu_khz=None,
                    suspended_ns=int(slept(at) * S),
                    battery=Battery(
                        current_raw=round(self.sign * held / self.unit),
                        voltage_uv=round(self.volts * 1e6),
                        level=76,
                        temperature_c=31.2,
                        status=status,
                        charge_counter_raw=shown if counter else None,
                        charger=charger,
                        current_source=XIAOMI,
                    ),
                    missing={},
                )
            )
        return found


def series_of(events: list[Telemetry]) -> BatterySeries:
    """The readings of some samples."""
    series = BatterySeries()
    for event in events:
        series.add(event)
    return series


def raw_series(
    values: list[int], *, status: str = "Discharging", charger: bool | None = False
) -> BatterySeries:
    """Readings of these raw currents, five a second."""
    return series_of(
        [
            Telemetry(
                t=number * S // 5,
                seq=number,
                rss_bytes=1,
                cpu_khz=None,
                battery=Battery(
                    current_raw=value,
                    voltage_uv=4_000_000,
                    level=50,
                    temperature_c=None,
                    status=status,
                    charge_counter_raw=None,
                    charger=charger,
                    current_source=XIAOMI,
                ),
                missing={},
            )
            for number, value in enumerate(values)
        ]
    )
