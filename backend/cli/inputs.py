"""Recordings that cannot be one are told before anything is started for the others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from as2d.backend.audio.files import file_size
from as2d.backend.audio.folders import FoundRecording, look_below
from as2d.backend.audio.names import printable
from as2d.backend.cli.console import say
from as2d.backend.errors import InputRefused
from as2d.backend.words import counted

_NAMED = 3


def with_folders(paths: Sequence[Path]) -> tuple[list[FoundRecording], list[Path]]:
    """The recordings among files and below folders, in order, and the folders without any, which are said.

    Those below one of several folders are told apart by that folder's name.
    """
    below = {
        path: look_below(path)
        for path in paths
        if os.path.isdir(path)  # noqa: PTH112  (Path.is_dir raises for names that are too long)
    }
    several = sum(bool(found.recordings) for found in below.values()) > 1
    recordings: list[FoundRecording] = []
    for path in paths:
        if path not in below:
            recordings.append(FoundRecording(path))
            continue
        # A folder may be named as `.` or `..`.
        name = os.path.basename(os.path.abspath(path)) if several else ""  # noqa: PTH100, PTH119
        recordings += (
            FoundRecording(found, Path(name, found.relative_to(path))) for found in below[path].recordings
        )
    for path, found in below.items():
        _say_passed_over(path, found.passed_over)
    empty = [path for path, found in below.items() if not found.recordings]
    for path in empty:
        say(f"Error: The folder {path} holds no recording; name one that does.")
    return recordings, empty


def _say_passed_over(folder: Path, files: Sequence[Path]) -> None:
    if files:
        names = [printable(str(file.relative_to(folder))) for file in files[:_NAMED]]
        more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
        say(
            f"{counted(len(files), 'file')} in {folder} passed over, not named as a recording is: "
            f"{', '.join(names)}{more}. To try one all the same, name it."
        )


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
