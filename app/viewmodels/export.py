"""What the user wants to take away of a run. Knows no Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from as2d.app.viewmodels.run import RunViewModel
from as2d.backend.audio import shown_name

ExportKind = Literal["transcript", "picture", "table", "trace", "bundle"]
EACH = "*"
"""In place of a recording's id: every one, a file each."""

FORMS: dict[ExportKind, tuple[str, ...]] = {
    "transcript": ("txt", "srt", "vtt", "json"),
    "picture": ("png", "svg"),
    "table": ("csv", "jsonl", "md"),
}
"""The formats of the kinds that have several, by their endings."""


@dataclass(frozen=True)
class ExportChoice:
    """One export; of a kind only what belongs to it counts. `recording` is an id, None for all in one file;
    `begin_s` and `end_s` are seconds of the timeline's axis.
    """

    kind: ExportKind = "transcript"
    form: str = "txt"
    recording: str | None = None
    table: str = "requests"
    decoded: bool = False
    width: int = 1600
    height: int = 480
    scale: float = 2.0
    dark: bool = False
    audio_time: bool = False
    begin_s: float | None = None
    end_s: float | None = None
    sound: bool = False

    @property
    def ending(self) -> str:
        """The ending of its file."""
        return {"trace": "pftrace", "bundle": "as2d"}.get(self.kind, self.form)


@dataclass(frozen=True)
class Exportable:
    """What there is of a run to choose from: its recordings with their names, whether one was corrected and
    whether the decoded texts are shown nevertheless, and the selected span of the timeline (seconds of the
    axis).
    """

    run: RunViewModel
    folder: Path
    recordings: tuple[tuple[str, str], ...]
    shown: str | None
    corrected: bool = False
    as_decoded: bool = False
    span: tuple[float, float] | None = None
    audio_time: bool = False


def recordings_of(run: RunViewModel) -> tuple[tuple[str, str], ...]:
    """The recordings of a run that have windows, by id and name."""
    return tuple(
        (name, shown_name(Path(recording.audio)))
        for name, recording in run.fold.recordings.items()
        if recording.windows
    )


def suggested_name(source: Exportable, choice: ExportChoice) -> str:
    """A file name for an export: after its recording, else after the run."""
    names = dict(source.recordings)
    if choice.kind in ("transcript", "picture", "table") and choice.recording in names:
        stem = Path(names[choice.recording]).stem
    elif len(names) == 1:
        stem = Path(next(iter(names.values()))).stem
    else:
        stem = source.folder.name
    mark = {"picture": " timeline", "table": f" {choice.table}"}.get(choice.kind, "")
    return f"{stem}{mark}.{choice.ending}"
