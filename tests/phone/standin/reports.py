"""What `dumpsys battery` and `dumpsys thermalservice` print."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.phone.standin.files import write_file
from tests.phone.standin.phone_init import FIXTURES
from tests.phone.standin.profile import HalSensor

_CHARGING, _DISCHARGING = 2, 3


def write(root: Path, service: str, text: str) -> None:
    """Lets `dumpsys service` print the text."""
    write_file(root, f"{FIXTURES}/dumpsys/{service}", text)


def battery(
    *,
    charging: bool,
    level: int,
    voltage_uv: int,
    temperature_c: float,
    charge_uah: float | None,
    technology: str,
) -> str:
    """The battery service's report; a gauge that does not count says 0."""
    lines = {
        "AC powered": "false",
        "USB powered": str(charging).lower(),
        "Wireless powered": "false",
        "Dock powered": "false",
        "Max charging current": 500000 if charging else 0,
        "Max charging voltage": 5000000 if charging else 0,
        "Charge counter": round(charge_uah or 0),
        "status": _CHARGING if charging else _DISCHARGING,
        "health": 2,
        "present": "true",
        "level": level,
        "scale": 100,
        "voltage": round(voltage_uv / 1000),
        "temperature": round(temperature_c * 10),
        "technology": technology,
    }
    return "Current Battery Service state:\n" + "".join(f"  {key}: {value}\n" for key, value in lines.items())


def thermal(sensors: Sequence[HalSensor], *, above: float) -> str:
    """The thermal service's report; its cached temperatures are a little older and colder than the HAL's."""

    def block(change: float) -> str:
        return "".join(
            f"\tTemperature{{mValue={round(s.celsius + change, 1) if s.celsius else 0.0}, mType={s.type}, "
            f"mName={s.name}, mStatus=0}}\n"
            for s in sensors
        )

    return (
        "IsStatusOverride: false\n"
        "ThermalEventListeners:\n\tcallbacks: 2\n\tkilled: false\n\tbroadcasts count: -1\n"
        "ThermalStatusListeners:\n\tcallbacks: 3\n\tkilled: false\n\tbroadcasts count: -1\n"
        "Thermal Status: 0\n"
        f"Cached temperatures:\n{block(above - 3.0)}"
        f"HAL Ready: {'true' if sensors else 'false'}\n"
        + (
            "HAL connection:\n\tThermalHAL AIDL 1  connected: yes\n"
            f"Current temperatures from HAL:\n{block(above)}"
            "Current cooling devices from HAL:\n"
            "\tCoolingDevice{mValue=0, mType=2, mName=thermal-cpufreq-0}\n"
            if sensors
            else ""
        )
    )
