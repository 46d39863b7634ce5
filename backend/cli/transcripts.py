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
        silent = "" if transcript.text.strip() else "; it holds no speech, so there is no text"
        say(f"{name} → {printable(str(written))}{silent}")
    elif form == "txt" and several:
        emit(f"== {name} ==\n{text}\n")
    else:
        emit(text)
