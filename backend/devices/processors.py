"""A phone's processors by their clocks and kinds."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.devices.placement import Cluster

# Numbers of makers and cores as `/proc/cpuinfo` prints them; Linux names them in
# arch/arm64/include/asm/cputype.h, as util-linux's lscpu does.
_CORES = {
    (0x41, 0xD03): "Cortex-A53",
    (0x41, 0xD05): "Cortex-A55",
    (0x41, 0xD0A): "Cortex-A75",
    (0x41, 0xD0B): "Cortex-A76",
    (0x41, 0xD0D): "Cortex-A77",
    (0x41, 0xD41): "Cortex-A78",
    (0x41, 0xD44): "Cortex-X1",
    (0x41, 0xD46): "Cortex-A510",
    (0x41, 0xD47): "Cortex-A710",
    (0x41, 0xD48): "Cortex-X2",
    (0x41, 0xD4D): "Cortex-A715",
    (0x41, 0xD4E): "Cortex-X3",
    (0x41, 0xD80): "Cortex-A520",
    (0x41, 0xD81): "Cortex-A720",
    (0x41, 0xD82): "Cortex-X4",
    (0x51, 0x802): "Kryo 3xx Gold",
    (0x51, 0x803): "Kryo 3xx Silver",
    (0x51, 0x804): "Kryo 4xx Gold",
    (0x51, 0x805): "Kryo 4xx Silver",
}


def clusters_of(clocks: Sequence[str], cpuinfo: Sequence[str]) -> tuple[Cluster, ...]:
    """Clusters by fastest clock and core, in the order of their first processors.

    Args:
        clocks: lines `<number> <fastest clock in kHz>`; another second word means that it is not told.
        cpuinfo: lines of `/proc/cpuinfo`, which lists only processors that are online.
    """
    fastest: dict[int, int | None] = {}
    for line in clocks:
        number, _, clock = line.partition(" ")
        if number.isdecimal():
            fastest[int(number)] = int(clock) if clock.isdecimal() and int(clock) > 0 else None
    names = _core_names(cpuinfo)
    for cpu in names:
        fastest.setdefault(cpu, None)
    groups: dict[tuple[int | None, str | None], list[int]] = {}
    for cpu in sorted(fastest):
        name = names.get(cpu)
        if name is None:
            # An offline processor is not in cpuinfo; its clock says which others it is like.
            alike = (names[other] for other in names if fastest[other] == fastest[cpu] is not None)
            name = next(alike, None)
        groups.setdefault((fastest[cpu], name), []).append(cpu)
    return tuple(
        Cluster(cpus=tuple(cpus), max_khz=clock, core=name) for (clock, name), cpus in groups.items()
    )


def _core_names(cpuinfo: Sequence[str]) -> dict[int, str | None]:
    found: dict[int, str | None] = {}
    cpu, maker = None, None
    for line in cpuinfo:
        key, _, value = (part.strip() for part in line.partition(":"))
        if key == "processor" and value.isdecimal():
            cpu, maker = int(value), None
            found[cpu] = None
        elif key == "CPU implementer":
            maker = _number(value)
        elif key == "CPU part" and cpu is not None:
            part = _number(value)
            if maker is not None and part is not None:
                found[cpu] = _CORES.get((maker, part), f"part {value} of maker {maker:#x}")
    return found


def _number(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None
