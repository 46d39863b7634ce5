"""Whether a phone is cool and charged enough to go on, as a plan asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from as2d.backend.compare.plan import Gate
from as2d.backend.errors import HelperFailed
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.telemetry import Telemetry
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.still_busy import duration_text

_LOOK_SECONDS = 1.0
_FIRST_SAMPLE_SECONDS = 20.0
_COLDEST, _HOTTEST = -40.0, 150.0


@dataclass
class _Told:
    """What one source told last: °C of the hottest zone and of the battery, and its level."""

    hottest: float | None = None
    battery: float | None = None
    level: int | None = None

    def take(self, event: Telemetry | PhoneReading) -> None:
        zones = [zone.celsius for zone in event.thermal if _COLDEST < zone.celsius < _HOTTEST]
        self.hottest = max(zones, default=self.hottest)
        if event.battery is not None and event.battery.temperature_c is not None:
            self.battery = event.battery.temperature_c
        if event.battery is not None and event.battery.level is not None:
            self.level = event.battery.level


class PhoneGate:
    """Watches a phone's events; `wait` returns when a cell may begin."""

    def __init__(self, gate: Gate, phone: str) -> None:
        self._gate = gate
        self._phone = phone
        self._told: dict[type[RecordedEvent], _Told] = {Telemetry: _Told(), PhoneReading: _Told()}

    def __call__(self, event: RecordedEvent) -> None:
        """Take an event of the phone (an Observer)."""
        if isinstance(event, Telemetry | PhoneReading):
            self._told[type(event)].take(event)

    @property
    def _celsius(self) -> float | None:
        """The hottest zone as the helper tells it; else as the phone's own report does, else the battery."""
        told = self._told.values()
        each = (*(one.hottest for one in told), *(one.battery for one in told))
        return next((celsius for celsius in each if celsius is not None), None)

    @property
    def _level(self) -> int | None:
        return next((one.level for one in self._told.values() if one.level is not None), None)

    def wait(self, cancel: CancelToken, tell: Callable[[str], None]) -> None:
        """Wait until the phone may begin a cell; `tell` is told what it waits for, about once a second.

        Raises:
            HelperFailed: it did not get so far in the time that the plan grants, or tells nothing of it.
            Cancelled: cancelled meanwhile.
        """
        if self._gate.hottest_c is None and self._gate.battery_percent is None:
            return
        begin = time.monotonic()
        woken = threading.Event()
        with cancel.calling(woken.set):
            while (reason := self._reason()) is not None:
                took = time.monotonic() - begin
                if took >= max(self._gate.wait_s, _FIRST_SAMPLE_SECONDS if self._unknown() else 0.0):
                    raise self._over(took)
                tell(f"{reason}, {duration_text(took)} so far")
                woken.wait(_LOOK_SECONDS)
                cancel.check()

    def _unknown(self) -> bool:
        gate = self._gate
        return (gate.hottest_c is not None and self._celsius is None) or (
            gate.battery_percent is not None and self._level is None
        )

    def _reason(self) -> str | None:
        gate = self._gate
        if self._unknown():
            return "wait for the sensors"
        if gate.hottest_c is not None and self._celsius is not None and self._celsius > gate.hottest_c:
            return f"cool down from {self._celsius:.1f} to {gate.hottest_c:.1f} °C"
        if (
            gate.battery_percent is not None
            and self._level is not None
            and self._level < gate.battery_percent
        ):
            return f"charge from {self._level} to {gate.battery_percent} %"
        return None

    def _over(self, took: float) -> HelperFailed:
        after = f"after {duration_text(took)}"
        if self._unknown():
            return HelperFailed(
                f"The phone {self._phone} tells no temperature or battery level that the plan asks for; "
                "leave that out of the plan's gate, `as2d sensors` says why."
            )
        if (reason := self._reason()) is not None and reason.startswith("charge"):
            return HelperFailed(
                f"The battery of {self._phone} is still at {self._level} % {after}, and the plan asks for "
                f"{self._gate.battery_percent} %; charge it and run the same command again to go on."
            )
        return HelperFailed(
            f"The phone {self._phone} is still at {self._celsius:.1f} °C {after}, and the plan asks for "
            f"{self._gate.hottest_c:.1f} °C; run the same command again to go on when it is cooler."
        )
