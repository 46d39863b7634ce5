"""A text with the time in front of each line, to be copied. Knows no Qt."""

from __future__ import annotations

from as2d.app.viewmodels.clock import clock_text
from as2d.app.viewmodels.transcript import RecordingText


def timed_lines(text: RecordingText) -> str:
    """One line a subtitle cue, as `[1:02:03.4] And so my fellow Americans`; windows without timed words are
    one line each.
    """
    from as2d.backend.export.cues import TimedWord, make_cues
    from as2d.backend.export.scripts import join_texts

    lines: list[str] = []
    for window in text.windows:
        words = [
            TimedWord(word.text, window.start_s + word.start, window.start_s + word.end)
            for word in window.words
        ]
        if words:
            lines += [_line(cue.start, join_texts(cue.lines)) for cue in make_cues(words)]
        elif shown := "".join(piece.text for piece in window.pieces).strip():
            lines.append(_line(window.start_s, shown))
    return "\n".join(lines)


def _line(seconds: float, text: str) -> str:
    return f"[{clock_text(seconds, tenths=True, hours=True)}] {text}"
