"""What `FACTS_SCRIPT` prints on phones of several makers, cut to the lines that are read and some others."""

from __future__ import annotations


def _cpuinfo(parts: list[tuple[int, int]]) -> str:
    return "\n".join(
        f"processor\t: {cpu}\nBogoMIPS\t: 38.40\nFeatures\t: fp asimd\nCPU implementer\t: {maker:#x}\n"
        f"CPU architecture: 8\nCPU part\t: {part:#x}\nCPU revision\t: 1\n"
        for cpu, (maker, part) in enumerate(parts)
    )


_XIAOMI_14_CORES = [(0x41, 0xD80)] * 2 + [(0x41, 0xD81)] * 5 + [(0x41, 0xD82)]
_XIAOMI_14_CLOCKS = [2265600] * 2 + [3148800] * 3 + [2956800] * 2 + [3302400]

XIAOMI_14 = f"""@@ getprop
[ro.board.platform]: [pineapple]
[ro.build.fingerprint]: [Xiaomi/houji/houji:14/UKQ1.230804.001/V816.0.5.0.UNCCNXM:user/release-keys]
[ro.build.version.release]: [14]
[ro.build.version.sdk]: [34]
[ro.product.cpu.abilist]: [arm64-v8a]
[ro.product.manufacturer]: [Xiaomi]
[ro.product.marketname]: [Xiaomi 14]
[ro.product.model]: [23127PN0CC]
[ro.soc.manufacturer]: [QTI]
[ro.soc.model]: [SM8650]
@@ meminfo
MemTotal:       15704412 kB
MemFree:          612340 kB
MemAvailable:    6712340 kB
@@ cpuinfo
{_cpuinfo(_XIAOMI_14_CORES)}
@@ kernel
Linux version 6.1.25-android14-11-g34fde9ec08a3-ab10991743 (build-user@build-host) #1 SMP PREEMPT
@@ cpus
{chr(10).join(f"{cpu} {clock}" for cpu, clock in enumerate(_XIAOMI_14_CLOCKS))}
@@ gpu
Adreno750v2
@@ gles
GLES: Qualcomm, Adreno (TM) 750, OpenGL ES 3.2 V@0762.10 (GIT@1394a2c7a8) (Date:02/23/24)
@@ end
"""

# An older Android without ro.soc.model; the fastest core is offline, and SurfaceFlinger may not be asked.
REDMI_NOTE_9_PRO = f"""@@ getprop
[ro.board.platform]: [lito]
[ro.build.version.release]: [10]
[ro.build.version.sdk]: [29]
[ro.product.cpu.abilist]: [arm64-v8a,armeabi-v7a,armeabi]
[ro.product.manufacturer]: [Xiaomi]
[ro.product.model]: [M2007J17C]
[ro.hardware.chipname]: [SM7225]
@@ meminfo
MemTotal:        7714412 kB
@@ cpuinfo
{_cpuinfo([(0x51, 0x805)] * 6 + [(0x51, 0x804)])}
@@ kernel
Linux version 4.19.81-perf-g2f2a4a2 (builder@host) #1 SMP PREEMPT
@@ cpus
0 1804800
1 1804800
2 1804800
3 1804800
4 1804800
5 1804800
6 2208000
7 2208000
@@ gpu
Adreno619v1
@@ gles
Permission Denial: can't dump SurfaceFlinger from pid=8123, uid=2000
@@ end
"""

DENIED = """@@ getprop
[ro.product.model]: [SM-A526B]
[ro.board.platform]: [lagoon]
@@ meminfo
cat: /proc/meminfo: Permission denied
@@ cpuinfo
processor\t: 0
CPU implementer\t: 0x41
CPU part\t: 0xfff
processor\t: 1
@@ kernel
cat: /proc/version: Permission denied
@@ cpus
0 cat: /sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq: Permission denied
1 cat: /sys/devices/system/cpu/cpu1/cpufreq/cpuinfo_max_freq: Permission denied
@@ gpu
cat: /sys/class/kgsl/kgsl-3d0/gpu_model: No such file or directory
@@ gles
@@ end
"""
