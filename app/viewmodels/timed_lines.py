"""A text with the time in front of each line, to be copied. Knows no Qt."""

from __future__ import annotations

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
            lines += [f"[{_clock(cue.start)}] {join_texts(cue.lines)}" for cue in make_cues(words)]
        elif shown := "".join(piece.text for piece in window.pieces).strip():
            lines.append(f"[{_clock(window.start_s)}] {shown}")
    return "\n".join(lines)


def _clock(seconds: float) -> str:
    tenths = round(seconds * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest // 10:02}.{rest % 10}"
