"""A recorded stream is readable after whatever happens to it."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.errors import InputRefused, OutOfSpace
from as2d.backend.protocol.host_events import RecordingQueued
from as2d.backend.protocol.lines import to_line
from as2d.backend.runs.recorder import Recorder, is_being_recorded
from as2d.backend.runs.stream import StreamReader, StreamWriter

WRITE_FOR_EVER = """
import sys
from collections.abc import Callable
from pathlib import Path
from as2d.backend.protocol.host_events import RecordingQueued
from as2d.backend.runs.recorder import Recorder

recorder = Recorder(Path(sys.argv[1]), flush_seconds=0.05)
number = 0
while True:
    recorder.put(RecordingQueued(t=number, recording=f"a{number}", audio="x" * 50))
    number += 1
    if number == 20_000:
        print("many", flush=True)
        sys.stdin.readline()
"""


def _queued(number: int) -> RecordingQueued:
    return RecordingQueued(t=number, recording=f"a{number}", audio=os.urandom(20).hex())


def test_a_finished_stream_is_plain_gzip_and_complete(tmp_path: Path, stream: Any, call: Any) -> None:
    stream.recording("a1", "talk.wav")
    stream.request(stream.prepare(stream.window("a1", 0, 0.0, 5.0)), [call(4, 2)], " x")
    path = tmp_path / "events.jsonl.gz"
    recorder = Recorder(path)
    for event in stream.events:
        recorder.put(event)
    recorder.close()
    reader = StreamReader(path)
    assert list(reader) == stream.events
    assert reader.complete
    assert gzip.decompress(path.read_bytes()) == b"".join(map(to_line, stream.events))


def test_every_cut_leaves_a_readable_beginning(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl.gz"
    writer = StreamWriter(path)
    events = [_queued(number) for number in range(30)]
    for event in events:
        writer.write(to_line(event))
        writer.flush()
    writer.finish()
    whole = path.read_bytes()
    counts = []
    for length in range(20, len(whole), 7):
        path.write_bytes(whole[:length])
        reader = StreamReader(path)
        found = list(reader)
        assert found == events[: len(found)]
        assert not reader.complete
        assert reader.problem is not None
        counts.append(len(found))
    assert counts == sorted(counts)
    assert counts[-1] == 30


def test_a_damaged_tail_ends_the_stream_and_is_told(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl.gz"
    writer = StreamWriter(path)
    events = [_queued(number) for number in range(2000)]
    for event in events:
        writer.write(to_line(event))
        writer.flush()
    writer.finish()
    whole = bytearray(path.read_bytes())
    middle = len(whole) // 2
    whole[middle : middle + 1000] = b"\xff" * 1000
    path.write_bytes(whole)
    reader = StreamReader(path)
    found = list(reader)
    assert 900 < len(found) < 1100
    assert found[:900] == events[:900]
    assert reader.problem == "its tail is damaged"


def test_something_else_than_a_stream_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl.gz"
    with pytest.raises(InputRefused, match="cannot be read"):
        list(StreamReader(path))
    path.write_bytes(b"not gzip at all, just text that goes on for a while")
    with pytest.raises(InputRefused, match="not gzip"):
        list(StreamReader(path))
    path.write_bytes(gzip.compress(b'{"event":"of another world"}\n'))
    with pytest.raises(InputRefused, match="of another world"):
        list(StreamReader(path))


def test_a_killed_writer_leaves_what_it_flushed(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl.gz"
    child = subprocess.Popen(
        [sys.executable, "-c", WRITE_FOR_EVER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"many\n"
    # The writer waits for us after its 20,000th event: what it took so far gets flushed.
    while path.stat().st_size < 60_000:
        assert child.poll() is None
    assert is_being_recorded(path)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert not is_being_recorded(path)
    reader = StreamReader(path)
    found = [event.t for event in reader]
    assert len(found) > 1000
    assert found == list(range(len(found)))
    assert not reader.complete


def test_a_full_disk_stops_recording_and_keeps_what_was_flushed(small_disk: Callable[[int], Path]) -> None:
    path = small_disk(256) / "events.jsonl.gz"
    recorder = Recorder(path, flush_seconds=0.0)
    number = 0
    while recorder.failure is None:
        recorder.put(_queued(number))
        number += 1
    for more in range(1000):
        recorder.put(_queued(more))
    recorder.close()
    assert isinstance(recorder.failure, OutOfSpace)
    assert str(path.parent) in recorder.failure.message
    found = [event.t for event in StreamReader(path)]
    assert len(found) > 500
    assert found == list(range(len(found)))
