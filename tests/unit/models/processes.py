"""Looks for processes that should be gone."""

from __future__ import annotations

from pathlib import Path


def converter_children(folder: Path) -> list[str]:
    """Command lines of running conversions in a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().decode(errors="replace")
        except OSError:
            continue
        if "convert_job" in command and str(folder) in command:
            found.append(command)
    return found
