"""A trace says what the run's stream says; read back with Perfetto's own message classes."""

from __future__ import annotations

import io
import itertools
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from as2d.backend.export.perfetto import write_perfetto
from as2d.backend.protocol import decode_events
from as2d.backend.runs.store import StoredRun


@dataclass
class Slice:
    """A slice of a track."""

    begin: int
    end: int
    name: str
    notes: dict[str, Any]
    out: list[int]
    into: list[int]


@dataclass
class Read:
    """A trace that was read back."""

    process: Any = None
    order: list[str] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    slices: dict[str, list[Slice]] = field(default_factory=lambda: defaultdict(list))
    values: dict[str, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))


def _value(annotation: Any) -> Any:
    if annotation.array_values:
        return [_value(item) for item in annotation.array_values]
    kind = annotation.WhichOneof("value")
    return getattr(annotation, kind) if kind is not None else []


def read(content: bytes) -> Read:
    """Read a trace as the Perfetto UI does: by the tracks' numbers, slices closed in order."""
    found, names, ranks = Read(), {}, {}
    opened: dict[int, Slice] = {}
    for packet in Trace.FromString(content).packet:
        assert packet.trusted_packet_sequence_id
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            if descriptor.HasField("process"):
                found.process = descriptor
                continue
            assert descriptor.parent_uuid == found.process.uuid
            names[descriptor.uuid] = descriptor.name
            ranks[descriptor.name] = descriptor.sibling_order_rank
            if descriptor.HasField("counter"):
                found.units[descriptor.name] = descriptor.counter.unit_name
            continue
        event, name = packet.track_event, names[packet.track_event.track_uuid]
        if event.type == TrackEvent.TYPE_COUNTER:
            found.values[name].append((packet.timestamp, event.double_counter_value))
        elif event.type == TrackEvent.TYPE_SLICE_BEGIN:
            notes = {note.name: _value(note) for note in event.debug_annotations}
            opened[event.track_uuid] = Slice(
                packet.timestamp, 0, event.name, notes, list(event.flow_ids), list(event.terminating_flow_ids)
            )
        else:
            closed = opened.pop(event.track_uuid)
            closed.end = packet.timestamp
            found.slices[name].append(closed)
    assert not opened
    found.order = sorted(ranks, key=lambda name: ranks[name])
    return found


@pytest.fixture(scope="module")
def trace(stored: StoredRun) -> Read:
    file = io.BytesIO()
    write_perfetto(stored, file)
    return read(file.getvalue())


def test_tracks_have_the_actors_names_and_counters_their_units(trace: Read, stored: StoredRun) -> None:
    assert trace.process.process.process_name == f"AS²D run {stored.manifest.run}"
    assert trace.order[:5] == ["Requests", "Encoder", "Drafter", "Target", "Commits"]
    assert trace.units == {"Candidates ready": "tokens", "Acceptance": "%", "Decode speed": "tokens/s"}


def test_slices_are_as_many_as_the_run_counts(trace: Read, stored: StoredRun) -> None:
    fold = stored.fold(details=True)
    requests = list(fold.requests.values())
    results = [request.result for request in requests if request.result is not None]
    preparations = list(fold.preparations.values())
    calls = sum(result.counters.calls + result.counters.guard_calls for result in results)
    prefills = sum(stage.stage == "prefill" for part in preparations for stage in part.stages)
    drafter = [stage for part in preparations for stage in part.stages if stage.actor == "drafter"]
    assert calls > 50
    assert len(trace.slices["Requests"]) == len(results)
    assert len(trace.slices["Target"]) == calls + prefills
    assert len(trace.slices["Drafter"]) == len(drafter) + sum(len(part.drafts) for part in preparations)
    assert len(trace.slices["Commits"]) == sum(len(request.commits) for request in requests)
    accepted = sum(slice_.notes.get("accepted", 0) for slice_ in trace.slices["Target"])
    assert accepted == sum(result.counters.accepted for result in results)
    texts = "".join(slice_.notes["text"] for slice_ in trace.slices["Commits"])
    assert texts == "".join(result.text for result in results)


def test_slices_of_a_track_do_not_overlap(trace: Read) -> None:
    for slices in trace.slices.values():
        assert all(slice_.begin <= slice_.end for slice_ in slices)
        assert all(left.end <= right.begin for left, right in itertools.pairwise(slices))


def test_a_call_says_what_it_verified(trace: Read, stored: StoredRun) -> None:
    calls = [event for event in stored.events() if isinstance(event, decode_events.Call)]
    first = next(call for call in calls if call.candidates)
    shown = next(slice_ for slice_ in trace.slices["Target"] if slice_.begin == first.start)
    assert shown.name == "V 5/4"
    assert (shown.notes["root"], shown.notes["root id"]) == (" And", first.root)
    assert shown.notes["candidates"] == [" so", " my", " fellow", " Americans"]
    assert shown.notes["candidate ids"] == list(first.candidates)
    assert shown.notes["choice ids"] == list(first.choices)
    assert shown.notes["accepted"] == 4
    assert shown.end == first.end


def test_flows_lead_from_each_accepted_candidate_to_its_call(trace: Read) -> None:
    begins = {flow: slice_ for slice_ in trace.slices["Drafter"] for flow in slice_.out}
    ends = {flow: slice_ for slice_ in trace.slices["Target"] for flow in slice_.into}
    assert begins.keys() == ends.keys()
    uses = Counter(flow for slice_ in trace.slices["Drafter"] for flow in slice_.out)
    assert set(uses.values()) == {1}
    accepted = sum(slice_.notes.get("accepted", 0) for slice_ in trace.slices["Target"])
    assert len(ends) == accepted > 0
    for flow, draft in begins.items():
        assert draft.end <= ends[flow].end
        if draft.notes["text"]:
            candidates = ends[flow].notes["candidates"][: ends[flow].notes["accepted"]]
            assert any(
                draft.notes["text"].endswith(text) or text.endswith(draft.notes["text"])
                for text in candidates
            )


def test_counters_are_those_of_the_window(trace: Read, stored: StoredRun) -> None:
    from as2d.app.viewmodels.run import RunViewModel

    run = RunViewModel()
    run.feed(stored.events())
    speed = run.timeline.speed
    for name, series, factor in (
        ("Candidates ready", speed.ready, 1),
        ("Acceptance", speed.acceptance, 100),
        ("Decode speed", speed.tps, 1),
    ):
        known = [(t, v) for t, v in zip(series.times.tolist(), series.values.tolist(), strict=True) if v == v]
        values = trace.values[name]
        assert [value for _, value in values] == pytest.approx(
            [value * factor for _, value in known], rel=1e-6
        )
        # A series puts a sample that came late behind the last one; a trace is sorted by its reader.
        assert all(t <= shown for (t, _), (shown, _) in zip(values, known, strict=True))
