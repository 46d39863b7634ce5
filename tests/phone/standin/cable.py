"""The cable between phone and adb server: counts what passes; cut, blocked or slowed at any byte."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

Direction = Literal["to_phone", "to_host"]
_SLICES_A_SECOND = 20


class CableCut(Exception):
    """This connection is over."""


@dataclass
class _Trigger:
    direction: Direction
    remaining: int  # payload bytes
    service: str
    act: Callable[[], None]

    def fits(self, direction: Direction, service: str) -> bool:
        return self.direction == direction and service.startswith(self.service)


class Cable:
    """Shared by all connections of a phone. Bytes are those that services and host say (WRTE payloads)."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._triggers: list[_Trigger] = []
        self.stalled = False
        self._held: str | None = None
        self.bytes_per_second: float | None = None
        self.passed: dict[Direction, int] = {"to_phone": 0, "to_host": 0}

    def when(
        self, passed: int, act: Callable[[], None], *, direction: Direction = "to_phone", service: str = ""
    ) -> None:
        """Calls `act` once, when `passed` further bytes of services that start with `service` have passed."""
        with self._changed:
            self._triggers.append(_Trigger(direction, passed, service, act))

    def stall(self) -> None:
        """No byte passes any more, and nobody is told."""
        with self._changed:
            self.stalled = True

    def resume(self) -> None:
        """Ends a stall."""
        with self._changed:
            self.stalled = False
            self._changed.notify_all()

    def hold(self, service: str) -> None:
        """Services that start with `service` take no byte any more, while all others go on."""
        with self._changed:
            self._held = service

    def release(self) -> None:
        """Ends a hold."""
        with self._changed:
            self._held = None
            self._changed.notify_all()

    def wait_released(self, service: str, is_cut: Callable[[], bool]) -> None:
        """Waits while the service is held; raises CableCut when the connection ends meanwhile."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._held is None or not service.startswith(self._held) or is_cut()
            )
        if is_cut():
            raise CableCut

    def wake(self) -> None:
        """Lets those who wait see that their connection is over."""
        with self._changed:
            self._changed.notify_all()

    def clear(self) -> None:
        """Takes every fault away."""
        with self._changed:
            self._triggers.clear()
            self.bytes_per_second = None
            self.stalled = False
            self._held = None
            self._changed.notify_all()

    def wait_clear(self, is_cut: Callable[[], bool]) -> None:
        """Waits while the cable is stalled; raises CableCut when the connection ends meanwhile."""
        with self._changed:
            self._changed.wait_for(lambda: not self.stalled or is_cut())
        if is_cut():
            raise CableCut

    def allowance(self, direction: Direction, service: str, wanted: int) -> int:
        """How many of `wanted` payload bytes may be moved in one piece; at least 1 if any are wanted."""
        with self._changed:
            nearest = [t.remaining for t in self._triggers if t.fits(direction, service) and t.remaining > 0]
            rate = self.bytes_per_second
        largest = wanted if rate is None else max(1, int(rate / _SLICES_A_SECOND))
        return min(wanted, largest, *nearest)

    def account(self, direction: Direction, service: str, count: int) -> None:
        """Counts `count` bytes that have passed (0: a packet starts) and does what is due."""
        due = []
        with self._changed:
            self.passed[direction] += count
            for trigger in list(self._triggers):
                if trigger.fits(direction, service):
                    trigger.remaining -= count
                    if trigger.remaining <= 0:
                        self._triggers.remove(trigger)
                        due.append(trigger.act)
            rate = self.bytes_per_second
        for act in due:
            act()
        if rate is not None and count:
            time.sleep(count / rate)
