"""From what was dropped or chosen to the files that may be recordings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QLineEdit, QWidget

from as2d.app.translation import tr
from as2d.backend.audio import require_file, shown_name
from as2d.backend.audio.folders import look_below
from as2d.backend.errors import InputRefused


@dataclass(frozen=True)
class Found:
    """Files to be decoded, sentences about what cannot be: the path and the reason, and what in folders was
    passed over, as its name does not tell what it is.
    """

    recordings: tuple[Path, ...]
    refused: tuple[tuple[Path, str], ...]
    passed_over: tuple[Path, ...] = ()


def paths_of(data: QMimeData) -> tuple[list[Path], list[str]]:
    """The local paths in dropped data, and the addresses in it that are not on this computer."""
    urls = (
        data.urls() if data.hasUrls() else [QUrl(line) for line in data.text().splitlines() if "://" in line]
    )
    local = [Path(url.toLocalFile()) for url in urls if url.isLocalFile()]
    return local, [url.toDisplayString() for url in urls if not url.isLocalFile()]


def can_take(data: QMimeData) -> bool:
    """Whether dropped data names files."""
    return data.hasUrls() or "file://" in data.text()


def pass_drops_on(place: QWidget) -> None:
    """Let what is dropped here and on the fields in it reach the window: a drawing would refuse files, a
    field would write their addresses.
    """
    for widget in (place, *place.findChildren(QLineEdit)):
        widget.setAcceptDrops(False)


def find_recordings(paths: Iterable[Path]) -> Found:
    """The recordings among files and, below folders, in order of their names."""
    recordings: list[Path] = []
    refused: list[tuple[Path, str]] = []
    passed_over: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = look_below(path)
            if not inside.recordings:
                refused.append((path, tr("The folder {name} holds no recording.", name=shown_name(path))))
            recordings.extend(inside.recordings)
            passed_over.extend(inside.passed_over)
            continue
        try:
            require_file(path)
        except InputRefused as error:
            refused.append((path, error.message))
        else:
            recordings.append(path)
    return Found(tuple(recordings), tuple(refused), tuple(passed_over))
