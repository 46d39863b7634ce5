"""Recordings and windows that are the same in several runs, though each run has names of its own for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

_NUMBER = re.compile(r" \(\d+\)$")

RecordingId = tuple[str, str]
"""A recording's family (see `Site`) and its id in that family's streams."""


@dataclass(frozen=True)
class Heard:
    """A recording as a run knows it: its path, and what its manifest tells of it."""

    audio: str
    corpus: str | None = None
    reference: str | None = None
    language: str | None = None


def names_of(recordings: Mapping[RecordingId, Heard]) -> dict[RecordingId, str]:
    """What recordings are called in a comparison.

    Files are known by name, so that runs of several computers meet; where one family has several of a name,
    as much of the path is added, in all families, as tells them apart. A file that one family has more than
    once gets numbers.
    """
    depths = _depths(recordings)
    found: dict[RecordingId, str] = {}
    counts: dict[tuple[str, str, str | None], int] = {}
    for recording, heard in recordings.items():
        name = _end(heard.audio, depths[_file(heard.audio)])
        key = (recording[0], name, heard.corpus)
        counts[key] = counts.get(key, 0) + 1
        found[recording] = name if counts[key] == 1 else f"{name} ({counts[key]})"
    return found


def file_of(recording: str) -> str:
    """The file of a recording of that name: copies of a file are one, however often it is listed."""
    return _NUMBER.sub("", recording)


def _depths(recordings: Mapping[RecordingId, Heard]) -> dict[str, int]:
    """How many parts of the path each file name needs."""
    alike: dict[tuple[str, str], set[tuple[str, ...]]] = {}
    for (family, _), heard in recordings.items():
        alike.setdefault((family, _file(heard.audio)), set()).add(PurePath(heard.audio).parts)
    depths: dict[str, int] = {}
    for (_, name), paths in alike.items():
        depth = 1
        longest = max(len(parts) for parts in paths)
        while depth < longest and len({parts[-depth:] for parts in paths}) < len(paths):
            depth += 1
        depths[name] = max(depths.get(name, 1), depth)
    return depths


def _file(path: str) -> str:
    return PurePath(path).name


def _end(path: str, depth: int) -> str:
    return "/".join(PurePath(path).parts[-depth:]) or path
