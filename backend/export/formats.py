"""The formats of a transcript by name."""

from __future__ import annotations

from typing import Literal, get_args

from as2d.backend.export.subtitles import cues_of, to_srt, to_vtt
from as2d.backend.export.transcript import Transcript

Format = Literal["txt", "srt", "vtt", "json"]
FORMATS: tuple[Format, ...] = get_args(Format)


def render(transcript: Transcript, form: Format) -> str:
    """The transcript in a format, ending in a line feed (an empty transcript's subtitles may be empty)."""
    match form:
        case "txt":
            return transcript.text + "\n"
        case "srt":
            return to_srt(cues_of(transcript))
        case "vtt":
            return to_vtt(cues_of(transcript))
        case "json":
            return transcript.model_dump_json() + "\n"
