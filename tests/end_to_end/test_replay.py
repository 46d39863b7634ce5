"""Traces of real audio replayed against measured costs: the same decisions as on the real models."""

from __future__ import annotations

import csv
import io
import itertools
import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.calibration.cost_profile import read_profile
from as2d.backend.compare.judging.judge import judge
from as2d.backend.compare.running.service import open_comparison
from as2d.backend.metrics.measures import measure
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import helper_path
from as2d.backend.protocol.lines import to_line
from as2d.backend.replay import messages
from as2d.backend.replay.client import run_replay
from as2d.backend.replay.trace_file import TraceLine, read_traces
from as2d.backend.runs.store import RunStore
from as2d.backend.transcribe.methods import METHODS

METHOD_LIST = ",".join(METHODS)
Remember = Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]


@pytest.fixture(scope="module")
def traces(as2d_program: Any, two_traces: Path) -> Path:
    """The traces of the recordings of `dev`, and a cost profile in the data folder."""
    measured = as2d_program.run("calibrate", "--quick")
    assert measured.code == 0, measured.err
    assert "target call, K" in measured.out
    return two_traces


def test_a_trace_is_the_targets_own_answer(as2d: Any, traces: Path, clips: Path) -> None:
    lines: list[TraceLine] = list(read_traces([traces]))
    assert [Path(line.recording).name for line in lines] == ["cv_en_651325.mp3", "libri_198-209-0000.ogg"]
    assert {line.split for line in lines} == {"dev"}
    assert {line.language for line in lines} == {"en"}
    for line in lines:
        done = as2d.run(
            "transcribe", line.recording, "--method", "target-only", "--language", "en", "--format", "json"
        )
        (window,) = json.loads(done.out)["windows"]
        assert (*window["tokens"], line.end_token) == line.tokens
        assert (window["start"], window["end"]) == pytest.approx((line.start_s, line.end_s))
        assert line.own[-1][3]
        assert line.continuations


def test_methods_are_compared_by_replay_as_often_as_recordings_come(
    as2d: Any, traces: Path, clips: Path, tmp_path: Path
) -> None:
    """A comparison by traces is journaled and recorded as any other, and says what `as2d replay` says."""
    corpus = tmp_path / "talks.jsonl"
    names = ("cv_en_651325.mp3", "libri_198-209-0000.ogg")
    entries = [{"path": str(clips / name), "reference": f"The text of {name}."} for name in names * 3]
    corpus.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    arguments = (
        "compare",
        "--methods",
        "sd:5,as2d",
        "--replay",
        traces,
        "--output-dir",
        tmp_path / "c",
        corpus,
    )
    done = as2d.run(*arguments)
    assert done.code == 0, done.err
    assert "24 of 24 decodes gave target-only's tokens." in done.err
    _, runs = open_comparison(tmp_path / "c")
    requests = [request for run in runs for request in run.fold().finished_requests()]
    assert len({request.cell for request in requests}) == len(requests) == 30
    assert {used.recording for run in runs for used in run.manifest.recordings} == {
        f"a{number}" for number in range(1, 7)
    }
    assert all(run.manifest.replayed is not None for run in runs)
    replayed = as2d.run("replay", traces, "--methods", "sd:5,as2d", "--format", "jsonl")
    for row in map(json.loads, replayed.out.splitlines()):
        pooled = measure(request for request in requests if request.arm == row["arm"])
        assert pooled.tps == pytest.approx(row["tps"], rel=1e-6)
        assert pooled.tokens == 3 * row["tokens"]
    texts = {request.result.text for request in requests if request.result is not None}
    assert len(texts) == 2
    assert all(text.startswith(" ") for text in texts)
    for side in judge(runs).sides:
        assert side.wer is not None
        assert (side.wer.recordings, side.drop_ms) == (6, None)
    again = as2d.run(*arguments)
    assert "All 30 decodes are done" in again.err
    missing = as2d.run(*arguments[:-2], tmp_path / "d", clips / "sonnet001.mp3")
    assert (missing.code, "None of the recordings is in the traces" in missing.err) == (1, True)


def test_a_quick_calibration_is_a_whole_profile(as2d: Any, traces: Path) -> None:
    (path,) = (as2d.folder / "profiles").glob("cost-*.json")
    profile = read_profile(path)
    (first, *_) = read_traces([traces])
    assert (profile.target, profile.drafter) == (first.target, first.drafter)
    assert {cost.threads for cost in profile.target_calls} == {profile.threads, profile.shared_threads}
    assert {cost.model for cost in profile.encoders} == {"target", "drafter"}
    assert {cost.threads for cost in profile.target_turns} == {profile.threads}
    assert {cost.k for cost in profile.target_turns} == {cost.k for cost in profile.target_calls}
    assert {cost.threads for cost in profile.drafter_turns} == {profile.drafter_threads}
    first_steps = {cost.k for cost in profile.drafter_turns if cost.turn == 1}
    assert first_steps == {cost.k for cost in profile.drafter_steps}
    costs = (
        *profile.target_calls,
        *profile.drafter_steps,
        *profile.target_turns,
        *profile.drafter_turns,
    )
    assert min(cost.ms_median for cost in costs) > 0


def test_replay_decides_as_the_real_models_did(as2d: Any, traces: Path, manifest: Path) -> None:
    """Where nothing depends on time, calls and accepted candidates are those of the real models."""
    options = (
        "--methods", METHOD_LIST, "--budgets", "4", "--admissions", "root,text",
        "--start-conditions", "pre-drafted", "--format", "jsonl",
    )  # fmt: skip
    measured = as2d.run("bench", manifest, "--split", "dev", "--repeats", "1", *options)
    assert measured.code == 0, measured.err
    replayed = as2d.run("replay", traces, *options)
    assert replayed.code == 0, replayed.err
    native = {row["arm"]: row for row in map(json.loads, measured.out.splitlines())}
    replay = {row["arm"]: row for row in map(json.loads, replayed.out.splitlines())}
    assert native.keys() == replay.keys()
    assert {row["differing"] for row in (*native.values(), *replay.values())} == {0}
    for arm, row in replay.items():
        assert row["windows"] == 2
        assert row["tokens"] == native[arm]["tokens"], arm
        if row["method"] in ("target-only", "as2d", "as2d-serial", "sd"):
            names = ("calls", "proposed", "accepted", "acceptance_by_position")
            assert [row[name] for name in names] == [native[arm][name] for name in names], arm


def test_replay_is_the_same_every_time_and_says_how_far_off_it_is(
    as2d: Any, traces: Path, manifest: Path
) -> None:
    arguments = (
        "replay",
        traces,
        "--methods",
        f"{METHOD_LIST},sd:12",
        "--budgets",
        "2,7",
        "--format",
        "jsonl",
    )
    first, second = as2d.run(*arguments), as2d.run(*arguments)
    assert first.code == 0, first.err
    assert first.out == second.out
    rows = [json.loads(line) for line in first.out.splitlines()]
    assert {row["differing"] for row in rows} == {0}
    # sd: four widths and their mean, and K = 12 by itself; both start conditions.
    assert [row["max_k"] for row in rows if row["method"] == "sd"].count(None) == 2

    measured = as2d.run(
        "bench", manifest, "--split", "dev", "--repeats", "2", "--methods", "target-only,as2d"
    )
    assert measured.code == 0, measured.err
    run = RunStore(as2d.folder / "runs").find("last").manifest.run
    compared = as2d.run("replay", traces, "--compare", run, "--format", "jsonl")
    assert compared.code == 0, compared.err
    errors = [json.loads(line) for line in compared.out.splitlines()]
    assert [error["native_windows"] for error in errors] == [2] * 3
    assert all(error["native_tps"] > 0 and error["tps"] > 0 for error in errors)
    assert "quick calibration" in compared.err
    table = as2d.run("replay", traces, traces, "--compare", run, "--format", "csv", "--methods", "as2d:32")
    rows = list(csv.DictReader(io.StringIO(table.out)))
    assert [row["native_windows"] for row in rows] == ["2", "", ""]
    assert "K = 32" in table.err
    assert "2 windows came more than once" in table.err


def test_a_detailed_replay_shows_every_call_and_draft(
    as2d: Any, traces: Path, installed: dict[str, InstalledModel]
) -> None:
    (profile,) = (as2d.folder / "profiles").glob("cost-*.json")
    target = installed["whisper-base"]
    tokenizer = target.path / target.manifest.files["tokenizer"].path
    arms = [
        messages.ArmIn(
            name=f"{method} {condition}",
            method=method,
            budget=4,
            admission="text",
            start_condition=condition,
        )
        for method in METHODS
        for condition in ("request-start", "pre-drafted")
    ]
    lines = [
        to_line(messages.Setup(tokenizer=str(tokenizer), profile=read_profile(profile))),
        *(messages.trace_message(line, f"w{index}") for index, line in enumerate(read_traces([traces]))),
        *map(to_line, arms),
        to_line(messages.Run(detail=True)),
    ]
    said: list[messages.WindowReplayed | messages.TimelineReplayed] = []
    done = run_replay(helper_path(), lines, said.append, lambda: False)
    windows = {(w.arm, w.window): w for w in said if isinstance(w, messages.WindowReplayed)}
    timelines = {(t.arm, t.window): t for t in said if isinstance(t, messages.TimelineReplayed)}
    assert windows.keys() == timelines.keys()
    assert len(windows) == done.replays == 2 * len(arms)
    for key, window in windows.items():
        calls = timelines[key].calls
        plain = [call for call in calls if call[4] != "guard"]
        assert len(plain) == window.counters.calls
        assert sum(call[3] for call in plain) == window.counters.accepted
        # The virtual clock: calls follow each other, and the last one ends the decode.
        assert all(first[1] <= second[0] for first, second in itertools.pairwise(calls))
        assert calls[-1][1] == window.response_ns == window.first_token_ns + window.decode_ns


def test_what_does_not_fit_is_refused(as2d: Any, traces: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    line = next(iter(read_traces([traces])))
    transcribed = as2d.run("transcribe", line.recording, "--language", "en", "--method", "target-only")
    run = transcribed.err.rpartition("run ")[2].strip().rstrip(".")
    other.write_text(line.model_copy(update={"target": "0" * 64}).model_dump_json() + "\n")
    damaged = tmp_path / "damaged.jsonl"
    twice = line.model_copy(update={"tokens": (line.end_token, *line.tokens), "margins": (1, *line.margins)})
    damaged.write_text(f"{line.model_dump_json()}\n\n{twice.model_dump_json()}\n")
    for arguments, code, words in (
        (("replay", damaged), 1, f"Line 3 of {damaged} is no trace"),
        (("replay", other), 2, "not of the target"),
        (("replay", tmp_path / "gone.jsonl"), 1, "cannot be read"),
        (("replay", traces, "--profile", traces), 1, "no cost profile"),
        (("replay", traces, "--compare", "norun"), 2, "There is no run"),
        (("replay", traces, "--compare", run), 2, "in common with the replay"),
        (("replay", traces, "--methods", "sd:5", "--budgets", "2"), 2, "contradicts --methods"),
        (("replay", traces, "--methods", "magic"), 2, "no method 'magic'"),
        (("trace", tmp_path / "gone.wav", "-o", tmp_path / "t.jsonl"), 1, "no such file"),
        (("trace", line.recording, "-o", tmp_path / "no" / "t.jsonl"), 2, "does not exist"),
        (("trace", line.recording, "-o", line.recording), 2, "files that are read"),
        (("trace", line.recording, "-o", other), 2, "--overwrite"),
        (("calibrate", "-o", other), 2, "--overwrite"),
    ):
        done = as2d.run(*arguments)
        assert (done.code, words in done.err) == (code, True), done.err
        assert "Traceback" not in done.err
        assert done.out == ""
    assert not (tmp_path / "t.jsonl").exists()


def test_what_needs_a_cost_profile_says_so_before_it_works(
    as2d: Any, as2d_alone: Any, traces: Path, odd: Path, tmp_path: Path
) -> None:
    gone = tmp_path / "gone.jsonl"
    for arguments in (
        ("replay", gone),
        ("sweep", gone),
        ("compare", "--methods", "as2d", "--replay", gone, "--output-dir", tmp_path / "c"),
    ):
        done = as2d_alone.run(*arguments)
        assert (done.code, "measure one with `as2d calibrate`, in about three minutes" in done.err) == (
            2, True
        ), done.err  # fmt: skip
    silence = ("trace", odd / "silence_5s.wav", "-o", tmp_path / "t.jsonl")
    needed = "`as2d calibrate` measures one, in about three minutes."
    lines = as2d_alone.run(*silence).err.splitlines()
    assert [number for number, line in enumerate(lines) if needed in line] == [0], lines
    assert needed not in as2d.run(*silence).err  # `traces` has measured one


def test_an_interrupted_calibration_keeps_no_profile(
    as2d: Any, traces: Path, watch: Any, processes: Remember
) -> None:
    before = {path: path.read_bytes() for path in (as2d.folder / "profiles").glob("cost-*.json")}
    child = processes(as2d.start("calibrate"))
    (helper,) = watch.wait_until(lambda: watch.helpers_of(child.pid), "the helper runs")
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=300)
    assert child.returncode == 130
    assert b"This takes about three minutes on a quiet computer" in err
    assert b"no cost profile was written" in err
    assert not watch.is_running(helper)
    assert {path: path.read_bytes() for path in before} == before


def test_an_interrupted_trace_leaves_no_file_and_no_helper(
    as2d: Any, clips: Path, watch: Any, processes: Remember, tmp_path: Path
) -> None:
    output = tmp_path / "t.jsonl"
    output.write_text("older\n")
    child = processes(
        as2d.start("trace", clips / "sonnet001.mp3", "--language", "en", "-o", output, "--overwrite")
    )
    (helper,) = watch.wait_until(lambda: watch.helpers_of(child.pid), "the helper runs")
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=300)
    assert child.returncode == 130
    assert b"No trace was written" in err
    assert not watch.is_running(helper)
    assert output.read_text() == "older\n"
    assert [path.name for path in tmp_path.iterdir()] == ["t.jsonl"]


def test_an_interrupted_trace_keeps_the_windows_that_are_done(
    as2d: Any, clips: Path, watch: Any, processes: Remember, tmp_path: Path
) -> None:
    output = tmp_path / "t.jsonl"
    names = ("cv_en_651325.mp3", "sonnet001.mp3")
    child = processes(
        as2d.start("trace", *(clips / name for name in names), "--language", "en", "-o", output)
    )
    watch.wait_until(lambda: any(path.stat().st_size for path in tmp_path.iterdir()), "a window is written")
    (helper,) = watch.helpers_of(child.pid)
    worked = watch.cpu_ticks(helper)
    watch.wait_until(lambda: watch.cpu_ticks(helper) > worked + 20, "the next window is being recorded")
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=300)
    assert child.returncode == 130, err
    assert b"a part of what was asked for" in err
    assert [path.name for path in tmp_path.iterdir()] == ["t.jsonl"]
    assert Path(next(iter(read_traces([output]))).recording).name == names[0]


def test_a_trace_of_silence_says_that_there_is_no_speech(as2d: Any, clips: Path, tmp_path: Path) -> None:
    silence = clips.parent / "odd" / "silence_5s.wav"
    done = as2d.run("trace", silence, "-o", tmp_path / "t.jsonl")
    assert (done.code, "No window with speech" in done.err) == (1, True), done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("traces")  # for their cost profile
def test_traces_go_to_standard_output_and_come_from_it(as2d: Any, clips: Path, processes: Remember) -> None:
    traced = processes(as2d.start("trace", clips / "cv_en_651325.mp3", "--language", "en", "-o", "-"))
    replayed = processes(as2d.start("replay", "-", "--format", "jsonl", stdin=traced.stdout))
    out, err = replayed.communicate(timeout=300)
    traced.communicate(timeout=300)
    assert (traced.returncode, replayed.returncode) == (0, 0), err.decode()
    assert {json.loads(line)["windows"] for line in out.splitlines()} == {1}
