"""Recordings that cannot be one are told before anything is started for the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from as2d.backend.audio.files import file_size
from as2d.backend.audio.folders import FoundRecording, recordings_below
from as2d.backend.cli.console import say
from as2d.backend.errors import InputRefused


def with_folders(paths: Sequence[Path]) -> tuple[list[FoundRecording], list[Path]]:
    """The recordings among files and below folders, in order, and the folders without any, which are said.

    Those below one of several folders are told apart by that folder's name.
    """
    below = {
        path: recordings_below(path)
        for path in paths
        if os.path.isdir(path)  # noqa: PTH112  (Path.is_dir raises for names that are too long)
    }
    several = sum(map(bool, below.values())) > 1
    recordings: list[FoundRecording] = []
    for path in paths:
        if path not in below:
            recordings.append(FoundRecording(path))
            continue
        # A folder may be named as `.` or `..`.
        name = os.path.basename(os.path.abspath(path)) if several else ""  # noqa: PTH100, PTH119
        recordings += (FoundRecording(found, Path(name, found.relative_to(path))) for found in below[path])
    empty = [path for path, found in below.items() if not found]
    for path in empty:
        say(f"Error: The folder {path} holds no recording; name one that does.")
    return recordings, empty


def refuse_missing(recordings: Iterable[FoundRecording]) -> list[Path]:
    """Say which of the files are missing, empty or no files; those are returned."""
    refused = []
    for recording in recordings:
        try:
            file_size(recording.path, recording.shown)
        except InputRefused as error:
            say(f"Error: {error.message}")
            refused.append(recording.path)
    return refused
