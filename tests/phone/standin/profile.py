"""What one kind of phone is and says of itself: data, read from profiles/<name>.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

FOLDER = Path(__file__).with_name("profiles")
MODERN_FEATURES = (
    *("shell_v2", "cmd", "stat_v2", "ls_v2", "fixed_push_mkdir", "fixed_push_symlink_timestamp"),
    *("sendrecv_v2", "sendrecv_v2_dry_run_send"),
)


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Battery(_Part):
    """The battery as it is, and how its fuel gauge tells the current (`unit`, `discharging_sign`)."""

    unit: Literal["uA", "mA"]
    discharging_sign: Literal[-1, 1]
    draw_ma: float = Field(description="what the phone takes")
    level: int
    voltage_uv: int
    temperature_c: float
    charge_uah: int | None = Field(default=None, description="None: the gauge does not count")
    charge_full_uah: int
    technology: str = "Li-poly"


class Cores(_Part):
    """Equal processors that share a clock."""

    count: int
    name: str
    implementer: str = Field(default="0x41", description="as /proc/cpuinfo tells it; 0x41 is ARM")
    part: str
    capacity: int = Field(description="1024 is the fastest")
    min_khz: int
    max_khz: int
    khz: int


class Zone(_Part):
    """A thermal zone of the kernel."""

    zone: str
    celsius: float


class HalSensor(_Part):
    """A sensor of Android's thermal service; type 0 CPU, 1 GPU, 2 battery, 3 skin, 4 USB, 5 PA, 9 NPU."""

    name: str
    type: int
    celsius: float


class Profile(_Part):
    """One phone. Paths are the phone's own."""

    title: str
    kernel: str  # as uname -r tells it
    properties: dict[str, str]  # as getprop prints them
    battery: Battery
    cores: tuple[Cores, ...]  # in the order of their numbers
    thermal: tuple[Zone, ...]
    thermal_hal: tuple[HalSensor, ...]  # empty: the service is not ready
    files: dict[str, str] = {}  # path → text
    dumpsys: dict[str, str] = {}  # service → text
    denied: tuple[str, ...] = ()  # files and folders that the user `shell` may not read
    features: Annotated[tuple[str, ...], Field(min_length=1)] = MODERN_FEATURES
    emulated_cpu: str = "cortex-a76"  # as qemu-user calls it

    @property
    def cpu_count(self) -> int:
        """Processors of the phone."""
        return sum(cluster.count for cluster in self.cores)


def names() -> list[str]:
    """The profiles that there are."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load(name: str) -> Profile:
    """Reads a profile; raises FileNotFoundError for a name that is none."""
    return Profile.model_validate(tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8")))
