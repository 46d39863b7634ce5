"""The files of a comparison: whole, self-contained, the same each time, and readable."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from as2d.backend.bundles.opening import open_bundle
from as2d.backend.compare.judging.judge import judge
from as2d.backend.compare.reports.files import write_reports
from as2d.backend.errors import UserError
from as2d.backend.export.perfetto import write_perfetto_of_runs
from as2d.backend.models.progress import Cancelled
from as2d.backend.runs.store import RunStore, StoredRun

VOID = {"meta", "line", "rect", "circle", "polyline", "br"}


class Page(HTMLParser):
    """Collects what a page refers to and whether its elements are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.references: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.references += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]
        if tag == "script":
            self.references.append("script")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag, (tag, self.open[-3:])

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def runs(repository: Path, tmp_path: Path) -> list[StoredRun]:
    """A recorded run of the real helper and its like with another text."""
    store = RunStore(repository / "tests/data/runs")
    first = store.find(str(repository / "tests/data/runs/three-recordings"))
    other = tmp_path / "runs" / "20261130-032605-4659"
    shutil.copytree(first.folder, other)
    manifest = other / "manifest.json"
    told = manifest.read_text().replace(first.manifest.run, other.name)
    manifest.write_text(told.replace('"budget": 4', '"budget": 7'))
    stream = other / "events.jsonl.gz"
    events = [json.loads(line) for line in gzip.decompress(stream.read_bytes()).splitlines()]
    for event in events:
        if event.get("event") == "result" and event["request"].startswith("a2.w1"):
            event["tokens"][3] = 1
            event["text"] = " <b>another</b> text & more"
    stream.write_bytes(gzip.compress(b"".join(json.dumps(event).encode() + b"\n" for event in events)))
    return [first, RunStore(tmp_path / "runs").find(other.name)]


def test_the_files_of_a_comparison(runs: list[StoredRun], tmp_path: Path) -> None:
    judged = judge(runs)
    written = write_reports(tmp_path / "out", judged, runs)
    assert [path.name for path in written] == [
        "report.html", "table.csv", "table.md", "windows.jsonl", "trace.pftrace", "comparison.as2d"
    ]  # fmt: skip
    again = write_reports(tmp_path / "again", judge(runs), runs)
    assert [path.read_bytes() for path in written] == [path.read_bytes() for path in again]
    text = written[0].read_text()
    page = Page()
    page.feed(text)
    assert page.open == []
    assert page.references == []
    assert "url(" not in text
    assert "@import" not in text
    assert page.text.index("settings budget") < page.text.index("tokens/s")
    assert "The outputs of 1 side differ" in page.text
    assert "<b>another</b> text & more" in page.text
    assert "prefers-color-scheme:dark" in text
    assert text.count("<svg") >= 3
    rows = list(csv.DictReader(written[1].open()))
    assert [float(row["tps"]) for row in rows] == [side.tps for side in judged.sides]
    lines = [json.loads(line) for line in written[3].read_text().splitlines()]
    assert len(lines) == 8
    assert {line["identical"] for line in lines if line["run"] != lines[0]["run"]} == {True, False}
    opened = open_bundle(written[5], RunStore(tmp_path / "elsewhere"))
    assert len(opened) == 2


def test_the_trace_holds_each_run_as_a_process_of_its_own(runs: list[StoredRun], tmp_path: Path) -> None:
    path = next(p for p in write_reports(tmp_path, judge(runs), runs) if p.name == "trace.pftrace")
    trace = Trace.FromString(path.read_bytes())
    processes = [
        packet.track_descriptor.process.process_name
        for packet in trace.packet
        if packet.HasField("track_descriptor") and packet.track_descriptor.HasField("process")
    ]
    assert processes == [f"AS²D run {run.manifest.run}" for run in runs]
    names: dict[str, int] = {}
    for packet in trace.packet:
        if packet.HasField("track_descriptor") and packet.track_descriptor.name:
            names[packet.track_descriptor.name] = names.get(packet.track_descriptor.name, 0) + 1
    assert {names[track] for track in ("Requests", "Encoder", "Drafter", "Target", "Commits")} == {2}
    times: dict[int, list[int]] = {}
    out: dict[int, set[int]] = {}
    into: dict[int, set[int]] = {}
    for packet in trace.packet:
        if packet.HasField("track_event"):
            owner = packet.trusted_packet_sequence_id
            times.setdefault(owner, []).append(packet.timestamp)
            out.setdefault(owner, set()).update(packet.track_event.flow_ids)
            into.setdefault(owner, set()).update(packet.track_event.terminating_flow_ids)
    first, second = sorted(times)
    assert max(times[first]) < min(times[second])
    assert into[first] <= out[first]
    assert into[second] <= out[second]
    assert not out[first] & out[second]


@pytest.mark.parametrize("gap_s", [600.0, None], ids=["the helper died", "the device was booted"])
def test_a_trace_of_runs_whose_helper_was_started_anew(
    stream: Any, call: Any, record: Any, gap_s: float | None
) -> None:
    stream.hello()
    stream.recording("a1", "talk.wav")
    stream.request(stream.prepare(stream.window("a1", 0, 0.0, 30.0)), [call(2, 2)] * 3, " one")
    stream.t = 1_000_000 if gap_s is None else stream.t + int(gap_s * 1e9)
    stream.hello()
    stream.request(stream.prepare(stream.window("a1", 1, 30.0, 60.0)), [call(2, 2)] * 3, " two")
    runs = [record(f"20260101-00000{number}-aaaa", list(stream.events)) for number in range(2)]
    file = io.BytesIO()
    write_perfetto_of_runs(runs, file, most_calls=1000)
    begins: dict[int, list[int]] = {}
    for packet in Trace.FromString(file.getvalue()).packet:
        if packet.HasField("track_event") and packet.track_event.type == TrackEvent.TYPE_SLICE_BEGIN:
            begins.setdefault(packet.trusted_packet_sequence_id, []).append(packet.timestamp)
    first, second = begins.values()
    assert len(first) == len(second) > 8
    assert min(first) == 1_000_000_000
    assert max(first) < min(second)


def test_what_cannot_be_written_or_read_is_said_in_a_sentence(runs: list[StoredRun], tmp_path: Path) -> None:
    judged = judge(runs)
    with pytest.raises(Cancelled):
        write_reports(tmp_path / "cancelled", judged, runs, cancel=lambda: True)
    blocked = tmp_path / "file"
    blocked.write_text("a file")
    with pytest.raises(UserError, match=re.escape(str(blocked))):
        write_reports(blocked, judged, runs)
    (runs[1].folder / "events.jsonl.gz").unlink()
    with pytest.raises(UserError, match="cannot be read"):
        write_reports(tmp_path / "gone", judged, runs)
    assert not any(name.name.startswith(".") for name in (tmp_path / "gone").iterdir())
