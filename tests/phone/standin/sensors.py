"""The sensors of a stand-in: battery, clocks and temperatures, as the kernel's files and `dumpsys` tell them.

What a test sets is what is (mA that the phone takes, whether a charger is there); how the phone tells it
(unit, sign, which files) is the profile's.
"""

from __future__ import annotations

import math
import threading
import time
from pathlib import Path

from tests.phone.standin import reports
from tests.phone.standin.files import write_file
from tests.phone.standin.profile import Profile

_UNITS = {"uA": 1000.0, "mA": 1.0}
_REFRESH_SECONDS = 0.25  # of a usual fuel gauge
_SWING_SECONDS = 4.0
# Less than load makes: this phone draws no more while it decodes, and its swing must not be taken for that.
_SWING = 0.08


class Sensors:
    """Writes the files; safe from any thread."""

    def __init__(self, root: Path, profile: Profile) -> None:
        self._root = root
        self._profile = profile
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        battery = profile.battery
        self.draw_ma = battery.draw_ma
        self.charger_ma = 0.0  # 0: unplugged
        self.level = battery.level
        self.voltage_uv = battery.voltage_uv
        self.temperature_c = battery.temperature_c
        self.charge_uah: float | None = battery.charge_uah
        self.clocks_khz = [cluster.khz for cluster in profile.cores]
        self._made = False
        self._write_fixed()
        self.set_battery()
        self.set_clocks(self.clocks_khz)
        self.set_temperatures(0.0)
        self._made = True

    @property
    def current_raw(self) -> int:
        """What current_now says."""
        battery = self._profile.battery
        return round((self.draw_ma - self.charger_ma) * battery.discharging_sign * _UNITS[battery.unit])

    def _write(self, path: str, text: str) -> None:
        # What nobody on the phone may read stays as it was made; nobody here may write it either.
        if not self._made or not path.startswith(self._profile.denied):
            write_file(self._root, path, text)

    def _write_fixed(self) -> None:
        battery = self._profile.battery
        for name, text in {
            "battery/type": "Battery",
            "battery/present": "1",
            "battery/health": "Good",
            "battery/technology": battery.technology,
            "battery/charge_full": str(battery.charge_full_uah),
            "usb/type": "USB",
        }.items():
            self._write(f"/sys/class/power_supply/{name}", f"{text}\n")
        for number, zone in enumerate(self._profile.thermal):
            self._write(f"/sys/class/thermal/thermal_zone{number}/type", f"{zone.zone}\n")

    def set_battery(
        self,
        *,
        draw_ma: float | None = None,
        charger_ma: float | None = None,
        level: int | None = None,
        voltage_uv: int | None = None,
        temperature_c: float | None = None,
    ) -> None:
        """Sets what is given, and lets every file and report say it."""
        with self._lock:
            self.draw_ma = self.draw_ma if draw_ma is None else draw_ma
            self.charger_ma = self.charger_ma if charger_ma is None else charger_ma
            self.level = self.level if level is None else level
            self.voltage_uv = self.voltage_uv if voltage_uv is None else voltage_uv
            self.temperature_c = self.temperature_c if temperature_c is None else temperature_c
            self._write_battery()

    def _write_battery(self) -> None:
        status = "Charging" if self.charger_ma > 0 else "Discharging"
        values = {
            "battery/current_now": self.current_raw,
            "battery/voltage_now": self.voltage_uv,
            "battery/capacity": self.level,
            "battery/temp": round(self.temperature_c * 10),
            "battery/status": status,
            "usb/online": int(self.charger_ma > 0),
        }
        if self.charge_uah is not None:
            values["battery/charge_counter"] = round(self.charge_uah)
        for name, value in values.items():
            self._write(f"/sys/class/power_supply/{name}", f"{value}\n")
        reports.write(
            self._root,
            "battery",
            reports.battery(
                charging=self.charger_ma > 0,
                level=self.level,
                voltage_uv=self.voltage_uv,
                temperature_c=self.temperature_c,
                charge_uah=self.charge_uah,
                technology=self._profile.battery.technology,
            ),
        )

    def set_clocks(self, khz: list[int]) -> None:
        """One clock for each kind of core, in the profile's order."""
        with self._lock:
            self.clocks_khz = list(khz)
            first = 0
            for cluster, clock in zip(self._profile.cores, khz, strict=True):
                policy = f"/sys/devices/system/cpu/cpufreq/policy{first}"
                self._write(f"{policy}/scaling_cur_freq", f"{clock}\n")
                first += cluster.count

    def set_temperatures(self, above: float) -> None:
        """Every sensor so many degrees above (below) the profile's; those that are off stay off."""
        with self._lock:
            for number, zone in enumerate(self._profile.thermal):
                value = zone.celsius + above if zone.celsius > 1 else zone.celsius
                self._write(f"/sys/class/thermal/thermal_zone{number}/temp", f"{round(value * 1000)}\n")
            reports.write(
                self._root, "thermalservice", reports.thermal(self._profile.thermal_hal, above=above)
            )

    def start_moving(self) -> None:
        """Lets current, counter, clocks and temperatures change as on a phone at work, until `close`."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._move, name="stand-in sensors", daemon=True)
            self._thread.start()

    def _move(self) -> None:
        start = last = time.monotonic()
        percent_uah = self._profile.battery.charge_full_uah / 100
        used_uah = 0.0  # of the percent that is being used up
        while not self._over.wait(_REFRESH_SECONDS):
            now = time.monotonic()
            swing = math.sin(2 * math.pi * (now - start) / _SWING_SECONDS)
            with self._lock:
                drawn_uah = (self.draw_ma - self.charger_ma) * 1000 * (now - last) / 3600
                if self.charge_uah is not None:
                    self.charge_uah -= drawn_uah
                used_uah += drawn_uah
                percent = int(used_uah / percent_uah)
                used_uah -= percent * percent_uah
                last = now
                level = min(max(self.level - percent, 0), 100)
            self.set_battery(
                draw_ma=self._profile.battery.draw_ma * (1 + _SWING * swing),
                level=level,
                temperature_c=self._profile.battery.temperature_c + 0.5 * swing,
            )
            self.set_clocks(
                [
                    round((c.min_khz + (c.max_khz - c.min_khz) * (0.5 + 0.5 * swing)) / 100) * 100
                    for c in self._profile.cores
                ]
            )
            self.set_temperatures(2.0 * swing)

    def close(self) -> None:
        """Ends the movement."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
