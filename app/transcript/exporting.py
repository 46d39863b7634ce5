"""Saving transcripts as text, subtitles or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from as2d.app.translation import tr, tr_count
from as2d.app.viewmodels.recordings import RecordingItem
from as2d.backend.audio import shown_name
from as2d.backend.errors import InputRefused, UserError
from as2d.backend.export.formats import FORMATS, Format, render
from as2d.backend.export.output_files import OutputFolder
from as2d.backend.export.transcript import Transcript, transcript_of
from as2d.backend.runs.files import storage_error, write_atomically
from as2d.backend.runs.manifest import read_manifest

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow


def filters() -> dict[str, Format]:
    """The formats by their names in a file dialog."""
    names: dict[Format, str] = {
        "txt": tr("Text"),
        "srt": tr("SubRip subtitles"),
        "vtt": tr("WebVTT subtitles"),
        "json": tr("JSON with words and times"),
    }
    return {f"{names[form]} (*.{form})": form for form in FORMATS}


def transcript_for(window: StudioWindow, item: RecordingItem) -> Transcript:
    """The transcript of a recording, as far as it is decoded.

    Raises:
        UserError: it has none yet, or its run was not recorded.
    """
    run = window.studio.run_of(item)
    if run is None or item.recording is None or item.recording not in run.fold.recordings:
        raise InputRefused(tr("{name} has no transcript yet; decode it first.", name=item.name))
    if run.folder is None:
        raise InputRefused(tr("{name} can be exported when its run has ended.", name=item.name))
    return transcript_of(run.fold, item.recording, read_manifest(run.folder))


def export_one(window: StudioWindow) -> None:
    """Ask for a name and a format, and save the transcript that is shown."""
    item = window.follower.item
    if item is None:
        return
    known = filters()
    start = Path(window.settings.current.last_folder or Path.home()) / f"{item.path.stem}.txt"
    name, chosen = QFileDialog.getSaveFileName(
        window, tr("Export the transcript"), str(start), ";;".join(known)
    )
    if not name:
        return
    path, form = Path(name), known.get(chosen, "txt")
    ending = path.suffix[1:].lower()
    form = next((own for own in FORMATS if own == ending), form)
    if not path.suffix:
        path = path.with_name(f"{path.name}.{form}")
    try:
        _write(path, render(transcript_for(window, item), form))
    except UserError as error:
        window.say("error", error.message)
    else:
        window.log.say("note", tr("The transcript was saved as {path}.", path=path))
        window.status.show_idle(tr("The transcript was saved as {path}.", path=shown_name(path)))


def export_all(window: StudioWindow) -> None:
    """Ask for a folder and save every transcript of the list as text."""
    items = [item for item in window.studio.recordings.items if item.status == "done"]
    name = QFileDialog.getExistingDirectory(
        window, tr("Export all transcripts into"), window.settings.current.last_folder or str(Path.home())
    )
    if not name:
        return
    saved = 0
    try:
        folder = OutputFolder(Path(name), kept=[item.path for item in items])
        for item in items:
            folder.write(item.path, "txt", render(transcript_for(window, item), "txt"))
            saved += 1
    except UserError as error:
        window.say("error", error.message)
    text = tr_count(
        saved, "{n} transcript was saved in {folder}.", "{n} transcripts were saved in {folder}.", folder=name
    )
    window.log.say("note", text)
    window.status.show_idle(text)


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise storage_error(error, path, "the transcript") from error
