"""Whether a phone is cool and charged enough to go on, as a plan asks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from as2d.backend.compare.plan import Gate
from as2d.backend.errors import HelperFailed
from as2d.backend.metrics.sensor_values import temperature_of
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.telemetry import Telemetry
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.still_busy import duration_text

_LOOK_SECONDS = 1.0
_FIRST_SAMPLE_SECONDS = 20.0
_COLDEST, _HOTTEST = -40.0, 150.0


class PhoneGate:
    """Watches a phone's events; `wait` returns when a cell may begin."""

    def __init__(self, gate: Gate, phone: str) -> None:
        self._gate = gate
        self._phone = phone
        self._celsius: float | None = None
        self._level: int | None = None
        self._sampled = threading.Event()

    def __call__(self, event: RecordedEvent) -> None:
        """Take an event of the phone (an Observer)."""
        if isinstance(event, Telemetry):
            found = temperature_of(event)
            self._celsius = found[1] if found is not None else self._celsius
            if event.battery is not None and event.battery.level is not None:
                self._level = event.battery.level
            self._sampled.set()
        elif isinstance(event, PhoneReading):
            zones = [zone.celsius for zone in event.thermal if _COLDEST < zone.celsius < _HOTTEST]
            self._celsius = max(zones, default=self._celsius)
            if event.battery is not None and event.battery.level is not None:
                self._level = event.battery.level

    def wait(self, cancel: CancelToken, tell: Callable[[str], None]) -> None:
        """Wait until the phone may begin a cell; `tell` is told what it waits for, about once a second.

        Raises:
            HelperFailed: it did not get so far in the time that the plan grants, or tells nothing of it.
            Cancelled: cancelled meanwhile.
        """
        if self._gate.coolest_c is None and self._gate.battery_percent is None:
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
        return (gate.coolest_c is not None and self._celsius is None) or (
            gate.battery_percent is not None and self._level is None
        )

    def _reason(self) -> str | None:
        gate = self._gate
        if self._unknown():
            return "wait for the sensors"
        if gate.coolest_c is not None and self._celsius is not None and self._celsius > gate.coolest_c:
            return f"cool down from {self._celsius:.1f} to {gate.coolest_c:.1f} °C"
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
            f"{self._gate.coolest_c:.1f} °C; run the same command again to go on when it is cooler."
        )
