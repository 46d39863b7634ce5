"""The counters of a recorded stream, sample by sample: what the window draws live, for files."""

from __future__ import annotations

from typing import Literal, NamedTuple

from as2d.backend.metrics.clock import RunClock
from as2d.backend.metrics.counters import CounterName, Counters
from as2d.backend.metrics.sensor_values import raw_power_of, temperature_of
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.protocol.telemetry import Telemetry

Counter = Literal["ready", "acceptance", "tps", "temperature", "power"]
UNITS: dict[Counter, str] = {
    "ready": "tokens",
    "acceptance": "",
    "tps": "tokens/s",
    "temperature": "°C",
    "power": "W",
}
"""The counters with their units; acceptance is a share, 0 to 1."""


class Sample(NamedTuple):
    """A value that holds from `t` (ns of the clock) on; not-a-number: unknown from there on."""

    t: int
    counter: Counter
    value: float


class CounterStream:
    """Takes the events of one stream in order. `watts`: what the battery's raw power is multiplied by; None:
    there is no counter of power.
    """

    def __init__(self, clock: RunClock, watts: float | None) -> None:
        """`clock` is told of restarted helpers by whoever owns it."""
        self._clock = clock
        self._watts = watts
        self._found: list[Sample] = []
        self._counters = Counters(self._note)
        self._preparations: dict[str, str | None] = {}
        self._decode: dict[str, int | None] = {}

    def feed(self, event: RecordedEvent) -> list[Sample]:
        """The samples that an event brings."""
        self._found = []
        match event:
            case Telemetry():
                self._telemetry(event)
            case host_events.PrepareSent():
                self._preparations[event.preparation] = None
            case host_events.RequestSent() if event.preparation in self._preparations:
                self._preparations[event.preparation] = event.request
                self._decode[event.request] = None
            case decode_events.Stage() if event.stage == "prefill":
                request = self._preparations.get(event.window)
                if request is not None:
                    self._decode[request] = self._clock.at(event.end)
            case decode_events.Publish() if event.window in self._preparations:
                self._counters.published(self._clock.at(event.t), event.window, event.length)
            case decode_events.Call() if event.request in self._decode:
                self._counters.called(event, self._clock.at(event.end))
            case decode_events.Commit() if event.request in self._decode:
                tokens = len(event.tokens) - event.origins.count("prefill")
                decode = self._decode[event.request]
                self._counters.committed(self._clock.at(event.t), tokens, event.request, decode)
            case decode_events.Result() if event.request in self._decode:
                self._counters.ended(self._clock.at(event.times.end))
            case events.Released():
                request = self._preparations.pop(event.window, None)
                self._decode.pop(request or "", None)
        return self._found

    def _note(self, name: CounterName, t: int, value: float) -> None:
        self._found.append(Sample(t, name, value))

    def _telemetry(self, event: Telemetry) -> None:
        t = self._clock.at(event.t)
        temperature, raw = temperature_of(event), raw_power_of(event)
        if temperature is not None:
            self._found.append(Sample(t, "temperature", temperature[1]))
        if raw is not None and self._watts is not None:
            self._found.append(Sample(t, "power", raw * self._watts))
