"""SRT and WebVTT."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.export.cues import Cue, TimedWord, make_cues
from as2d.backend.export.transcript import Transcript, TranscriptWindow


def cues_of(transcript: Transcript) -> list[Cue]:
    """The cues of a transcript, from the times of its words.

    A window that has text but no word times (its target cannot give them) is cut by sharing the window's time
    evenly among its characters.
    """
    words: list[TimedWord] = []
    for window in transcript.windows:
        if window.words:
            words += _window_words(window)
        elif window.text:
            words += _evenly(window)
    return make_cues(words)


def to_srt(cues: Sequence[Cue]) -> str:
    """SubRip text."""
    blocks = [
        f"{number}\n{_clock(cue.start, ',')} --> {_clock(cue.end, ',')}\n" + "\n".join(cue.lines) + "\n"
        for number, cue in enumerate(cues, start=1)
    ]
    return "\n".join(blocks)


def to_vtt(cues: Sequence[Cue]) -> str:
    """WebVTT text."""
    blocks = [
        f"{_clock(cue.start, '.')} --> {_clock(cue.end, '.')}\n" + "\n".join(map(_escape, cue.lines)) + "\n"
        for cue in cues
    ]
    return "\n".join(["WEBVTT\n", *blocks])


def _window_words(window: TranscriptWindow) -> list[TimedWord]:
    """The words with a space before the first where the script has spaces, so that windows join."""
    words = [TimedWord(word.text, word.start, word.end) for word in window.words]
    first = words[0]
    if first.text[:1].isascii() and not first.text.startswith(" "):
        words[0] = TimedWord(" " + first.text, first.start, first.end)
    return words


def _evenly(window: TranscriptWindow) -> list[TimedWord]:
    pieces = [" " + piece for piece in window.text.split(" ")] if " " in window.text else list(window.text)
    length = sum(len(piece) for piece in pieces)
    seconds = window.end - window.start
    words = []
    done = 0
    for piece in pieces:
        start = window.start + seconds * done / length
        done += len(piece)
        words.append(TimedWord(piece, start, window.start + seconds * done / length))
    return words


def _clock(seconds: float, mark: str) -> str:
    milliseconds = round(seconds * 1000)
    hours, rest = divmod(milliseconds, 3_600_000)
    minutes, rest = divmod(rest, 60_000)
    whole, thousandths = divmod(rest, 1000)
    return f"{hours:02d}:{minutes:02d}:{whole:02d}{mark}{thousandths:03d}"


def _escape(line: str) -> str:
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
