"""Runs `as2d-helper replay` as a child process."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from as2d.backend.errors import HelperFailed
from as2d.backend.helper.child import kill_child, start_child
from as2d.backend.helper.endings import HelperDied, describe_ending
from as2d.backend.helper.reading import read_lines
from as2d.backend.models.progress import Cancelled
from as2d.backend.replay.messages import (
    ReplayError,
    RunDone,
    TimelineReplayed,
    WindowReplayed,
    parse_replayed,
)

_END_SECONDS = 10.0
_KEPT_STDERR_LINES = 20

_LINE = re.compile(r"Line (\d+): (.*)", re.DOTALL)


class LineRefused(HelperFailed):
    """The helper could not use what it was sent; `line` is the number of that line, from 1, if it said so."""

    def __init__(self, said: str) -> None:
        super().__init__(f"The helper cannot replay this: {said}")
        found = _LINE.fullmatch(said)
        self.line = int(found[1]) if found else None
        self.reason = (found[2] if found else said).rstrip(".")


Answer = Callable[[WindowReplayed | TimelineReplayed], None]


def run_replay(
    program: Path, lines: Iterable[bytes], answer: Answer, cancelled: Callable[[], bool]
) -> RunDone:
    """Feed `lines` to a replaying helper, give each of its answers to `answer`; what it said of its last run.

    Returns when the helper has ended. The caller's thread reads; another writes.

    Raises:
        LineRefused: the helper cannot use one of the lines.
        HelperFailed: it cannot be started, or ended early.
        Cancelled: the end was asked for.
    """
    process = start_child(program, ["replay"])
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None  # noqa: PT018
    last_words: list[str] = []
    feeder = _Feeder(process, lines)
    errors = threading.Thread(target=_read_errors, args=(process.stderr.fileno(), last_words), daemon=True)
    feeder.start()
    errors.start()
    done: RunDone | None = None
    refused: str | None = None
    try:
        for line in read_lines(process.stdout.fileno()):
            if cancelled():
                raise Cancelled
            match parse_replayed(line):
                case RunDone() as end:
                    done = end
                case ReplayError(message=message):
                    refused = message
                case said:
                    answer(said)
    except BaseException:
        kill_child(process)
        raise
    finally:
        code = _wait(process)
        feeder.join()
        errors.join()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
    if feeder.failure is not None:
        raise feeder.failure
    if refused is not None:
        raise LineRefused(refused)
    if code != 0 or done is None:
        raise HelperDied(describe_ending(code, next(iter(last_words[-1:]), "")), code)
    return done


class _Feeder(threading.Thread):
    """Writes the lines into the child; an error of whoever makes the lines is kept for the reader."""

    def __init__(self, process: subprocess.Popen[bytes], lines: Iterable[bytes]) -> None:
        super().__init__(name="replay-feeder", daemon=True)
        self._process = process
        self._lines = lines
        self.failure: Exception | None = None

    def run(self) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        try:
            for line in self._lines:
                view = memoryview(line)
                while view:
                    view = view[os.write(stdin.fileno(), view) :]
        except OSError:  # the child ended: its own words say why
            return
        except Exception as error:  # noqa: BLE001  (raised again on the reader's thread)
            self.failure = error
            kill_child(self._process)
        finally:
            stdin.close()


def _read_errors(descriptor: int, lines: list[str]) -> None:
    for line in read_lines(descriptor):
        lines.append(line.decode("utf-8", "replace"))
        del lines[:-_KEPT_STDERR_LINES]


def _wait(process: subprocess.Popen[bytes]) -> int:
    """The exit status, after the output was closed."""
    try:
        return process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        kill_child(process)
        return process.wait()
