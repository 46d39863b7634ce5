"""Compiles an MNN source tree into a static library, showing how far it is."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

_STEP = re.compile(r"^\[(\d+)/(\d+)\]")
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


class BuildError(Exception):
    """The compilation failed; the message is a sentence for the user, with the end of the log."""


class Progress:
    """One line, overwritten, on a terminal; a line every five per cent elsewhere."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._terminal = sys.stderr.isatty()
        self._started = time.monotonic()
        self._last_percent = -5

    def step(self, done: int, total: int) -> None:
        percent = 100 * done // total
        elapsed = time.monotonic() - self._started
        text = f"{self._title}: {done}/{total} ({percent} %), {_clock(elapsed)}"
        if done < total and done > total // 20:
            text += f", about {_clock(elapsed * (total - done) / done)} left"
        if self._terminal:
            sys.stderr.write(f"\r\033[K{text}")
            if done == total:
                sys.stderr.write("\n")
        elif percent >= self._last_percent + 5:
            self._last_percent = percent
            sys.stderr.write(text + "\n")
        sys.stderr.flush()


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def _end_with_parent() -> None:
    """Ends the compiler when this program is killed, so that no build goes on unseen (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def _run(command: list[str], log: Path, environment: dict[str, str], progress: Progress | None) -> None:
    tail: deque[str] = deque(maxlen=40)
    with (
        log.open("a", encoding="utf-8") as record,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            preexec_fn=_end_with_parent,
        ) as process,
    ):
        assert process.stdout is not None
        try:
            for line in process.stdout:
                record.write(line)
                tail.append(line)
                if progress is not None and (step := _STEP.match(line)):
                    progress.step(int(step[1]), int(step[2]))
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise BuildError(
            f"MNN could not be built ({Path(command[0]).name} ended with {process.returncode}); "
            f"the whole log is {log}, its end:\n{''.join(tail)}"
        )


def build(
    source: Path, folder: Path, definitions: list[str], cmake: str, ninja: str, log: Path, title: str
) -> Path:
    """Configures and compiles `source` in `folder` with the CMake `definitions` (`NAME=VALUE`).

    Returns:
        the static library.

    Raises:
        BuildError: a tool failed or made no library.
    """
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    for variable in ("CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS"):
        environment.pop(variable, None)
    configure = [cmake, "-S", str(source), "-B", str(folder), "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    _run([*configure, *(f"-D{definition}" for definition in definitions)], log, environment, None)
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    _run([ninja, "-C", str(folder), f"-j{jobs}", "MNN"], log, environment, Progress(title))
    library = folder / "libMNN.a"
    if not library.is_file():
        raise BuildError(f"MNN's build made no {library.name}; the whole log is {log}.")
    return library
