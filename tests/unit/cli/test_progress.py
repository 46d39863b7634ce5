"""What is shown of a long run where no bars can be drawn, as in a log file."""

from __future__ import annotations

from pathlib import Path

import pytest

from as2d.backend.cli.progress import EventProgress, time_left
from as2d.backend.protocol import decode_events, host_events
from as2d.backend.protocol.lines import parse_recorded


def _events() -> list[object]:
    def commit(*tokens: int) -> decode_events.Commit:
        return decode_events.Commit(
            t=3,
            seq=1,
            request="r1",
            window="a2.w1",
            tokens=tokens,
            text="",
            origins=("accepted",) * len(tokens),
            first=0,
        )

    return [
        host_events.RecordingQueued(t=1, recording="a1", audio="talks/one.mp3"),
        host_events.RecordingQueued(t=1, recording="a2", audio="talks/two.mp3"),
        host_events.RecordingOpened(
            t=2, recording="a2", container="mp3", codec="mp3", sample_rate=48000, channels=1,
            duration_s=40.0, decoder="av",
        ),
        host_events.WindowCut(
            t=2, recording="a2", window="a2.w2", index=1, start_s=20.0, end_s=40.0, speech=True
        ),
        commit(1, 2, 3),
    ]  # fmt: skip


def test_a_log_file_gets_a_line_now_and_then(capfd: pytest.CaptureFixture[str]) -> None:
    with EventProgress(line_seconds=0) as progress:
        for event in _events():
            progress(event)
        progress.step("sweep", 1, 4)
    lines = capfd.readouterr().err.splitlines()
    assert "recording 2, two.mp3: 50 %, 0 tokens." in lines
    assert "recording 2, two.mp3: 52 %, 3 tokens." in lines
    assert lines[-2:] == ["sweep …", "sweep: 25 %."]


def test_a_short_run_says_its_steps_only(capfd: pytest.CaptureFixture[str]) -> None:
    with EventProgress() as progress:
        for event in _events():
            progress(event)
        progress.step("sweep", 1, 4)
    assert capfd.readouterr().err.splitlines() == ["sweep …"]


def test_work_that_takes_minutes_tells_how_long_it_has_taken(
    repository: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An emulated phone needs minutes for one encoder pass, and its helper tells its sensors only."""
    now = [0.0]
    alive = parse_recorded((repository / "tests/data/protocol/telemetry.jsonl").read_bytes().splitlines()[0])
    queued, opened, cut = _events()[1:-1]
    with EventProgress(clock=lambda: now[0]) as progress:
        for event in (queued, opened, cut):
            progress(event)
        progress(host_events.PrepareSent(t=4, window="a2.w2", preparation="a2.w2.p1"))
        for now[0] in (10.0, 40.0, 50.0, 680.0):
            progress(alive)
        progress(
            host_events.RequestSent(
                t=5, request="r1", preparation="a2.w2.p1", task="transcribe", arm="target-only (1 thread)"
            )
        )
        for now[0] in (690.0, 770.0):
            progress(alive)
        now[0] = 800.0
        progress(host_events.HelperEnded(t=6, returncode=None, message="lost"))
        now[0] = 900.0
        progress(alive)
    assert capfd.readouterr().err.splitlines() == [
        "two.mp3: 50 %, preparing its audio, 40 s so far.",
        "two.mp3: 50 %, preparing its audio, 11 min 20 s so far.",
        "two.mp3: 50 %, 0 tokens, target-only (1 thread), 1 min 30 s so far.",
    ]


@pytest.mark.parametrize(
    ("seconds", "done", "left", "told"),
    [
        (60.0, 10, 5, "about 30 s left"),
        (60.0, 10, 50, "about 5 min left"),
        (60.0, 0, 5, ""),
        (60.0, 15, 0, ""),
        (0.5, 10, 5, ""),  # too early to tell
    ],
)
def test_the_rest_of_a_step_is_told_by_what_was_done_of_it(
    seconds: float, done: int, left: int, told: str
) -> None:
    assert time_left(seconds, done, left) == told
