"""A run that was just made is packed, opened where there are no models, and gives the same there."""

from __future__ import annotations

from pathlib import Path

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
from tests.end_to_end.conftest import CommandLine

from as2d.backend.export.content import CONTENT_FORMATS, PERFETTO_ENDING
from as2d.backend.runs.store import RunStore


def test_a_real_run_leaves_whole(as2d: CommandLine, repository: Path, tmp_path: Path) -> None:
    sample = repository / "resources/sample/jfk.flac"
    made = as2d.run("transcribe", sample, "--language", "en")
    assert made.code == 0
    bundle = tmp_path / "run.as2d"
    assert as2d.run("bundle", "last", "-o", bundle, "--audio").code == 0
    elsewhere = CommandLine(tmp_path / "elsewhere")
    opened = elsewhere.run("open", bundle)
    assert opened.code == 0
    run = opened.out.strip()
    stored = RunStore(as2d.folder / "runs").find(run)
    fold = stored.fold(details=True)
    for form in CONTENT_FORMATS:
        ending = PERFETTO_ENDING if form == "perfetto" else form
        here, there = tmp_path / f"here.{ending}", tmp_path / f"there.{ending}"
        assert as2d.run("export", run, "-o", here).code == 0
        assert elsewhere.run("export", run, "-o", there).code == 0
        assert here.read_bytes() == there.read_bytes() != b""
    assert (tmp_path / "there.txt").read_text() == made.out
    assert (tmp_path / "elsewhere/runs" / run / "audio/a1.flac").read_bytes() == sample.read_bytes()
    (request,) = fold.requests.values()
    assert request.result is not None
    events = [
        packet.track_event
        for packet in Trace.FromString((tmp_path / f"here.{PERFETTO_ENDING}").read_bytes()).packet
    ]
    names = [event.name for event in events if event.type == TrackEvent.TYPE_SLICE_BEGIN]
    assert sum(name.startswith("V ") or name in ("T", "G") for name in names) == len(request.calls)
