"""Transcripts of a recorded run on standard output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from as2d.backend.cli.runs import show
from as2d.backend.cli.sensors import sensors_text
from as2d.backend.energy.report import energy_report
from as2d.backend.errors import WrongUse
from as2d.backend.export.content import transcripts_text
from as2d.backend.metrics.fold import RunFold
from as2d.backend.protocol import host_events
from as2d.backend.protocol.lines import parse_recorded, to_line
from as2d.backend.runs.store import RunStore


@pytest.fixture
def fold(stream: Any, call: Any) -> RunFold:
    for recording, audio, text in (("a1", "talks/one.wav", " hello"), ("a2", "talks/two.wav", " there")):
        stream.recording(recording, audio)
        prepared = stream.prepare(stream.window(recording, 0, 0.0, 5.0))
        stream.request(prepared, [call(0, 0, 10)], text, words=[(text, 1.0, 2.0)])
    return RunFold.of(stream.events)


@pytest.mark.parametrize("form", ["srt", "vtt"])
def test_several_recordings_do_not_share_one_subtitle_file(fold: RunFold, manifest: Any, form: Any) -> None:
    with pytest.raises(WrongUse, match=rf"cannot share one {form} .*: a1 \(one.wav\), a2 \(two.wav\)"):
        transcripts_text(manifest(), fold, form, None)
    for chosen in ("a2", "two.wav", "talks/two.wav"):
        printed = transcripts_text(manifest(), fold, form, chosen)
        assert "there" in printed
        assert "hello" not in printed


def test_several_texts_are_told_apart_by_their_names(fold: RunFold, manifest: Any) -> None:
    assert (
        transcripts_text(manifest(), fold, "txt", None) == "== one.wav ==\nhello\n\n== two.wav ==\nthere\n\n"
    )
    assert transcripts_text(manifest(), fold, "txt", "a1") == "hello\n"


def test_a_recording_that_the_run_lacks_is_refused(fold: RunFold, manifest: Any) -> None:
    with pytest.raises(WrongUse, match=r"no transcript of 'three\.wav'"):
        transcripts_text(manifest(), fold, "txt", "three.wav")


def test_a_run_is_shown_without_the_programs_own_notation(
    stream: Any, call: Any, manifest: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream.recording("a1", "talk.wav")
    stream.request(stream.prepare(stream.window("a1", 0, 0.0, 5.0)), [call(2, 1, 10)], " x")
    settings = {"method": "as2d", "words": True, "arms": ["target-only (1 thread)", "as2d"], "language": None}
    settings |= {"threads": 2, "shared_threads": 1}
    made = manifest().model_copy(update={"settings": settings})
    active = RunStore(tmp_path).create(made)
    for event in stream.events:
        active.recorder.put(to_line(event))
    active.finish("done", RunFold.of(stream.events))
    show(str(active.folder), width=80)
    shown = capsys.readouterr().out
    assert (
        "settings method as2d, words yes, arms target-only (1 thread); as2d, target's threads 2, "
        "target's threads beside the drafter 1\n"
    ) in shown
    head = next(line for line in shown.splitlines() if line.startswith("request"))
    assert head.split()[:3] == ["request", "from", "s"]


def test_what_was_lost_in_the_middle_of_a_run_is_told(
    stream: Any, call: Any, manifest: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(returncode: int | None, message: str) -> None:
        stream.t += 130_000_000_000
        ending = host_events.HelperEnded(t=stream.t, returncode=returncode, message=message)
        stream.events.append(ending)

    stream.recording("a1", "talk.wav")
    first = stream.window("a1", 0, 0.0, 5.0)
    stream.prepare(first)
    ended(None, "The connection to the helper on a phone was lost.")
    stream.request(stream.prepare(first, 2), [call(0, 0, 10)], " x")
    ended(137, "The helper was killed.")
    stream.recording("a2", "other.wav")
    stream.prepare(stream.window("a2", 0, 0.0, 5.0))
    ended(137, "The helper was killed.")
    active = RunStore(tmp_path).create(manifest())
    for event in stream.events:
        active.recorder.put(to_line(event))
    active.finish("failed", RunFold.of(stream.events))
    show(str(active.folder), width=80)
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("ended")] == [
        "ended    the connection to the device, in a1.w1, 130.7 s after a1 was opened; it was decoded again",
        "ended    the helper, while no window was decoded: The helper was killed.",
        "ended    the helper, in a2.w1, 130.7 s after a2 was opened; it was not decoded again: "
        "The helper was killed.",
    ]


def test_warm_ups_are_marked_and_arms_are_not_pooled(
    stream: Any, call: Any, manifest: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 5.0))
    for arm, proposed in (("target-only (2 threads)", 0), ("as2d budget 4", 2)):
        calls = [call(proposed, proposed // 2, 10)]
        stream.request(prepared, calls, " x", arm=arm, repeat=0, warm_up=True)
        for repeat in range(2):
            stream.request(prepared, calls, " x", arm=arm, repeat=repeat)
    active = RunStore(tmp_path).create(manifest())
    for event in stream.events:
        active.recorder.put(to_line(event))
    active.finish("done", RunFold.of(stream.events))
    show(str(active.folder), width=80)
    lines = capsys.readouterr().out.splitlines()
    requests = [line for line in lines if line.startswith(prepared) and "end_of_text" in line]
    assert ["warm-up" in line for line in requests] == [True, False, False] * 2
    sums = lines[next(n for n, line in enumerate(lines) if line.startswith("arm, warm-ups left out")) :]
    assert [line.split("  ")[0] for line in sums[2:4]] == ["target-only (2 threads)", "as2d budget 4"]
    assert not any(line.startswith("decode speed, pooled") for line in lines)


def test_show_says_that_there_are_no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path))
    for name in ("last", "20260101"):
        with pytest.raises(WrongUse, match=r"There is no run in .* yet; `as2d transcribe FILE` makes one"):
            show(name)


def test_sensors_that_a_device_does_not_tell_are_sentences(repository: Path) -> None:
    fold = RunFold()
    for line in (repository / "tests/data/protocol/telemetry.jsonl").read_bytes().splitlines():
        fold.feed(parse_recorded(line))
    shown = sensors_text(energy_report(fold), everything=True)
    assert (
        "In 1 of 3 samples the device did not tell the battery's current "
        "(/sys/class/power_supply/battery/current_now: Permission denied).\n"
    ) in shown
    assert "In 1 of 3 samples the device did not tell anything of its GPU (" in shown
    assert "not available" not in shown
