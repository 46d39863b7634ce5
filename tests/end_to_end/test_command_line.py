"""The command `as2d` as a program: outputs, exit codes, interrupts, crashes."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.runs.store import RunStore
from as2d.backend.runs.stream import StreamReader
from as2d.backend.transcribe.service import Transcriber

Remember = Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]


def _clean(text: str) -> str:
    assert "Traceback" not in text
    return text


def test_transcripts_of_several_recordings_with_one_refused(
    as2d: Any, clips: Path, odd: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    done = as2d.run(
        "transcribe", clips / "cv_en_651325.mp3", odd / "zero_length.wav", odd / "silence_5s.wav",
        "--language", "en", "--format", "json", "--output-dir", out, "--audit",
    )  # fmt: skip
    assert done.code == 1
    assert sorted(path.name for path in out.iterdir()) == ["cv_en_651325.json", "silence_5s.json"]
    spoken = json.loads((out / "cv_en_651325.json").read_text(encoding="utf-8"))
    assert spoken["text"]
    assert spoken["run"] in done.err
    assert json.loads((out / "silence_5s.json").read_text(encoding="utf-8"))["text"] == ""
    assert "zero_length.wav" in _clean(done.err)
    assert "Audit: 0 of" in done.err
    assert done.out == ""

    shown = as2d.run("show", spoken["run"], "--calls", "--width", "100")
    assert shown.code == 0
    assert f"run      {spoken['run']} (transcribe, partial)" in shown.out
    assert "decode speed, pooled" in shown.out
    assert "Target   |" in shown.out
    assert spoken["text"][:30] in shown.out
    lines = [line for line in shown.out.splitlines() if line.startswith("Target   |")]
    assert {len(line) for line in lines} == {100}
    # Whether drafts come in time depends on the computer.
    assert ("V" in lines[0]) == (spoken["windows"][0]["proposed"] > 0)

    again = as2d.run("show", spoken["run"], "--format", "json")
    assert json.loads(again.out.splitlines()[0]) == spoken
    listed = as2d.run("runs")
    assert spoken["run"] in listed.out


def test_a_method_without_its_drafter_says_that_it_is_target_only(as2d: Any, clips: Path) -> None:
    arguments = ("transcribe", clips / "cv_en_651325.mp3", "--language", "en", "--drafter", "none")
    assert "no drafter was named, so this was decoded by target-only" in as2d.run(*arguments).err
    assert "drafter" not in as2d.run(*arguments, "--method", "target-only").err


def test_results_go_to_standard_output_and_everything_else_does_not(as2d: Any, odd: Path) -> None:
    done = as2d.run("transcribe", odd / "silence_5s.wav", odd / "tone_440_5s.wav", "--method", "target-only")
    assert done.code == 0
    assert done.out == "== silence_5s.wav ==\n\n\n== tone_440_5s.wav ==\n\n\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["transcribe"], "Missing argument"),
        (["transcribe", "a.wav", "--method", "magic"], "no method 'magic'"),
        (["transcribe", "a.wav", "--budget", "x"], "budget"),
        (["transcribe", "a.wav", "--budget", "-1"], "budget"),
        (["transcribe", "a.wav", "--method", "target-only", "--budget", "3"], "--budget 3 contradicts"),
        (["transcribe", "a.wav", "--method", "specasr", "--confidence", "1.5"], "confidence"),
        (["transcribe", "a.wav", "--confidence", "0.5"], "option of the method specasr"),
        (["transcribe", "a.wav", "--method", "sd", "--patience", "1"], "option of the method as2d-resync"),
        (["transcribe", "a.wav", "--target", "x" * 300], "no model"),
        (["transcribe", "a.wav", "--format", "doc"], "doc"),
        (["transcribe", "a.wav", "b.wav", "--format", "srt"], "--output-dir"),
        (["bench", "a.wav", "--split", "dev"], "--split"),
        (["bench", "--methods", ","], "No method"),
        (["bench", "--threads", "two"], "--threads"),
        (["bench", "--threads", "0"], "from 1 to 64"),
        (["bench", "calls", "--widths", "0,1"], "from 1 to 32"),
        (["bench", "--confidence", "1.5"], "confidence"),
        (["bench", "--patience", "1"], "option of the method as2d-resync"),
        (["trace", "a.wav"], "output"),
        (["replay"], "Missing argument"),
        (["nonsense"], "nonsense"),
    ],
)
def test_wrong_use_exits_with_2(as2d: Any, odd: Path, arguments: list[str], reason: str) -> None:
    done = as2d.run(*(odd / "silence_5s.wav" if word.endswith(".wav") else word for word in arguments))
    assert done.code == 2
    assert reason in _clean(done.err)
    assert done.out == ""


@pytest.mark.parametrize("command", ["transcribe", "bench"])
def test_missing_and_empty_files_are_refused_before_anything_is_started(
    as2d: Any, tmp_path: Path, command: str
) -> None:
    as2d.environment["AS2D_DATA_DIR"] = str(tmp_path / "data")
    (tmp_path / "empty.wav").touch()
    done = as2d.run(command, tmp_path / "gone.wav", tmp_path / "empty.wav")
    assert done.code == 1
    errors = _clean(done.err).splitlines()
    assert ["no such file" in errors[0], "empty (0 bytes)" in errors[1]] == [True] * 2
    assert len(errors) == 2
    assert not (tmp_path / "data" / "runs").exists()
    assert not (tmp_path / "data" / "models").exists()


def test_a_missing_helper_exits_with_3_and_says_how_to_build_it(as2d: Any, odd: Path) -> None:
    as2d.environment["AS2D_HELPER"] = "/nowhere/as2d-helper"
    for command in (["transcribe", str(odd / "tone_440_5s.wav")], ["doctor"]):
        done = as2d.run(*command)
        assert done.code == 3
        assert "AS2D_HELPER" in _clean(done.out + done.err)


def test_doctor_and_devices_say_what_there_is(as2d: Any) -> None:
    done = as2d.run("doctor")
    assert done.code == 0
    assert "helper" in done.out
    assert "model whisper-base" in done.out
    assert "adb: " in done.out
    devices = as2d.run("devices")
    assert devices.code == 0
    assert "this computer" in devices.out
    assert "ready" in devices.out


def test_the_schema_is_that_of_the_output(as2d: Any) -> None:
    done = as2d.run("schema")
    assert json.loads(done.out)["properties"].keys() >= {"audio", "windows", "run"}
    assert "op" in json.loads(as2d.run("schema", "protocol").out)["$defs"]
    assert "continuations" in json.loads(as2d.run("schema", "trace").out)["properties"]
    assert "target_calls" in json.loads(as2d.run("schema", "cost-profile").out)["properties"]


def test_the_demonstration(as2d: Any) -> None:
    done = as2d.run("demo", "--repeats", "1")
    assert done.code == 0, done.err
    assert "ask not what your country can do for you" in done.out
    rows = [line.split("  ") for line in done.out.splitlines() if line.startswith(("target-only ", "as2d  "))]
    assert [row[0].strip() for row in rows] == ["target-only", "as2d"]
    assert [row[-1].strip() for row in rows] == ["yes", "yes"]
    *program, run = shlex.split(done.out.splitlines()[-1])
    assert program[-1] == "show"
    as2d.environment["AS2D_DATA_DIR"] = str(as2d.folder / "another")
    assert as2d.run("show", run).code == 0


def _long_command(as2d: Any, clips: Path, times: int = 20) -> subprocess.Popen[bytes]:
    """Transcribes a short recording, then a long one so many times: output tells when it is in the middle."""
    long = [clips / "sonnet001.mp3"] * times
    child: subprocess.Popen[bytes] = as2d.start(
        "transcribe", clips / "cv_en_651325.mp3", *long, "--language", "en", "--method", "target-only",
        "--format", "json",
    )  # fmt: skip
    assert child.stdout is not None
    first = json.loads(child.stdout.readline())
    assert first["text"]
    return child


def _helper_of(watch: Any, child: subprocess.Popen[bytes]) -> int:
    (helper,) = watch.helpers_of(child.pid)
    return int(helper)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_cleanly_and_keeps_what_was_done(
    as2d: Any, clips: Path, watch: Any, processes: Remember, number: signal.Signals
) -> None:
    child = processes(_long_command(as2d, clips))
    helper = _helper_of(watch, child)
    child.send_signal(number)
    _, err = child.communicate(timeout=300)
    assert child.returncode == 130
    assert _clean(err.decode()).splitlines()[-1] == "Interrupted."
    assert not watch.is_running(helper)
    stored = RunStore(as2d.folder / "runs").find("last")
    assert stored.manifest.status == "interrupted"
    fold = stored.fold()
    assert fold.status == "interrupted"
    assert fold.recordings["a1"].status == "done"
    said = f"What was decoded is kept; this gives it: as2d show {stored.manifest.run} --format json"
    assert _clean(err.decode()).splitlines()[-2] == said


def test_a_killed_command_leaves_no_helper_and_a_readable_run(
    as2d: Any, clips: Path, watch: Any, processes: Remember
) -> None:
    child = processes(_long_command(as2d, clips))
    helper = _helper_of(watch, child)
    store = RunStore(as2d.folder / "runs")
    stream = max((as2d.folder / "runs").glob("*/events.jsonl.gz"))
    # It is written about once a second, whatever has happened by then.
    watch.wait_until(lambda: len(list(StreamReader(stream))) > 10, "events can be read")
    child.kill()
    child.wait()
    watch.wait_until(lambda: not watch.is_running(helper), "the helper ended")
    stored = store.find("last")
    assert stored.folder == stream.parent
    assert stored.manifest.status == "interrupted"
    reader = StreamReader(stored.folder / "events.jsonl.gz")
    assert len(list(reader)) > 10
    assert not reader.complete
    assert store.list()[0].status == "interrupted"
    shown = as2d.run("show", "last")
    assert shown.code == 0
    assert "is not complete" in _clean(shown.err)


def test_a_helper_killed_in_the_middle_is_started_again(
    as2d: Any, clips: Path, watch: Any, processes: Remember
) -> None:
    child = processes(_long_command(as2d, clips, 2))
    os.kill(_helper_of(watch, child), signal.SIGKILL)
    out, err = child.communicate(timeout=300)
    texts = {json.loads(line)["text"] for line in out.splitlines()}
    assert (child.returncode, len(out.splitlines()), len(texts)) == (0, 2, 1)
    assert "137" in _clean(err.decode())
    assert "decoded again" in err.decode()


def test_a_helper_that_always_dies_fails_each_recording_and_exits_with_3(
    as2d: Any, clips: Path, watch: Any, processes: Remember
) -> None:
    child = processes(_long_command(as2d, clips, 2))
    while child.poll() is None:
        for helper in watch.children_of(child.pid):
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.kill(helper, signal.SIGKILL)
    _, err = child.communicate()
    assert child.returncode == 3
    assert "137" in _clean(err.decode())


def test_a_closed_pipe_ends_the_command_quietly(
    as2d: Any, clips: Path, watch: Any, processes: Remember
) -> None:
    child = processes(_long_command(as2d, clips))
    helper = _helper_of(watch, child)
    assert child.stdout is not None
    child.stdout.close()
    child.stdout = None
    _, err = child.communicate(timeout=300)
    assert child.returncode == 141
    assert "Error" not in _clean(err.decode())
    assert not watch.is_running(helper)


def test_a_full_disk_still_gives_the_transcript(as2d: Any, clips: Path, transcriber: Transcriber) -> None:
    assert transcriber.session.gaps  # the self-test is done, and kept
    done = as2d.run("transcribe", clips / "sonnet001.mp3", "--language", "en", file_bytes=4096)
    assert done.code == 4
    assert "fairest creatures" in done.out
    assert "no space left" in _clean(done.err)
    stored = RunStore(as2d.folder / "runs").find("last")
    reader = stored.stream()
    assert any(type(event).__name__ == "Loaded" for event in reader)
    assert not reader.complete


def test_an_unforeseen_error_is_a_sentence_and_a_log_entry(as2d: Any, tmp_path: Path) -> None:
    # A Python installation in which a module is broken: nothing in the program expects that.
    folder = tmp_path / "data"
    (tmp_path / "sitecustomize.py").write_text("import json\njson.dumps = None\n")
    as2d.environment.update({"AS2D_DATA_DIR": str(folder), "PYTHONPATH": str(tmp_path)})
    done = as2d.run("schema")
    assert done.code == 3
    assert "failed unexpectedly" in _clean(done.err)
    assert "Traceback" in (folder / "log" / "as2d.log").read_text()


def test_help_and_results_fit_a_locale_without_unicode(as2d: Any, odd: Path) -> None:
    as2d.environment.update({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"})
    shown = as2d.run("--help")
    assert (shown.code, shown.err) == (0, "")
    assert "AS\\xb2D" in shown.out
    refused = as2d.run("show", "rün")
    assert refused.code == 2
    assert "There is no run" in _clean(refused.err)


def test_a_command_started_by_nohup_survives_the_end_of_its_terminal(
    as2d: Any, clips: Path, watch: Any, processes: Remember
) -> None:
    program = [sys.executable, "-m", "as2d.backend.cli.entry", "transcribe", clips / "cv_en_651325.mp3"]
    child = processes(
        subprocess.Popen(
            ["nohup", *map(os.fspath, program), "--language", "en"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=as2d.environment,
        )
    )
    watch.wait_until(lambda: watch.helpers_of(child.pid) != [], "the helper runs")
    child.send_signal(signal.SIGHUP)
    out, err = child.communicate(timeout=300)
    assert child.returncode == 0
    assert out.strip()
    assert "Interrupted" not in _clean(err.decode())


def test_a_full_or_closed_standard_output_is_told_by_the_status(as2d: Any) -> None:
    program = f"{sys.executable} -m as2d.backend.cli.entry"
    for command, code in (
        (f"{program} schema > /dev/full", 4),
        (f"{program} schema >&-", 0),
        (f"{program} schema 2>&- <&- | grep -c properties", 0),
    ):
        done = subprocess.run(
            ["sh", "-c", command], env=as2d.environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code
        _clean(done.stderr)
