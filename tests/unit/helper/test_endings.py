"""How a helper ended, in words."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from as2d.backend.errors import HelperFailed, UserError
from as2d.backend.helper import process
from as2d.backend.helper.channel import SilentHelper
from as2d.backend.helper.child_channel import ChildChannel, start_child_helper
from as2d.backend.helper.endings import describe_ending
from as2d.backend.helper.reading import read_lines
from as2d.backend.protocol import ops
from as2d.backend.protocol.message import PROTOCOL_VERSION


@pytest.mark.parametrize(
    ("number", "status", "word"),
    [(signal.SIGILL, 132, "AVX2"), (signal.SIGKILL, 137, "memory"), (signal.SIGSEGV, 139, "crashed")],
)
def test_each_signal_has_its_own_sentence_however_the_status_is_told(
    number: signal.Signals, status: int, word: str
) -> None:
    child = subprocess.Popen(["sleep", "60"])
    child.send_signal(number)
    told = describe_ending(child.wait(), "")
    assert word in told
    assert str(status) in told
    assert describe_ending(status, "") == told


def test_the_last_words_are_added() -> None:
    assert "no such model" in describe_ending(3, "no such model")


def test_a_program_that_cannot_start_is_named(tmp_path: Path) -> None:
    program = tmp_path / "helper"
    program.write_bytes(b"\x7fELF not really")
    program.chmod(0o755)
    with pytest.raises(HelperFailed, match="make helper") as failed:
        start_child_helper(program)
    assert str(program) in failed.value.message


def test_a_program_that_is_no_helper_is_told_by_its_version(tmp_path: Path) -> None:
    program = tmp_path / "other"
    program.write_text("#!/bin/sh\necho hi\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(HelperFailed, match="no protocol version"):
        start_child_helper(program)


def test_a_program_that_ends_at_once_is_told_with_its_last_words(tmp_path: Path) -> None:
    program = tmp_path / "other"
    program.write_text("#!/bin/sh\necho 'the library is missing' >&2\nexit 127\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(HelperFailed, match=r"127.*the library is missing"):
        start_child_helper(program)


def test_a_helper_that_starts_too_late_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "late"
    program.write_text("#!/bin/sh\nexec cat\n", encoding="utf-8")
    program.chmod(0o755)
    given_up = threading.Event()
    opened: list[ChildChannel] = []

    class Impatient(process.HelperProcess):
        def _stop(self, verdict: UserError) -> None:
            super()._stop(verdict)
            given_up.set()

    def open_late() -> ChildChannel:
        given_up.wait()
        opened.append(ChildChannel(program))
        return opened[0]

    monkeypatch.setattr(process, "HELLO_SECONDS", 0.01)
    with pytest.raises(HelperFailed, match="said nothing"):
        Impatient.start("late helper", open_late)
    assert opened[0].wait() == -signal.SIGKILL


def test_an_interrupt_while_a_helper_starts_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\nexec cat\n", encoding="utf-8")
    program.chmod(0o755)
    opened: list[ChildChannel] = []

    def open_interrupted() -> ChildChannel:
        opened.append(ChildChannel(program))
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        return opened[0]

    monkeypatch.setattr(process, "SHUTDOWN_SECONDS", 60.0)
    with pytest.raises(KeyboardInterrupt):
        process.HelperProcess.start("slow helper", open_interrupted)
    assert not Path("/proc", str(opened[0].pid)).exists()


def test_a_helper_that_died_is_told_though_it_is_shut_down_at_that_moment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "helper"
    said = {"event": "hello", "t": 1, "seq": 0, "protocol": PROTOCOL_VERSION, "build": "b", "mnn": "m"}
    cpu = {"arch": "x86_64", "features": [], "cores": 1}
    hello = json.dumps({**said, "cpu": cpu, "methods": [], "pid": 1})
    program.write_text(f"#!/bin/sh\necho '{hello}'\nread line\nexit 9\n", encoding="utf-8")
    program.chmod(0o755)
    helper = start_child_helper(program)
    told: list[int | None] = []
    helper.on_end(lambda code, _message: told.append(code))
    shutting_down = threading.Event()
    closing = threading.Thread(target=helper.shutdown)

    def describe(code: int, last_words: str) -> str:
        if threading.current_thread() is closing:
            shutting_down.set()
        elif not closing.ident:  # the helper has ended, and nobody was told yet
            closing.start()
            shutting_down.wait()
        return describe_ending(code, last_words)

    monkeypatch.setattr(process, "describe_ending", describe)
    helper.post(ops.Ping())
    closing_began = shutting_down.wait(60)
    closing.join()
    assert (closing_began, told) == (True, [9])


def test_lines_arrive_whole_and_the_last_one_without_its_line_feed_too() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"one\n\ntwo, in ")
    os.write(writer, b"two parts\nthree")
    os.close(writer)
    assert list(read_lines(reader)) == [b"one", b"two, in two parts", b"three"]
    os.close(reader)


def test_a_silent_pipe_is_noticed() -> None:
    reader, writer = os.pipe()
    with pytest.raises(SilentHelper):
        list(read_lines(reader, silence_seconds=0.0))
    os.close(reader)
    os.close(writer)
