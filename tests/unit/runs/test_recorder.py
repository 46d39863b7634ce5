"""The recorder of a run ends whatever the disk does."""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Callable
from pathlib import Path

from as2d.backend.errors import OutOfSpace, UserError
from as2d.backend.protocol.host_events import RecordingQueued
from as2d.backend.runs.recorder import Recorder

_FAR_BEYOND_ANY_END_S = 30.0


def _closed(recorder: Recorder) -> bool:
    closing = threading.Thread(target=recorder.close, daemon=True)
    closing.start()
    closing.join(_FAR_BEYOND_ANY_END_S)
    return not closing.is_alive()


def test_a_disk_found_full_by_the_last_write_ends_the_recording(small_disk: Callable[[int], Path]) -> None:
    recorder = Recorder(small_disk(8) / "events.jsonl.gz", flush_seconds=1e9)
    recorder.put(os.urandom(12_000))  # too little to be written before the end of the file is
    assert _closed(recorder)
    assert isinstance(recorder.failure, OutOfSpace)


def test_a_disk_found_full_while_recording_ends_the_recording(small_disk: Callable[[int], Path]) -> None:
    recorder = Recorder(small_disk(8) / "events.jsonl.gz", flush_seconds=1e9)
    for _ in range(20):
        recorder.put(os.urandom(12_000))
    assert _closed(recorder)
    assert isinstance(recorder.failure, OutOfSpace)


def test_what_cannot_be_written_as_text_ends_the_recording_and_nobody_waits(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path / "events.jsonl.gz", flush_seconds=1e9)
    recorder.put(b'{"kept": 1}')
    recorder.settle()
    recorder.put(RecordingQueued(t=1, recording="a1", audio="\udcff.wav"))
    failures: list[UserError] = []

    def settle() -> None:
        try:
            recorder.settle()
        except UserError as error:
            failures.append(error)

    waiting = threading.Thread(target=settle, daemon=True)
    waiting.start()
    waiting.join(_FAR_BEYOND_ANY_END_S)
    assert "could not be recorded any further" in failures[0].message
    assert _closed(recorder)
    kept = zlib.decompressobj(31).decompress((tmp_path / "events.jsonl.gz").read_bytes())
    assert kept == b'{"kept": 1}\n'
