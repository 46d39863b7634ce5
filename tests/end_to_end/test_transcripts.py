"""What users get from real recordings, by the service behind command line and window."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import wave
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.bench.arms import ArmOptions, ArmThreads, make_arms
from as2d.backend.bench.corpus import BenchRecording
from as2d.backend.bench.service import BenchChoices, BenchReport, run_bench
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.export.formats import render
from as2d.backend.export.scripts import columns
from as2d.backend.export.transcript import Transcript, transcript_of
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import measure
from as2d.backend.paths import runs_dir
from as2d.backend.protocol.decode_events import Result
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.methods import parse_methods
from as2d.backend.transcribe.outcome import RecordingOutcome
from as2d.backend.transcribe.service import Transcriber
from as2d.backend.transcribe.settings import DEFAULT_DRAFTER, DEFAULT_TARGET, TranscribeSettings

TINY_FILES = 100
NUMBERS = {"one": "1", "two": "2", "three": "3"}


def _transcribe(transcriber: Transcriber, path: Path) -> RecordingOutcome:
    item = transcriber.queue.add(path)
    assert transcriber.queue.take() == item
    return transcriber.transcribe(item)


def _plain(text: str) -> str:
    words = re.findall(r"[\w']+", text.lower())
    return " ".join(NUMBERS.get(word, word) for word in words)


def _odd_entries() -> list[dict[str, Any]]:
    manifest = Path(__file__).resolve().parents[1] / "data" / "odd" / "manifest.jsonl"
    return [json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def compared(data_folder: Path, clips: Path) -> BenchReport:
    """Target-only and every kind of as2d over read, spontaneous, noisy and Chinese speech."""
    arms = make_arms(
        parse_methods("target-only,as2d"),
        ArmOptions([4], ["root", "text"], ["request-start", "pre-drafted"], [ArmThreads(2, 1)]),
    )
    recordings = [
        BenchRecording(clips / name, language, None, None)
        for name, language in (
            ("libri_198-209-0000.ogg", "en"),
            ("ami_ES2011a_headset.wav", "en"),
            ("noisy0dB_LJ001-0021.wav", "en"),
            ("BAC009S0764W0121.wav", "zh"),
        )
    ]
    return run_bench(BenchChoices(arms, recordings, 1, DEFAULT_TARGET, DEFAULT_DRAFTER, drop_repeats=0))


def test_every_arm_gives_target_onlys_tokens(compared: BenchReport) -> None:
    assert compared.refused == []
    assert [summary.differing for summary in compared.summaries] == [0] * 5
    assert all(summary.windows >= 4 for summary in compared.summaries)


def test_drafts_are_accepted_and_save_calls(compared: BenchReport) -> None:
    alone = compared.summaries[0]
    for drafted in compared.summaries[1:]:
        assert drafted.accepted > 0
        assert drafted.calls < alone.calls
        assert drafted.tokens == alone.tokens
        assert drafted.acceptance is not None
        assert 0 < drafted.acceptance <= 1


def test_a_benchmarks_run_reopens_with_the_same_figures(compared: BenchReport) -> None:
    assert compared.manifest is not None
    stored = RunStore(runs_dir()).find(compared.manifest.run)
    assert stored.manifest.status == "done"
    fold = stored.fold()
    arms = {request.arm for request in fold.finished_requests()}
    assert len(arms) == 5
    alone = measure(r for r in fold.finished_requests() if (r.arm or "").startswith("target-only"))
    assert alone.tps == compared.summaries[0].tps
    with pytest.raises(InputRefused, match="no transcripts"):
        transcript_of(fold, "a1", stored.manifest)


@pytest.fixture(scope="module")
def sonnet(transcriber: Transcriber, clips: Path) -> Transcript:
    """53 s of read speech in two windows."""
    outcome = _transcribe(transcriber, clips / "sonnet001.mp3")
    assert outcome.error is None
    assert outcome.transcript is not None
    return outcome.transcript


def test_the_words_are_right_and_have_their_times(sonnet: Transcript, clips: Path) -> None:
    entries = [json.loads(line) for line in (clips / "manifest.jsonl").read_text("utf-8").splitlines()]
    (reference,) = [entry["reference"] for entry in entries if entry["path"] == "sonnet001.mp3"]
    expected, found = set(_plain(reference).split()), set(_plain(sonnet.text).split())
    assert len(expected & found) >= 0.8 * len(expected)
    assert (sonnet.method, sonnet.budget, sonnet.admission, sonnet.language) == ("as2d", 4, "text", "en")
    words = [word for window in sonnet.windows for word in window.words]
    assert _plain("".join(word.text for word in words)) == _plain(sonnet.text)
    times = [time for word in words for time in (word.start, word.end)]
    assert times == sorted(times)
    assert times[-1] <= sonnet.windows[-1].end
    assert times[-1] - times[0] > 40


def test_subtitles_of_a_real_recording_keep_the_limits(sonnet: Transcript) -> None:
    blocks = render(sonnet, "srt").strip().split("\n\n")
    assert len(blocks) > 5
    last = 0.0
    for block in blocks:
        _, times, *lines = block.split("\n")
        start, end = (_seconds(time) for time in times.split(" --> "))
        assert last <= start < end <= start + 7
        assert 1 <= len(lines) <= 2
        assert all(columns(line) <= 42 for line in lines)
        last = end
    spoken = " ".join(" ".join(block.split("\n")[2:]) for block in blocks)
    assert _plain(spoken) == _plain(sonnet.text)


def _seconds(time: str) -> float:
    hours, minutes, seconds = time.replace(",", ".").split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def test_language_is_detected_once_and_other_languages_run_target_only(
    data_folder: Path, clips: Path
) -> None:
    with Transcriber(TranscribeSettings(words=False)) as transcriber:
        outcome = _transcribe(transcriber, clips / "aishell_S0764_0121-0130.opus")
    assert outcome.transcript is not None
    assert outcome.transcript.language == "zh"
    assert re.search(r"[\u4e00-\u9fff]{5}", outcome.transcript.text)
    assert sum(window.proposed for window in outcome.transcript.windows) == 0
    languages = [event for event in transcriber.log.fold.preparations.values() if event.language]
    assert len(languages) == 1


@pytest.mark.parametrize("entry", _odd_entries(), ids=lambda entry: entry["path"])
def test_an_odd_file_ends_as_its_manifest_says(
    transcriber: Transcriber, odd: Path, entry: dict[str, Any]
) -> None:
    outcome = _transcribe(transcriber, odd / entry["path"])
    expected, _, content = entry["expect"].partition(";")
    allowed = expected.strip().split("-or-")
    if outcome.error is not None:
        assert any(word.startswith("reject") for word in allowed), outcome.error.message
        assert outcome.error.exit_code == 1
        assert entry["path"] in outcome.error.message
        assert "\n" not in outcome.error.message
        return
    assert any(word.startswith("accept") for word in allowed)
    assert outcome.transcript is not None
    if "accept-empty" in expected:
        assert outcome.transcript.text == ""
    if "partial" in expected:
        assert outcome.warnings
    quoted = re.search(r'"(.*)"', content)
    if quoted is not None:
        assert _plain(quoted[1]) in _plain(outcome.transcript.text)


def test_every_awkward_name_is_accepted_but_the_one_that_is_not_utf8(
    transcriber: Transcriber, odd: Path, tmp_path: Path
) -> None:
    lines = (odd / "awkward-names.txt").read_text(encoding="utf-8").splitlines()
    names = [ast.literal_eval(line) for line in lines if line.startswith("'")]
    for name in names:
        path = tmp_path / name.replace("\\xf0", "\udcf0")
        shutil.copyfile(odd / "tone_440_5s.wav", path)
        outcome = _transcribe(transcriber, path)
        if outcome.error is not None:
            assert "utf8" in name
            assert "\\xf0" in outcome.error.message
        else:
            assert outcome.transcript is not None
            json.loads(render(outcome.transcript, "json"))


def test_a_hundred_tiny_files_in_one_run(transcriber: Transcriber, tmp_path: Path, odd: Path) -> None:
    for number in range(TINY_FILES):
        with wave.open(str(tmp_path / f"{number}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(16000)
            file.writeframes(b"\0\0" * (40 * number))
    outcomes = [_transcribe(transcriber, tmp_path / f"{number}.wav") for number in range(TINY_FILES)]
    too_short = [outcome for outcome in outcomes if outcome.error is not None]
    assert [outcome.path.stem for outcome in too_short] == [str(number) for number in range(10)]
    assert all(outcome.transcript.text == "" for outcome in outcomes[10:] if outcome.transcript is not None)
    assert len(transcriber.log.fold.recordings) >= TINY_FILES


def test_a_cancelled_recording_leaves_the_others_alone(transcriber: Transcriber, clips: Path) -> None:
    first = transcriber.queue.add(clips / "sonnet001.mp3")
    second = transcriber.queue.add(clips / "cv_en_651325.mp3")
    transcriber.queue.take()
    first.cancel.cancel()
    assert transcriber.transcribe(first).cancelled
    assert transcriber.queue.take() == second
    outcome = transcriber.transcribe(second)
    assert outcome.transcript is not None
    assert outcome.transcript.text
    assert transcriber.log.fold.recordings[first.name].status == "cancelled"


def test_a_helper_that_dies_after_a_result_costs_no_second_decode(data_folder: Path, clips: Path) -> None:
    def kill_at_result(event: RecordedEvent) -> None:
        if isinstance(event, Result):
            os.kill(transcriber.session.engine.pid, signal.SIGKILL)

    settings = TranscribeSettings(method="target-only", language="en")
    with Transcriber(settings, observers=[kill_at_result]) as transcriber:
        for _ in range(2):
            transcriber.queue.add(clips / "cv_en_651325.mp3")
        first, second = transcriber.outcomes()
    assert first.transcript is not None
    assert second.transcript is not None
    assert first.transcript.text == second.transcript.text != ""
    assert len(transcriber.log.fold.requests) == 2
    assert len(transcriber.log.fold.helper_endings) == 2


def test_a_recording_that_is_missing_or_a_folder_is_refused_by_name(
    transcriber: Transcriber, tmp_path: Path
) -> None:
    for path in (tmp_path / "nothing.wav", tmp_path):
        outcome = _transcribe(transcriber, path)
        assert isinstance(outcome.error, InputRefused)
        assert path.name in outcome.error.message


def test_what_was_recorded_gives_the_same_transcript_as_live(transcriber: Transcriber, clips: Path) -> None:
    outcome = _transcribe(transcriber, clips / "cv_en_651325.mp3")
    assert outcome.transcript is not None
    live = RunFold()
    folder = transcriber.session.run_folder
    assert folder is not None
    # The run goes on: what is flushed about once a second is readable meanwhile.
    while outcome.name not in live.recordings or live.recordings[outcome.name].status != "done":
        stored = RunStore(runs_dir()).find(folder.name)
        assert stored.manifest.status == "running"
        live = stored.fold()
    assert transcript_of(live, outcome.name, transcriber.manifest) == outcome.transcript


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"language": "xx"}, "does not know the language 'xx'"),
        ({"target": "no-such-model"}, "no-such-model"),
        ({"target": DEFAULT_DRAFTER}, "cannot be the target"),
        ({"method": "magic"}, "no method 'magic'"),
        ({"method": "sd:1"}, "The width in 'sd:1'"),
        ({"budget": 99}, "budget"),
    ],
)
def test_wrong_use_is_told_before_anything_is_done(
    data_folder: Path, settings: dict[str, Any], reason: str
) -> None:
    before = len(RunStore(runs_dir()).list())
    with pytest.raises(WrongUse, match=reason), Transcriber(TranscribeSettings(**settings)):
        pass
    assert len(RunStore(runs_dir()).list()) == before
