"""`as2d devices`."""

from __future__ import annotations

import typer

from as2d.backend.cli.console import emit, number, say, table
from as2d.backend.devices.capabilities import greet_helper
from as2d.backend.devices.this_computer import default_threads, this_computer
from as2d.backend.errors import UserError

_GIGABYTE = 1e9


def devices() -> None:
    """List the devices that can decode."""
    computer = this_computer()
    problem: UserError | None = None
    try:
        hello = greet_helper()
        state, helper = "ready", f"{hello.build}, MNN {hello.mnn}"
    except UserError as error:
        problem, state, helper = error, "no helper", "–"
    memory = number(computer.memory_bytes / _GIGABYTE if computer.memory_bytes else None, 0, "GB")
    free = number(computer.free_memory_bytes / _GIGABYTE if computer.free_memory_bytes else None, 0, "GB")
    head = ("device", "state", "system", "cores", "threads", "memory", "free", "helper")
    row = [
        f"this computer: {computer.cpu}",
        state,
        f"{computer.system} {computer.arch}",
        str(computer.cores),
        str(default_threads()),
        memory,
        free,
        helper,
    ]
    emit(table(head, [row], right=(3, 4, 5, 6)))
    if problem is not None:
        say(f"Error: {problem.message}")
        raise typer.Exit(problem.exit_code)
