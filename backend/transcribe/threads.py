"""How many threads the models of a run take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from as2d.backend.devices.device import Device


@dataclass(frozen=True)
class TargetThreads:
    """Threads of a target alone, and while the drafter runs."""

    alone: int
    shared: int

    @classmethod
    def chosen(cls, device: Device, alone: int | None, shared: int | None = None) -> TargetThreads:
        """What was asked for, else what suits the device."""
        threads = alone or device.default_threads()
        return cls(threads, min(shared or device.default_shared_threads(threads), threads))


@dataclass(frozen=True)
class DrafterThreads:
    """Threads of a drafter while the target waits for it, and beside the target."""

    waited_for: int
    shared: int = 1
