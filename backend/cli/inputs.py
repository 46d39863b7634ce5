"""Recordings that cannot be one are told before anything is started for the others."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from as2d.backend.audio import require_file
from as2d.backend.audio.folders import recordings_below
from as2d.backend.cli.console import say
from as2d.backend.errors import InputRefused


def with_folders(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """The recordings among files and below folders, in order, and the folders without any, which are said."""
    recordings: list[Path] = []
    empty: list[Path] = []
    for path in paths:
        if not os.path.isdir(path):  # noqa: PTH112  (Path.is_dir raises for names that are too long)
            recordings.append(path)
            continue
        found = recordings_below(path)
        recordings += found
        if not found:
            say(f"Error: The folder {path} holds no recording; name one that does.")
            empty.append(path)
    return recordings, empty


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
