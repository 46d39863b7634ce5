"""The corrected text of a recording, token by token where it is still the decoded one."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from as2d.app.viewmodels.transcript import BEGINNING, CorrectedText, Piece, RecordingText, WindowText
from as2d.backend.export.alignment import Unit, align, units
from as2d.backend.export.transcript import Transcript, TranscriptWindow
from as2d.backend.protocol.decode_events import Word


def corrected_text(decoded: RecordingText, transcript: Transcript) -> CorrectedText:
    """The text of a corrected transcript, with the origins of the decoded one for what stayed."""
    old = decoded.pieces_from(BEGINNING)[0]
    owners = [row for row, piece in enumerate(old) for _ in piece.text]
    begins = list(accumulate((len(piece.text) for piece in old), initial=0))
    before = units("".join(piece.text for piece in old))
    after = units(transcript.text)
    kept: dict[int, Unit] = {}
    for stretch in align(before, after):
        if stretch.same:
            for offset in range(stretch.new_end - stretch.new_begin):
                kept[stretch.new_begin + offset] = before[stretch.old_begin + offset]
    windows = [
        WindowText(own.window, window.start, window.end, request=own.request)
        for own, window in zip(_windows(decoded, transcript), transcript.windows, strict=True)
    ]
    found = CorrectedText(decoded.recording, decoded.audio, windows, decoded.revision, transcript.text)
    place, at = 0, 0
    for row, window in enumerate(transcript.windows):
        firsts: list[int] = []
        for _ in units(window.text):
            unit = after[place]
            gap = transcript.text[at : unit.begin] if place else ""
            gap = "\n" if "\n" in gap else " " if gap else ""
            firsts.append(len(windows[row].pieces))
            _add(windows[row], gap, unit, kept.get(place), old, owners, begins)
            at = unit.end
            place += 1
        firsts.append(len(windows[row].pieces))
        windows[row].words = _words(window, firsts)
        found.shown += windows[row].pieces
    return found


def _windows(decoded: RecordingText, transcript: Transcript) -> list[WindowText]:
    """The windows of a transcript by name; both come from the same stream in the same order."""
    known = list(decoded.windows)
    while len(known) < len(transcript.windows):
        known.append(WindowText(f"{decoded.recording}:{len(known)}", 0.0, 0.0))
    return known[: len(transcript.windows)]


def _add(
    window: WindowText,
    gap: str,
    unit: Unit,
    same: Unit | None,
    old: list[Piece],
    owners: list[int],
    begins: list[int],
) -> None:
    """Put the pieces of a unit at the end of a window."""
    index = len(window.pieces)
    if same is None:
        request = window.request or ""
        window.pieces.append(
            Piece(gap + unit.text, "target-only", window.window, request, index, None, 1, 0, edited=True)
        )
        return
    place = same.begin
    while place < same.end:
        owner = owners[place]
        piece = old[owner]
        end = min(begins[owner] + len(piece.text), same.end)
        text = piece.text[place - begins[owner] : end - begins[owner]]
        window.pieces.append(replace(piece, text=gap + text, window=window.window, index=len(window.pieces)))
        gap, place = "", end


def _words(window: TranscriptWindow, firsts: list[int]) -> tuple[Word, ...]:
    """The words of a window, by the pieces that are theirs; times in the window."""
    words, row = [], 0
    for word in window.words:
        count = len(units(word.text))
        first, last = firsts[row], firsts[row + count]
        words.append(
            Word(
                text=word.text,
                start=max(0.0, word.start - window.start),
                end=max(0.0, word.end - window.start),
                first_token=first,
                tokens=last - first,
            )
        )
        row += count
    return tuple(words)
