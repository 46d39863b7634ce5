"""The recorder of a run ends whatever the disk does."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

from as2d.backend.errors import OutOfSpace
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
