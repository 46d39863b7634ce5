"""What a long run did, minute by minute: fed live or from its recorded stream, with the same result."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from as2d.backend.energy.calibration import CurrentCalibration, calibrate, settled
from as2d.backend.energy.series import BatterySeries
from as2d.backend.energy.spans import Spans
from as2d.backend.metrics.clock import RunClock
from as2d.backend.metrics.measures import decode_seconds
from as2d.backend.metrics.sensor_values import raw_power_of, temperature_of, watts_per_raw
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.message import NANOSECONDS
from as2d.backend.protocol.telemetry import Telemetry

_LONG_MINUTES = 5
NOT_THROTTLED = "none"
"""Android's word where it does not slow the phone down."""


def seconds_of_part(minutes: float) -> int:
    """How long the parts are in which a run of so many minutes is shown: minutes, or less in a short one."""
    return 60 if minutes >= _LONG_MINUTES else 10


class OtherText(NamedTuple):
    """The first decode whose tokens are not those that the window had before; `position` from 0."""

    audio: str
    window: str
    arm: str
    position: int
    text: str
    before: str


@dataclass
class Decodes:
    """One row a decode that counts: its part, its arm and window by number, its tokens after the first and
    its decode time in ns.
    """

    parts: array[int] = field(default_factory=lambda: array("I"))
    arms: array[int] = field(default_factory=lambda: array("B"))
    windows: array[int] = field(default_factory=lambda: array("I"))
    tokens: array[int] = field(default_factory=lambda: array("I"))
    nanoseconds: array[int] = field(default_factory=lambda: array("q"))

    def __len__(self) -> int:
        return len(self.parts)

    def column(self, name: str) -> NDArray[np.int64]:
        """A column as numbers of its own."""
        return np.array(getattr(self, name), np.int64)


class _Parts:
    """A value a part; not-a-number where there is none."""

    def __init__(self) -> None:
        self.values = array("d")

    def _at(self, part: int) -> int:
        while len(self.values) <= part:
            self.values.append(math.nan)
        return part

    def raise_to(self, part: int, value: float) -> None:
        """The highest of a part."""
        place = self._at(part)
        if not self.values[place] >= value:
            self.values[place] = value


class _Means(_Parts):
    """The mean of each part; a part with a value that is not-a-number has none."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = array("I")

    def add(self, part: int, value: float) -> None:
        place = self._at(part)
        while len(self._counts) <= part:
            self._counts.append(0)
        before = self.values[place] if self._counts[place] else 0.0
        self._counts[place] += 1
        self.values[place] = before + (value - before) / self._counts[place]


@dataclass(frozen=True)
class _Asked:
    arm: str
    window: str
    warm_up: bool


class SustainedFold:
    """Takes the events of a long run in order and keeps some numbers a part and a row a decode: a few MB for
    ten hours.

    Parts begin with the first decode that counts. Temperatures in °C, clocks in kHz, memory in bytes.
    """

    def __init__(self, minutes: float) -> None:
        """`minutes`: how long the run was meant to be."""
        self.part_seconds = seconds_of_part(minutes)
        self.decodes = Decodes()
        self.arms: list[str] = []
        self.windows: list[str] = []
        self.recording_of: dict[str, str] = {}
        self.temperature = _Parts()
        self.memory = _Parts()
        self.clock = _Means()
        self.start_celsius: float | None = None
        self.hottest_zone = ""
        self.throttled: list[tuple[float, str]] = []
        """Seconds from the begin, and Android's word from then on, wherever it changed."""
        self.compared = 0
        self.differing = 0
        self.first_other: OtherText | None = None
        self.missing: dict[str, str] = {}
        self.status: host_events.RunStatus = "running"
        self.calibration: CurrentCalibration | None = None
        self._raw_power = _Means()
        self._charging = False
        self._begin: int | None = None
        self._clock = RunClock()
        self._now = 0
        self._preparations: dict[str, str] = {}
        self._asked: dict[str, _Asked] = {}
        self._audio: dict[str, str] = {}
        self._texts: dict[str, tuple[tuple[int, ...], str]] = {}
        self._battery = BatterySeries()
        self._busy = Spans()

    def calibrate(self, calibration: CurrentCalibration | None) -> None:
        """What the battery's current means, where that is known."""
        self.calibration = calibration

    @property
    def seconds(self) -> float:
        """From the first decode that counts to the newest event, 0 before."""
        return 0.0 if self._begin is None else max(self._now - self._begin, 0) / NANOSECONDS

    @property
    def parts(self) -> int:
        """How many parts have begun."""
        return 0 if self._begin is None else int(self.seconds // self.part_seconds) + 1

    @property
    def power(self) -> NDArray[np.float64] | None:
        """Mean watts of the battery in each part; None: they cannot be known."""
        factor = watts_per_raw(self.calibration)
        if factor is None or not len(self._raw_power.values):
            return None
        return np.array(self._raw_power.values) * factor

    @property
    def raw_power_known(self) -> bool:
        """Whether the battery told a current that is not understood yet, or is."""
        return any(not math.isnan(value) for value in self._raw_power.values)

    @property
    def charging(self) -> bool:
        """Whether a charger fed the device in the newest sample that told of a battery."""
        return self._charging

    def feed(self, event: RecordedEvent) -> None:
        """Take one event."""
        match event:
            case events.Hello():
                self._clock.restarted(event.t)
            case Telemetry():
                self._take_sensors(event)
            case host_events.RecordingQueued():
                self._audio[event.recording] = event.audio
            case host_events.WindowCut():
                self.recording_of[event.window] = event.recording
            case host_events.PrepareSent():
                self._preparations[event.preparation] = event.window
            case host_events.RequestSent():
                window = self._preparations.pop(event.preparation, "")
                self._asked[event.request] = _Asked(event.arm or "", window, event.warm_up)
            case host_events.PhoneReading():
                self._take_reading(event)
            case decode_events.Call() | decode_events.Stage():
                self._busy.add(event.start, event.end)
            case decode_events.Result():
                self._take_result(event)
            case host_events.RunEnded():
                self.status = event.status
                self.calibration = settled(self.calibration, calibrate(self._battery, self._busy))

    def _part(self, t: int) -> int:
        return 0 if self._begin is None else int(max(t - self._begin, 0) / NANOSECONDS // self.part_seconds)

    def _take_result(self, event: decode_events.Result) -> None:
        asked = self._asked.pop(event.request, None)
        if asked is None or event.stop == "cancelled":
            return
        if asked.arm not in self.arms:
            self.arms.append(asked.arm)
        end = self._clock.at(event.times.end)
        self._now = max(self._now, end)
        self._compare(asked, event)
        if asked.warm_up:
            return
        if self._begin is None:
            self._begin = self._clock.at(event.times.request)
        if asked.window not in self.windows:
            self.windows.append(asked.window)
        decodes = self.decodes
        decodes.parts.append(self._part(end))
        decodes.arms.append(self.arms.index(asked.arm))
        decodes.windows.append(self.windows.index(asked.window))
        decodes.tokens.append(max(event.counters.tokens - 1, 0))
        decodes.nanoseconds.append(round(decode_seconds(event) * NANOSECONDS))

    def _compare(self, asked: _Asked, event: decode_events.Result) -> None:
        before = self._texts.get(asked.window)
        if before is None:
            self._texts[asked.window] = event.tokens, event.text
            return
        self.compared += 1
        if before[0] == event.tokens:
            return
        self.differing += 1
        if self.first_other is None:
            pairs = enumerate(zip(before[0], event.tokens, strict=False))
            shorter = min(len(before[0]), len(event.tokens))
            position = next((place for place, (one, two) in pairs if one != two), shorter)
            audio = self._audio.get(self.recording_of.get(asked.window, ""), "")
            self.first_other = OtherText(audio, asked.window, asked.arm, position, event.text, before[1])

    def _take_sensors(self, event: Telemetry) -> None:
        t = self._clock.at(event.t)
        self._now = max(self._now, t)
        self._battery.add(event)
        self.missing = event.missing
        part = self._part(t)
        found = temperature_of(event)
        if found is not None:
            self._take_temperature(part, *found)
        raw = raw_power_of(event)
        if raw is not None:
            self._charging = math.isnan(raw)
        if self._begin is None:
            return
        if raw is not None:
            self._raw_power.add(part, raw)
        self.memory.raise_to(part, event.rss_bytes)
        clocks = [khz for khz in event.cpu_khz or () if khz is not None]
        if clocks:
            self.clock.add(part, max(clocks))

    def _take_reading(self, event: host_events.PhoneReading) -> None:
        """What Android said; its time is the host's, so it counts as said now."""
        part = self._part(self._now)
        if event.thermal_source == "hal" and event.thermal:
            hottest = max(event.thermal, key=lambda zone: zone.celsius)
            self._take_temperature(part, hottest.zone, hottest.celsius)
        word = event.throttling
        if word is not None and (not self.throttled or self.throttled[-1][1] != word):
            self.throttled.append((self.seconds, word))

    def _take_temperature(self, part: int, zone: str, celsius: float) -> None:
        if self._begin is None:
            self.start_celsius = celsius
            return
        if self.start_celsius is None:
            self.start_celsius = celsius
        self.temperature.raise_to(part, celsius)
        self.hottest_zone = zone
