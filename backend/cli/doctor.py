"""`as2d doctor`."""

from __future__ import annotations

import typer

from as2d.backend.cli.console import emit, say
from as2d.backend.cli.log_file import log_file
from as2d.backend.devices.capabilities import check_all


def doctor() -> None:
    """Say what is installed, what is missing, and what this computer can do."""
    missing = []
    for check in check_all():
        mark = "ok     " if check.ok else "MISSING" if check.needed else "–      "
        remedy = f" → {check.remedy}" if check.remedy and not check.ok else ""
        emit(f"{mark} {check.name}: {check.detail}{remedy}\n")
        if not check.ok and check.needed:
            missing.append(check.name)
    if log_file().is_file():
        emit(f"        log file: {log_file()}\n")
    if missing:
        say(f"This computer cannot decode yet; see what is said of {', '.join(missing)}.")
        raise typer.Exit(3)
    say("This computer can transcribe recordings.")
