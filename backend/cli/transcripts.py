"""Transcripts on standard output or in a folder."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.audio.folders import FoundRecording
from as2d.backend.audio.names import printable
from as2d.backend.cli.console import emit, say
from as2d.backend.errors import WrongUse
from as2d.backend.export.formats import Format, render
from as2d.backend.export.output_files import OutputFolder
from as2d.backend.export.transcript import Transcript

_SUBTITLES = ("srt", "vtt")
_SILENT = "it holds no speech, so there is no text"


def check_outputs(form: Format, output_dir: Path | None, recordings: int) -> None:
    """Refuse several subtitles on one output.

    Raises:
        WrongUse: that was asked for.
    """
    if form in _SUBTITLES and output_dir is None and recordings > 1:
        raise WrongUse(
            f"Several recordings cannot share one {form} on standard output; give --output-dir FOLDER."
        )


def give(
    transcript: Transcript,
    recording: FoundRecording,
    name: str,
    form: Format,
    folder: OutputFolder | None,
    *,
    several: bool,
) -> None:
    """Print the transcript of a recording called `name`, or write it into the folder and say where."""
    text = render(transcript, form)
    if folder is not None:
        written = folder.write(recording.path, form, text, recording.within)
        say(f"{name} → {printable(str(written))}{'' if transcript.text.strip() else f'; {_SILENT}'}")
        return
    if not transcript.text.strip():
        say(f"{name}: {_SILENT}.")
    if form == "txt" and several:
        emit(f"== {name} ==\n{text}\n")
    else:
        emit(text)
