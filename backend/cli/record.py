"""`as2d record`."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from as2d.backend.cli.console import ERRORS, emit, say
from as2d.backend.sound.taking import Taking, TakingState

_TICK_S = 0.05
_ENDING_S = 10.0
_FLOOR_DB = -54.0


def record(
    output_dir: Annotated[
        Path | None, typer.Option(help="Folder of the recording; default: recordings in the data folder.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.1, help="End by itself after so long; default: with Ctrl+C.")
    ] = None,
) -> None:
    """Record from the microphone until Ctrl+C; the file is whole at every moment. Prints its name."""
    with _asked_to_end() as asked:
        taking = Taking(output_dir)
        try:
            state = _followed(taking, seconds, asked)
        finally:  # nothing was told, as where the terminal went away
            taking.stop()
            taking.wait(_ENDING_S)
    if state.path is not None:
        emit(f"{state.path}\n")
    if state.problem is not None:
        raise state.problem


def _followed(taking: Taking, seconds: float | None, asked: threading.Event) -> TakingState:
    """Show how the recording goes until it has ended."""
    told = seconds is not None
    with _meter() as (meter, task):
        while not (state := taking.state()).ended:
            if not told and state.elapsed_s > 0:
                say("Recording from the microphone; Ctrl+C ends it.")
                told = True
            if asked.is_set() or (seconds is not None and state.elapsed_s >= seconds):
                taking.stop()
            meter.update(task, completed=_share(state), elapsed_s=f"{state.elapsed_s:.1f} s")
            time.sleep(_TICK_S)
    return state


@contextlib.contextmanager
def _asked_to_end() -> Iterator[threading.Event]:
    """Within this block an interrupt only sets the event: the recording is ended in order."""
    asked = threading.Event()
    before: dict[signal.Signals, Any] = {}
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
                before[number] = signal.signal(number, lambda *_: asked.set())
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _meter() -> Iterator[tuple[Progress, TaskID]]:
    """How long it has been and how loud it is, on standard error where that is a terminal."""
    columns = (TextColumn("{task.fields[elapsed_s]}"), BarColumn(40, complete_style="green"))
    with Progress(*columns, console=ERRORS, transient=True, disable=not ERRORS.is_terminal) as progress:
        yield progress, progress.add_task("", total=1.0, elapsed_s="0.0 s")


def _share(state: TakingState) -> float:
    """The peak between -54 and 0 dB of full scale, 0 to 1."""
    decibels = 20 * math.log10(state.level) if state.level > 0 else _FLOOR_DB
    return 1 - max(decibels, _FLOOR_DB) / _FLOOR_DB
