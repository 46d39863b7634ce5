"""Writes Perfetto track events: slices, counters and flows, packet by packet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import IO

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import (
    CounterDescriptor,
    DebugAnnotation,
    TracePacket,
    TrackDescriptor,
    TrackEvent,
)
from perfetto.trace_builder.proto_builder import StreamingTraceProtoBuilder

_TRACKS = 1000
"""Room for the tracks of one process."""
_FLOWS = 1 << 32
_PIDS = 10_000_000

Value = bool | int | float | str | None | Sequence["Value"]
Annotations = Mapping[str, Value]


class PerfettoFile:
    """A process of a trace; tracks are told apart by number and shown in the order they are made.

    Times are ns of CLOCK_BOOTTIME, the clock that traces have by default. The slices of a track come in their
    order.
    """

    def __init__(
        self,
        file: IO[bytes],
        name: str,
        pid: int,
        labels: Sequence[str],
        *,
        number: int = 0,
        shift_ns: int = 0,
    ) -> None:
        """`number` tells the processes of one file apart, `shift_ns` is added to all its times."""
        self._builder = StreamingTraceProtoBuilder(file)
        self._sequence = number + 1
        self._process = self._tracks = number * _TRACKS + 1
        self._flows = number * _FLOWS
        self._shift_ns = shift_ns
        pid += number * _PIDS
        first = self._builder.create_packet()
        first.trusted_packet_sequence_id = self._sequence
        first.sequence_flags = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        first.first_packet_on_sequence = True
        descriptor = first.track_descriptor
        descriptor.uuid = self._process
        descriptor.child_ordering = TrackDescriptor.EXPLICIT
        descriptor.process.pid = pid
        descriptor.process.process_name = name
        descriptor.process.process_labels.extend(labels)
        self._builder.write_packet(first)

    def track(self, name: str, about: str) -> int:
        """A new track of slices; its number."""
        return self._describe(name, about, None)

    def counter(self, name: str, about: str, unit: str) -> int:
        """A new track of values; its number."""
        return self._describe(name, about, unit)

    def span(
        self,
        track: int,
        begin: int,
        end: int,
        name: str,
        annotations: Annotations,
        *,
        category: str,
        out: Sequence[int] = (),
        into: Sequence[int] = (),
    ) -> None:
        """A slice; `out` are the flows that begin in it, `into` those that end in it."""
        packet = self._event(track, begin, TrackEvent.TYPE_SLICE_BEGIN)
        event = packet.track_event
        event.name = name
        event.categories.append(category)
        event.flow_ids.extend(self._flows + flow for flow in out)
        event.terminating_flow_ids.extend(self._flows + flow for flow in into)
        for key, value in annotations.items():
            if value is not None:
                _annotate(event.debug_annotations.add(name=key), value)
        self._builder.write_packet(packet)
        self._builder.write_packet(self._event(track, end, TrackEvent.TYPE_SLICE_END))

    def value(self, track: int, t: int, value: float) -> None:
        """A value that holds from `t` on."""
        packet = self._event(track, t, TrackEvent.TYPE_COUNTER)
        packet.track_event.double_counter_value = value
        self._builder.write_packet(packet)

    def _describe(self, name: str, about: str, unit: str | None) -> int:
        self._tracks += 1
        packet = self._builder.create_packet()
        packet.trusted_packet_sequence_id = self._sequence
        descriptor = packet.track_descriptor
        descriptor.uuid = self._tracks
        descriptor.parent_uuid = self._process
        descriptor.name = name
        descriptor.description = about
        descriptor.sibling_order_rank = self._tracks
        if unit is not None:
            descriptor.counter.CopyFrom(CounterDescriptor(unit_name=unit))
        self._builder.write_packet(packet)
        return self._tracks

    def _event(self, track: int, t: int, kind: int) -> TracePacket:
        packet = self._builder.create_packet()
        packet.trusted_packet_sequence_id = self._sequence
        packet.timestamp = t + self._shift_ns
        packet.track_event.type = kind
        packet.track_event.track_uuid = track
        return packet


def _annotate(annotation: DebugAnnotation, value: Value) -> None:
    if isinstance(value, bool):
        annotation.bool_value = value
    elif isinstance(value, int):
        annotation.int_value = value
    elif isinstance(value, float):
        annotation.double_value = value
    elif isinstance(value, str):
        annotation.string_value = value
    elif value is not None:
        for item in value:
            _annotate(annotation.array_values.add(), item)
