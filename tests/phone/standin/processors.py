"""What the kernel says of itself and of a phone's processors: /proc and /sys/devices/system/cpu."""

from __future__ import annotations

from pathlib import Path

from tests.phone.standin.files import write_file
from tests.phone.standin.phone_init import FIXTURES
from tests.phone.standin.profile import Cores, Profile

_CPU = "/sys/devices/system/cpu"
_FEATURES = (
    "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm lrcpc dcpop asimddp"
)


def _info(number: int, cores: Cores) -> str:
    lines = {
        "processor": number,
        "BogoMIPS": "38.40",
        "Features": _FEATURES,
        "CPU implementer": cores.implementer,
        "CPU architecture": 8,
        "CPU variant": "0x1",
        "CPU part": cores.part,
        "CPU revision": 0,
    }
    return "".join(f"{key}\t: {value}\n" for key, value in lines.items()) + "\n"


def _write_policy(root: Path, first: int, cores: Cores) -> None:
    related = " ".join(str(number) for number in range(first, first + cores.count))
    for name, value in {
        "cpuinfo_min_freq": cores.min_khz,
        "cpuinfo_max_freq": cores.max_khz,
        "scaling_min_freq": cores.min_khz,
        "scaling_max_freq": cores.max_khz,
        "scaling_cur_freq": cores.khz,
        "related_cpus": related,
        "affected_cpus": related,
        "scaling_governor": "walt",
    }.items():
        write_file(root, f"{_CPU}/cpufreq/policy{first}/{name}", f"{value}\n")


def write(root: Path, profile: Profile) -> None:
    """Writes the files; clusters share a policy's folder, as on a phone."""
    info = ""
    number = 0
    for cluster, cores in enumerate(profile.cores):
        first = number
        _write_policy(root, first, cores)
        for number in range(first, first + cores.count):
            write_file(root, f"{_CPU}/cpu{number}/cpu_capacity", f"{cores.capacity}\n")
            write_file(root, f"{_CPU}/cpu{number}/online", "1\n")
            write_file(root, f"{_CPU}/cpu{number}/topology/cluster_id", f"{cluster}\n")
            (root / _CPU.lstrip("/") / f"cpu{number}/cpufreq").symlink_to(f"../cpufreq/policy{first}")
            info += _info(number, cores)
        number = first + cores.count
    for name in ("possible", "present", "online"):
        write_file(root, f"{_CPU}/{name}", f"0-{profile.cpu_count - 1}\n")
    write_file(root, f"{FIXTURES}/proc/cpuinfo", info)
    version = f"Linux version {profile.kernel} (build-user@build-host) #1 SMP PREEMPT\n"
    write_file(root, f"{FIXTURES}/proc/version", version)
