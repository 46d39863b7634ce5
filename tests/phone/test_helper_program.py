"""What the helper program offers for work on phones: a pid file, jobs, leases, hashes and CPUs."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.phone.small_models import SmallPair

from as2d.backend.helper.child_channel import start_child_helper
from as2d.backend.helper.process import HelperProcess
from as2d.backend.paths import helper_path
from as2d.backend.protocol import events, ops
from as2d.backend.protocol.lines import to_line

PIPE = subprocess.PIPE


def _serve(*options: str | Path, **streams: Any) -> subprocess.Popen[bytes]:
    streams = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE} | streams
    return subprocess.Popen([helper_path(), "serve", *options], **streams)


def _next_event(process: subprocess.Popen[bytes], kind: str) -> dict[str, Any]:
    """The next event of this kind."""
    assert process.stdout is not None
    for line in process.stdout:
        event: dict[str, Any] = json.loads(line)
        if event["event"] == kind:
            return event
    pytest.fail(f"the helper ended without saying '{kind}'")


def _load(name: str, pair: SmallPair, **options: Any) -> ops.Load:
    model, role = (pair.target, "target") if name == "t" else (pair.drafter, "drafter")
    return ops.Load.model_validate(
        {"model": name, "path": str(model.path), "role": role, "threads": 2, "shared_threads": 1} | options
    )


def _job(pair: SmallPair, wav: Path) -> bytes:
    """The input of a detached job: everything, from the models to two answers."""
    asked: list[ops.Operation] = [_load("t", pair), _load("d", pair)]
    for window in ("w1", "w2"):
        asked.append(
            ops.Prepare(
                **{"window": window, "target": "t", "drafter": "d", "audio": str(wav), "language": "en"},
                **{"start_condition": "pre-drafted", "task": "transcribe"},
            )
        )
        asked.append(
            ops.Request(
                **{"request": f"r-{window}", "window": window, "method": "as2d", "budget": 4},
                **{"admission": "text", "task": "transcribe", "language": "en", "words": True},
                **{"audit": False, "producer_done": False},
            )
        )
    numbered = (op.model_copy(update={"id": number}) for number, op in enumerate(asked, 1))
    return b"".join(to_line(op) for op in numbered)


def test_the_pid_file_is_there_while_the_helper_runs(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    process = _serve("--pid-file", file)
    hello = _next_event(process, "hello")
    assert file.read_text() == f"{process.pid}\n"
    assert hello["pid"] == process.pid
    assert process.communicate(timeout=60)[1] is not None
    assert process.returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_that_ends_the_helper_leaves_no_pid_file(tmp_path: Path, number: signal.Signals) -> None:
    # Whoever runs the tests with nohup ignores hang-ups, and the helper would too.
    heard = {"preexec_fn": lambda: signal.signal(number, signal.SIG_DFL)}
    process = _serve("--pid-file", tmp_path / "pid", **heard)
    _next_event(process, "hello")
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == -number
    assert list(tmp_path.iterdir()) == []


def test_a_pid_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    process = _serve("--pid-file", tmp_path / "missing" / "pid")
    said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 3
    assert "missing/pid' can't be written: No such file or directory" in said


def test_a_job_is_done_to_its_end(tmp_path: Path, pair: SmallPair, wav: Path) -> None:
    asked, heard = tmp_path / "job.jsonl", tmp_path / "events.jsonl"
    asked.write_bytes(_job(pair, wav))
    with asked.open("rb") as stdin, heard.open("wb") as stdout:
        process = _serve("--job", stdin=stdin, stdout=stdout, start_new_session=True)
        process.communicate(timeout=120)
    assert process.returncode == 0
    said = [json.loads(line) for line in heard.read_bytes().splitlines()]
    assert [event["seq"] for event in said] == list(range(len(said)))
    results = [event for event in said if event["event"] == "result"]
    assert [result["window"] for result in results] == ["w1", "w2"]
    assert results[0]["tokens"] == results[1]["tokens"]
    assert [event for event in said if event["event"] == "error"] == []


def test_audio_that_never_ends_fails_its_preparation_and_not_the_job(pair: SmallPair) -> None:
    prepare = ops.Prepare(
        **{"id": 2, "window": "w", "target": "t", "drafter": None, "audio": None, "language": "en"},
        **{"start_condition": "request-start", "task": "transcribe"},
    )
    asked = to_line(_load("t", pair).model_copy(update={"id": 1})) + to_line(prepare)
    process = _serve("--job")
    said = [json.loads(line) for line in process.communicate(asked, timeout=60)[0].splitlines()]
    assert process.returncode == 0
    assert [event["re"] for event in said if event["event"] == "loaded"] == [1]
    errors = [event for event in said if event["event"] == "error"]
    assert [(error["re"], error["code"]) for error in errors] == [(2, "incomplete")]


def test_events_that_cannot_be_written_end_the_helper_with_the_reason() -> None:
    with open("/dev/full", "wb") as full:
        process = _serve("--job", stdout=full)
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 3
    assert "events could not be written: No space left on device" in said


def test_a_lease_ends_the_helper_whatever_it_does(tmp_path: Path, pair: SmallPair) -> None:
    process = _serve("--job", "--lease-seconds", "2", "--pid-file", tmp_path / "pid")
    hello = _next_event(process, "hello")
    endless = ops.MeasureCalls(id=2, model="t", widths=(32,) * 64, context=20, threads=2, repeats=1000)
    asked = to_line(_load("t", pair).model_copy(update={"id": 1})) + to_line(endless)
    out, _ = process.communicate(asked, timeout=60)
    assert process.returncode == 0
    said = [json.loads(line) for line in out.splitlines()]
    warnings = [event for event in said if event["event"] == "warning"]
    assert [warning["code"] for warning in warnings] == ["lease_ended"]
    assert warnings[0]["t"] - hello["t"] > 1_900_000_000
    assert list(tmp_path.iterdir()) == []


def test_a_touched_lease_file_renews_the_lease(tmp_path: Path) -> None:
    file = tmp_path / "lease"
    for seconds in (4, 60):
        file.touch()
        process = _serve("--lease-seconds", str(seconds), "--lease-file", file)
        hello = _next_event(process, "hello")
        time.sleep(1)
        touched = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        os.utime(file, ns=(1, 1))
        ended = _next_event(process, "warning")
        process.communicate(timeout=60)
        if ended["t"] > touched:  # else this process had no turn for as long as the lease
            break
    assert ended["code"] == "lease_ended"
    assert touched - hello["t"] > 1_000_000_000
    assert ended["t"] - touched >= seconds * 1_000_000_000
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--lease-seconds", "soon"], "--lease-seconds must be a whole number from 1 to 604800"),
        (["--lease-file", "f"], "--lease-file needs --lease-seconds"),
        (["--detached"], "'--detached' is not an option of serve"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: list[str], problem: str) -> None:
    done = subprocess.run([helper_path(), "serve", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert f"as2d-helper: {problem}\nusage:" in done.stderr


def test_hashes_name_what_they_belong_to(tmp_path: Path) -> None:
    contents = {"empty": b"", "one": b"abc", "large file": os.urandom(1_000_003)}
    for name, data in contents.items():
        (tmp_path / name).write_bytes(data)
    names = [*contents, "absent", "."]
    done = subprocess.run(
        [helper_path(), "hash", *names], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    for line, (name, data) in zip(done.stdout.splitlines(), contents.items(), strict=True):
        about = (tmp_path / name).stat()
        place = f"{about.st_size} {about.st_mtime_ns} {about.st_ino}"
        assert line == f"{hashlib.sha256(data).hexdigest()}  {place}  {name}"
    assert done.stderr.splitlines() == ["- absent: No such file or directory", "- .: Not a regular file"]


def test_hashing_readable_files_ends_with_0(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"a")
    subprocess.run([helper_path(), "hash", file], check=True, capture_output=True)


@pytest.fixture
def helper() -> Iterator[HelperProcess]:
    with start_child_helper(helper_path()) as running:
        yield running


def _cpus_of_threads(pid: int) -> list[frozenset[int]]:
    tasks = Path(f"/proc/{pid}/task")
    return [frozenset(os.sched_getaffinity(int(task.name))) for task in tasks.iterdir()]


def test_target_and_drafter_are_kept_on_their_cpus(helper: HelperProcess, pair: SmallPair) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    first, last = (cpus[0],), (cpus[-1],)
    assert helper.call(_load("t", pair, cpus=first), events.Loaded).cpus == first
    assert helper.call(_load("d", pair, cpus=last, threads=1), events.Loaded).cpus == last
    bound = _cpus_of_threads(helper.pid)
    # The target's own thread, MNN's second and the projection's; the producer's; the others go anywhere.
    assert bound.count(frozenset(first)) == (3 if first != last else len(bound))
    assert bound.count(frozenset(last)) == (1 if first != last else len(bound))


def test_cpus_that_are_not_there_are_told(helper: HelperProcess, pair: SmallPair) -> None:
    warnings: list[events.Warned] = []
    helper.subscribe(lambda _, event: warnings.append(event) if isinstance(event, events.Warned) else None)
    loaded = helper.call(_load("t", pair, cpus=(1023,)), events.Loaded)
    assert loaded.cpus == tuple(sorted(os.sched_getaffinity(0)))
    assert [warning.code for warning in warnings] == ["placement"]
    assert "CPUs 1023" in warnings[0].message
