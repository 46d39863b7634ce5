"""Android's own reports of battery and temperatures, asked for while a helper cannot read them itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.shell import run
from as2d.backend.devices.dumpsys import parse_battery, parse_thermal
from as2d.backend.errors import HelperFailed
from as2d.backend.models.progress import Cancelled
from as2d.backend.protocol.host_events import HostEvent, PhoneReading
from as2d.backend.protocol.message import now_ns
from as2d.backend.protocol.telemetry import Battery, ZoneTemperature
from as2d.backend.transcribe.cancel import CancelToken

REPORTS = frozenset({"battery", "thermal"})
"""What Android can be asked for."""
PERIOD_SECONDS = 5.0
"""A report takes tens of milliseconds of the phone: asking more often would disturb what is measured."""

_ANSWER_SECONDS = 10.0


class ReportWatch:
    """Asks every 5 s for what is lacking, on a thread of its own, until it is closed.

    `lacking` names what the helper cannot tell: of `battery` and `thermal`, none at first. `say` gets the
    readings. While the phone is out of reach nothing is asked.
    """

    def __init__(
        self,
        target: Callable[[], AdbTarget],
        lacking: Callable[[], frozenset[str]],
        say: Callable[[HostEvent], None],
        period_seconds: float = PERIOD_SECONDS,
    ) -> None:
        self._target = target
        self._lacking = lacking
        self._say = say
        self._period = period_seconds
        self._over = threading.Event()
        self._cancel = CancelToken()
        self._thread = threading.Thread(target=self._watch, name="phone-reports", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it, also in the middle of a question."""
        self._over.set()
        self._cancel.cancel()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(self._period):
            lacking = self._lacking()
            if lacking:
                with suppress(HelperFailed, Cancelled):  # asked again when the phone is back
                    self._say(read_reports(self._target(), lacking, self._cancel))


def read_reports(target: AdbTarget, lacking: frozenset[str], cancel: CancelToken) -> PhoneReading:
    """What Android says of what is lacking, or why it says nothing.

    Raises:
        TransportLost: the phone is out of reach.
        Cancelled: cancelled meanwhile.
    """
    missing: dict[str, str] = {}
    battery: Battery | None = None
    temperatures: tuple[ZoneTemperature, ...] = ()
    throttling, source = None, None
    if "battery" in lacking:
        report = parse_battery(_ask(target, "battery", cancel))
        battery = report.as_reading()
        if battery is None:
            missing["battery"] = "dumpsys battery: " + (
                "the report is faked" if report.faked else "no report"
            )
    if "thermal" in lacking:
        thermal = parse_thermal(_ask(target, "thermalservice", cancel))
        temperatures, throttling, source = thermal.temperatures, thermal.throttling, thermal.source
        if thermal.missing is not None:
            missing["thermal"] = thermal.missing
    return PhoneReading(
        t=now_ns(),
        battery=battery,
        thermal=temperatures,
        thermal_source=source,
        throttling=throttling,
        missing=missing,
    )


def _ask(target: AdbTarget, service: str, cancel: CancelToken) -> str:
    said = run(target, ["dumpsys", service], seconds=_ANSWER_SECONDS, cancel=cancel)
    return said.out.decode("utf-8", "replace")
