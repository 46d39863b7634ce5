"""Which processors the target and the drafter get: the fast ones for the target, others for the drafter."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

from as2d.backend.devices.this_computer import USEFUL_THREADS


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Cluster(_Part):
    """Processors of one kind: their numbers, and the fastest clock of each in kHz (null: not told)."""

    cpus: tuple[int, ...] = Field(min_length=1)
    max_khz: int | None
    core: str | None = Field(default=None, description="the core's name, as Cortex-X4")


class Placement(_Part):
    """The processors for the target's threads and for the drafter's, and how many threads the target has.

    A device with one processor has the same for both. `reason` says in words how they were chosen.
    """

    target_cpus: tuple[int, ...] = Field(min_length=1)
    drafter_cpus: tuple[int, ...] = Field(min_length=1)
    threads: int = Field(ge=1)
    reason: str


def placement(
    clusters: Sequence[Cluster],
    *,
    target_cpus: Sequence[int] | None = None,
    drafter_cpus: Sequence[int] | None = None,
    threads: int | None = None,
) -> Placement | None:
    """Place target and drafter; what the user gives is kept, the rest is chosen around it.

    The target gets the fastest processors, at most 4 and none of the slowest cluster unless there is but one;
    the drafter gets the fastest cluster among the others. Null when no processors are known.
    """
    ranked = _ranked(clusters)
    if not ranked:
        return None
    chosen = tuple(target_cpus) if target_cpus else _for_target(ranked, set(drafter_cpus or ()))
    if drafter_cpus:
        others = tuple(drafter_cpus)
    else:
        others = _fastest([_without(cluster, set(chosen)) for cluster in ranked]) or chosen
    given = [
        name
        for name, value in (("target", target_cpus), ("drafter", drafter_cpus), ("threads", threads))
        if value
    ]
    told = any(cluster.max_khz is not None for cluster in clusters)
    rule = (
        "fastest processors by their clocks" if told else "processors by their numbers; clocks are not told"
    )
    return Placement(
        target_cpus=chosen,
        drafter_cpus=others,
        threads=threads or min(len(chosen), USEFUL_THREADS),
        reason=rule + (f"; given: {', '.join(given)}" if given else ""),
    )


def _ranked(clusters: Sequence[Cluster]) -> list[Cluster]:
    """The fastest first; with equal clocks the higher numbers, which are the big cores on phones."""
    merged: dict[int, list[Cluster]] = {}
    for cluster in clusters:
        merged.setdefault(cluster.max_khz or 0, []).append(cluster)
    return [
        Cluster(cpus=tuple(sorted({cpu for part in merged[khz] for cpu in part.cpus})), max_khz=khz)
        for khz in sorted(merged, reverse=True)
    ]


def _for_target(ranked: list[Cluster], taken: set[int]) -> tuple[int, ...]:
    free = [left for cluster in ranked if (left := _without(cluster, taken))]
    if not free:
        return ranked[0].cpus
    big = free[:-1]
    if not big:
        # All processors are alike: half of them, so that the drafter has its own.
        only = free[0]
        return only[-max(1, min(len(only) // 2, USEFUL_THREADS)) :]
    chosen: list[int] = []
    for cpus in big:
        room = USEFUL_THREADS - len(chosen)
        chosen += cpus[-room:] if room else ()
    return tuple(sorted(chosen))


def _fastest(groups: list[tuple[int, ...]]) -> tuple[int, ...]:
    return next((group for group in groups if group), ())


def _without(cluster: Cluster, taken: set[int]) -> tuple[int, ...]:
    return tuple(cpu for cpu in cluster.cpus if cpu not in taken)
