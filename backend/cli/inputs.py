"""Recordings that cannot be one are told before anything is started for the others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from as2d.backend.audio import require_file
from as2d.backend.cli.console import say
from as2d.backend.errors import InputRefused


def refuse_missing(paths: Iterable[Path]) -> list[Path]:
    """Say which of the files are missing, empty or no files; those are returned."""
    refused = []
    for path in paths:
        try:
            require_file(path)
        except InputRefused as error:
            say(f"Error: {error.message}")
            refused.append(path)
    return refused
