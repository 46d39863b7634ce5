"""Recordings in folders."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from mimetypes import guess_type
from pathlib import Path

from as2d.backend.audio.names import printable, shown_name

_ENDINGS = """
aac ac3 aif aifc aiff alac amr ape au avi caf flac flv gsm m4a m4b m4v mka mkv mov mp2 mp3 mp4 mpeg mpg oga
ogg ogv opus ra rm snd sph spx ts w64 wav wave webm wma wmv wv 3gp 3g2
"""
SOUND_ENDINGS = frozenset(_ENDINGS.split())
"""Endings of files in a folder that are taken for recordings; a file that is named itself may have any."""

_TEXTS = frozenset(["jsonl", "md", "srt", "toml", "yaml", "yml"])  # what the system may know no type of
_DEEPEST = 8


@dataclass(frozen=True)
class FoundRecording:
    """A file to decode; `within`: its path in the folder that was named in its place, None: it was named."""

    path: Path
    within: Path | None = None

    @classmethod
    def stored(cls, audio: str, within: str | None) -> FoundRecording:
        """One that a run tells of, by its paths there."""
        return cls(Path(audio), Path(within) if within is not None else None)

    @property
    def shown(self) -> str:
        """What it is called, on one line."""
        return shown_name(self.path) if self.within is None else printable(str(self.within))


def told_apart(recordings: Sequence[FoundRecording]) -> list[str]:
    """What to call recordings that are listed together: those that share a name by their whole paths."""
    names = [found.shown for found in recordings]
    times = Counter(names)
    return [
        name if times[name] == 1 else printable(str(found.path))
        for name, found in zip(names, recordings, strict=True)
    ]


@dataclass(frozen=True)
class Below:
    """The files below a folder, by name: those that are named as recordings are, and those whose names do not
    tell what they are. Hidden ones, texts, pictures and the like are in neither.
    """

    recordings: tuple[Path, ...]
    passed_over: tuple[Path, ...]


def look_below(folder: Path) -> Below:
    """Look for recordings below a folder; folders in it that cannot be read count as empty."""
    files = list(_below(folder, 0))
    recordings = tuple(file for file in files if file.suffix[1:].casefold() in SOUND_ENDINGS)
    others = (file for file in files if file.suffix[1:].casefold() not in SOUND_ENDINGS)
    return Below(recordings, tuple(file for file in others if _may_be_sound(file)))


def _may_be_sound(file: Path) -> bool:
    kind = guess_type(file.name)[0]
    if kind is None:
        return file.suffix[1:].casefold() not in _TEXTS
    return kind.startswith(("audio/", "video/"))


def _below(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name.casefold())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False) and depth < _DEEPEST:
            yield from _below(Path(entry.path), depth + 1)
        elif entry.is_file():
            yield Path(entry.path)
