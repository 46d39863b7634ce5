"""The end of the real helper when it is busy, frozen or late."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.audio import open_recording, write_wav
from as2d.backend.errors import HelperFailed
from as2d.backend.helper.child_channel import start_child_helper
from as2d.backend.helper.endings import HelperDied
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import helper_path
from as2d.backend.protocol import events, ops
from as2d.backend.protocol.message import HelperEvent


@pytest.fixture(scope="module")
def wav(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wav") / "clip.wav"
    with open_recording(clips / "cv_en_651325.mp3") as recording:
        write_wav(path, next(recording.windows()).pcm)
    return path


def test_shutdown_does_not_wait_for_long_work(installed: dict[str, InstalledModel], watch: Any) -> None:
    helper = start_child_helper(helper_path())
    target = str(installed["whisper-base"].path)
    helper.call(ops.Load(model="t", path=target, role="target", threads=2, shared_threads=1), events.Loaded)
    loaded = watch.cpu_ticks(helper.pid)
    # Minutes of work.
    helper.send(ops.MeasureCalls(model="t", widths=(32,) * 64, context=20, threads=2, repeats=1000))
    watch.wait_until(lambda: watch.cpu_ticks(helper.pid) > loaded + 20, "the helper is at work")
    assert helper.shutdown(seconds=60) == 0


def test_a_frozen_helper_is_noticed_and_ended(watch: Any) -> None:
    helper = start_child_helper(helper_path(), silence_seconds=2.0)
    pid = helper.pid
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(HelperDied, match="silent for 2 s"):
        helper.call(ops.Ping(), events.Pong)
    assert not watch.is_running(pid)
    helper.shutdown()


def test_an_answer_that_does_not_come_in_time_ends_the_helper(watch: Any) -> None:
    helper = start_child_helper(helper_path())
    pid = helper.pid
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(HelperDied, match="'Ping' within 1 s"):
        helper.call(ops.Ping(), events.Pong, seconds=1)
    helper.shutdown()
    assert not watch.is_running(pid)


def test_shutdown_of_a_frozen_helper_does_not_hang(watch: Any) -> None:
    helper = start_child_helper(helper_path())
    os.kill(helper.pid, signal.SIGSTOP)
    assert helper.shutdown(seconds=1.0) == -signal.SIGKILL
    assert not watch.is_running(helper.pid)


def test_shutdown_says_bye_and_ends_with_status_0() -> None:
    heard: list[HelperEvent] = []
    helper = start_child_helper(helper_path())
    helper.subscribe(lambda _, event: heard.append(event))
    assert helper.shutdown(seconds=60) == 0
    assert isinstance(heard[-1], events.Bye)
    assert not helper.alive
    assert helper.shutdown() == 0
    with pytest.raises(HelperDied):
        helper.send(ops.Ping())


@pytest.mark.parametrize(
    ("number", "words"), [(signal.SIGKILL, "137"), (signal.SIGSEGV, "139"), (signal.SIGILL, "132")]
)
@pytest.mark.parametrize("moment", ["idle", "loading", "encoding", "decoding"])
def test_a_helper_that_dies_ends_every_wait_with_its_sentence(
    number: signal.Signals, words: str, moment: str, installed: dict[str, InstalledModel], wav: Path
) -> None:
    told: list[tuple[int, str]] = []
    helper = start_child_helper(helper_path())
    helper.on_end(lambda code, message: told.append((code, message)))
    pendings = []
    if moment != "idle":
        path = str(installed["whisper-base"].path)
        pendings.append(
            helper.send(ops.Load(model="t", path=path, role="target", threads=2, shared_threads=1))
        )
    if moment in ("encoding", "decoding"):
        helper.wait(pendings[0], events.Loaded)
        pendings.append(
            helper.send(
                ops.Prepare(
                    window="w",
                    target="t",
                    drafter=None,
                    audio=str(wav),
                    start_condition="pre-drafted",
                    language="en",
                    task="transcribe",
                )
            )
        )
    if moment == "decoding":
        helper.wait(pendings[1], events.Prepared)
        pendings.append(
            helper.send(
                ops.Request(
                    request="r",
                    window="w",
                    method="target-only",
                    budget=0,
                    admission="text",
                    task="transcribe",
                    language="en",
                    words=True,
                    audit=True,
                    producer_done=False,
                )
            )
        )
    os.kill(helper.pid, number)
    for pending in pendings:
        assert pending.wait(30)
    with pytest.raises(HelperFailed, match=words):
        helper.call(ops.Ping(), events.Pong, seconds=30)
    helper.shutdown()
    assert [code for code, _ in told] == [-number]
    assert words in told[0][1]


def test_a_pid_file_that_cannot_be_written_leaves_no_part_of_it(tmp_path: Path) -> None:
    place = tmp_path / "a folder"
    place.mkdir()
    command = [str(helper_path()), "serve", "--pid-file", str(place)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60)
    assert done.returncode != 0
    assert b"can't be written: Is a directory" in done.stderr
    assert list(tmp_path.iterdir()) == [place]
