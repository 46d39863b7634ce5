"""What a phone is: the facts of the paper's table 6, read from the text that one script prints on it."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict

from as2d.backend.devices.placement import Cluster
from as2d.backend.devices.processors import clusters_of
from as2d.backend.devices.socs import known_soc, number_of_board

_MARK = "@@ "

FACTS_SCRIPT = r"""
echo '@@ getprop'; getprop
echo '@@ meminfo'; cat /proc/meminfo
echo '@@ cpuinfo'; cat /proc/cpuinfo
echo '@@ kernel'; cat /proc/version
echo '@@ cpus'
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
  echo "${cpu##*/cpu} $(cat $cpu/cpufreq/cpuinfo_max_freq 2>&1)"
done
echo '@@ gpu'; cat /sys/class/kgsl/kgsl-3d0/gpu_model
echo '@@ gles'; dumpsys SurfaceFlinger | grep -m 1 'GLES:'
echo '@@ end'
"""
"""A script for the phone's sh whose output `parse_facts` reads; its errors may be mixed in."""


class PhoneFacts(BaseModel):
    """A phone; null where it does not tell. Clocks in kHz, memory in bytes (all that Android sees).

    `model` is the maker's number of the model, `name` what it is sold as. `process_source` says where the
    process is from, since phones do not tell it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    maker: str | None
    model: str | None
    name: str | None
    soc: str | None
    soc_number: str | None
    process_nm: int | None
    process_source: str | None
    cores: int | None
    clusters: tuple[Cluster, ...]
    memory_bytes: int | None
    android: str | None
    api: int | None
    build: str | None
    kernel: str | None
    abis: tuple[str, ...]
    gpu: str | None
    gpu_driver: str | None

    @property
    def cpu(self) -> str:
        """The name under which measurements of the phone are kept: its chip's, else its model's."""
        return self.soc or self.model or "unknown processor"

    @property
    def peak_khz(self) -> int | None:
        """The fastest clock of any core."""
        return max((cluster.max_khz for cluster in self.clusters if cluster.max_khz), default=None)


_PROPERTY = re.compile(r"\[([^\]]+)\]: \[(.*)\]")
_NAMES = (
    "ro.product.marketname",
    "ro.product.odm.marketname",
    "ro.vendor.product.display",
    "ro.config.marketing_name",
)
_SOC_NUMBERS = (
    "ro.soc.model",
    "ro.hardware.chipname",
    "ro.chipname",
    "ro.vendor.qti.soc_model",
    "ro.mediatek.platform",
)
_GLES = re.compile(r"GLES: ([^,]+), ([^,]+), (.+)")


def parse_facts(text: str) -> PhoneFacts:
    """Read the output of `FACTS_SCRIPT`; whatever is missing or not understood is null."""
    parts = _parts(text)
    properties = dict(_PROPERTY.findall("\n".join(parts.get("getprop", []))))

    def known(*names: str) -> str | None:
        return next((value for name in names if (value := properties.get(name, "").strip())), None)

    board = known("ro.board.platform") or ""
    number = known(*_SOC_NUMBERS) or number_of_board(board)
    soc = known_soc(number) if number is not None else None
    clusters = clusters_of(parts.get("cpus", []), parts.get("cpuinfo", []))
    gpu, driver = _gpu(parts)
    api = known("ro.build.version.sdk") or ""
    return PhoneFacts(
        maker=known("ro.product.manufacturer", "ro.product.brand"),
        model=known("ro.product.model"),
        name=known(*_NAMES),
        soc=soc.name if soc is not None else number or board or None,
        soc_number=number,
        process_nm=soc.process_nm if soc is not None else None,
        process_source=soc.source if soc is not None else None,
        cores=sum(len(cluster.cpus) for cluster in clusters) or None,
        clusters=clusters,
        memory_bytes=_memory(parts.get("meminfo", [])),
        android=known("ro.build.version.release"),
        api=int(api) if api.isdecimal() else None,
        build=known("ro.build.fingerprint", "ro.build.display.id"),
        kernel=_kernel(parts.get("kernel", [])),
        abis=tuple(abi for abi in (known("ro.product.cpu.abilist") or "").split(",") if abi),
        gpu=gpu,
        gpu_driver=driver,
    )


def _parts(text: str) -> dict[str, list[str]]:
    """The lines below each mark of the script, without the space around them."""
    parts: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.replace("\r", "\n").split("\n"):
        if line.startswith(_MARK):
            lines = parts.setdefault(line[len(_MARK) :].strip(), [])
        elif line.strip():
            lines.append(line.strip())
    return parts


def _memory(lines: list[str]) -> int | None:
    for line in lines:
        match = re.fullmatch(r"MemTotal:\s*(\d+) kB", line)
        if match is not None:
            return int(match[1]) * 1024
    return None


def _kernel(lines: list[str]) -> str | None:
    match = re.match(r"Linux version (\S+)", lines[0]) if lines else None
    return match[1] if match is not None else None


def _gpu(parts: dict[str, list[str]]) -> tuple[str | None, str | None]:
    """Name and driver: SurfaceFlinger knows both; the Adreno's kernel driver knows its name."""
    for line in parts.get("gles", []):
        match = _GLES.search(line)
        if match is not None:
            return f"{match[2].strip()}", match[3].strip()
    for line in parts.get("gpu", []):
        if line.startswith("Adreno"):
            return line, None
    return None, None
