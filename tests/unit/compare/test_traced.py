"""Traced windows are read again one by one, so that a day of audio needs the memory of one window."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.replay.conftest import make_trace

from as2d.backend.compare.running.planned import PlannedRecording
from as2d.backend.compare.running.replay_work import WindowToReplay
from as2d.backend.compare.running.traced import TraceIndex
from as2d.backend.corpora.item import CorpusItem
from as2d.backend.errors import InputRefused
from as2d.backend.replay.messages import trace_message


def test_a_window_s_trace_is_read_when_its_turn_comes(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = [make_trace(recording="day.wav", start_s=30.0 * n, end_s=30.0 * n + 30) for n in range(3)]
    path.write_text("".join(line.model_dump_json() + "\n" for line in lines))
    windows = TraceIndex([path]).windows("day.wav")
    assert next(windows)[1] == lines[0]
    assert next(windows)[1] == lines[1]
    path.unlink()
    with pytest.raises(InputRefused, match="cannot be read"):
        next(windows)


def test_a_window_that_waits_for_its_replay_keeps_what_the_drafter_said_as_a_line_only(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.jsonl"
    line = make_trace()
    path.write_text(line.model_dump_json() + "\n")
    index = TraceIndex([path])
    ((place, read),) = index.windows(line.recording)
    planned = PlannedRecording("day.wav", 7, CorpusItem(Path("day.wav"), None, None, "talks"))
    window = WindowToReplay.of(planned, 1, place, read, [])
    assert window.message == trace_message(line, "a7.w2")
    assert (window.line.tokens, window.line.own, window.line.continuations) == (line.tokens, (), ())
