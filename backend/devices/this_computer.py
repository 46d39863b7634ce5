"""What this computer is."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

_CPU_INFO = Path("/proc/cpuinfo")
_MEMORY_INFO = Path("/proc/meminfo")
_NAMES = ("model name", "Hardware", "Model")
USEFUL_THREADS = 4
"""A target takes no more threads than this when nothing was said: small models gain little beyond."""

MOST_THREADS = 64
"""The most threads that the helper takes for a model."""


@dataclass(frozen=True)
class Computer:
    """This computer; `memory_bytes` and `free_memory_bytes` are null where the system does not tell."""

    name: str
    system: str
    cpu: str
    arch: str
    cores: int
    memory_bytes: int | None
    free_memory_bytes: int | None


def this_computer() -> Computer:
    """Describe this computer; `cores` are those that this process may use."""
    cores = usable_cores()
    cpu = _cpu_name()
    plural = "core" if cores == 1 else "cores"
    memory = _memory()
    return Computer(
        name=f"{cpu}, {cores} {plural}",
        system=f"{platform.system()} {platform.release()}",
        cpu=cpu,
        arch=platform.machine(),
        cores=cores,
        memory_bytes=memory.get("MemTotal"),
        free_memory_bytes=memory.get("MemAvailable"),
    )


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return max(len(os.sched_getaffinity(0)), 1)


def default_threads() -> int:
    """Threads of a target when nothing was said: all cores, at most 4 (small models gain little beyond)."""
    return min(usable_cores(), USEFUL_THREADS)


def default_shared_threads(threads: int) -> int:
    """Threads of a target while the drafter runs: a core is left to the drafter if it has none of its own."""
    return threads if usable_cores() > threads else max(threads - 1, 1)


def _cpu_name() -> str:
    try:
        lines = _CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for wanted in _NAMES:
        for line in lines:
            key, _, value = line.partition(":")
            if key.strip() == wanted and value.strip():
                return " ".join(value.split())
    return platform.processor() or platform.machine()


def _memory() -> dict[str, int]:
    """The entries of the system's memory report, in bytes; empty where there is none."""
    try:
        lines = _MEMORY_INFO.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return {}
    found = {}
    for line in lines:
        key, _, value = line.partition(":")
        number = value.split()
        if number and number[0].isdigit():
            found[key] = int(number[0]) * (1024 if number[-1] == "kB" else 1)
    return found
