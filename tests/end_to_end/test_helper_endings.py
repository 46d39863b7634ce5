"""The end of the real helper when it is busy, frozen or late."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.helper.endings import HelperDied
from as2d.backend.helper.process import HelperProcess
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import helper_path
from as2d.backend.protocol import events, ops


def test_shutdown_does_not_wait_for_long_work(installed: dict[str, InstalledModel], watch: Any) -> None:
    def cpu_ticks() -> int:
        fields = Path(f"/proc/{helper.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    helper = HelperProcess.start(helper_path())
    target = str(installed["whisper-base"].path)
    helper.call(ops.Load(model="t", path=target, role="target", threads=2, shared_threads=1), events.Loaded)
    loaded = cpu_ticks()
    # Minutes of work.
    helper.send(ops.MeasureCalls(model="t", widths=(32,) * 64, context=20, threads=2, repeats=1000))
    watch.wait_until(lambda: cpu_ticks() > loaded + 20, "the helper is at work")
    assert helper.shutdown(seconds=60) == 0


def test_a_frozen_helper_is_noticed_and_ended(watch: Any) -> None:
    helper = HelperProcess.start(helper_path(), silence_seconds=2.0)
    pid = helper.pid
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(HelperDied, match="silent for 2 s"):
        helper.call(ops.Ping(), events.Pong)
    assert not watch.is_running(pid)
    helper.shutdown()


def test_an_answer_that_does_not_come_in_time_ends_the_helper(watch: Any) -> None:
    helper = HelperProcess.start(helper_path())
    pid = helper.pid
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(HelperDied, match="'Ping' within 1 s"):
        helper.call(ops.Ping(), events.Pong, seconds=1)
    helper.shutdown()
    assert not watch.is_running(pid)


def test_shutdown_of_a_frozen_helper_does_not_hang(watch: Any) -> None:
    helper = HelperProcess.start(helper_path())
    os.kill(helper.pid, signal.SIGSTOP)
    assert helper.shutdown(seconds=1.0) == -signal.SIGKILL
    assert not watch.is_running(helper.pid)
