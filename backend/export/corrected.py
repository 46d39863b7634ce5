"""A transcript with its corrected text: words that stayed keep their times, others share what is between."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.export.alignment import Stretch, Unit, align, units
from as2d.backend.export.scripts import is_unspaced
from as2d.backend.export.transcript import Transcript, TranscriptWindow, TranscriptWord
from as2d.backend.runs.corrections import read_corrections

_DIGITS = 3


@dataclass(frozen=True)
class _Timed:
    """A unit of a text with its time in seconds; `word` is the decoded word that it is (part of), by its
    window and its number there, None for what was changed.
    """

    text: str
    start: float
    end: float
    word: tuple[int, int] | None


def corrected_transcript(transcript: Transcript, recording: str, folder: Path) -> Transcript:
    """The transcript with the corrected text from the run's folder; itself where there is none.

    Raises:
        InputRefused: the corrections cannot be read.
    """
    correction = read_corrections(folder).recordings.get(recording)
    return transcript if correction is None else with_text(transcript, correction.text)


def with_text(transcript: Transcript, text: str) -> Transcript:
    """The transcript with another text. `tokens` stay those that were decoded."""
    old_text, old = _timed_text(transcript)
    old_units = units(old_text)
    timed_old = [_of_unit(unit, old) for unit in old_units]
    new_units = units(text)
    timed_new: list[_Timed] = []
    for stretch in align(old_units, new_units):
        if stretch.same:
            timed_new += timed_old[stretch.old_begin : stretch.old_end]
        else:
            timed_new += _shared_out(stretch, timed_old, new_units, transcript)
    rows = _rows(transcript, timed_new)
    words = _words(text, new_units, timed_new, rows, transcript)
    windows = tuple(
        _with_words(window, words[row], text_of)
        for row, (window, text_of) in enumerate(
            zip(transcript.windows, _window_texts(text, new_units, rows, transcript), strict=True)
        )
    )
    return transcript.model_copy(update={"text": text.strip(), "windows": windows, "corrected": True})


@dataclass(frozen=True)
class _Character:
    start: float
    end: float
    word: tuple[int, int] | None


def _timed_text(transcript: Transcript) -> tuple[str, list[_Character]]:
    """The decoded text, and for each of its characters when it is spoken."""
    text = ""
    characters: list[_Character] = []

    def add(part: str, start: float, end: float, word: tuple[int, int] | None) -> None:
        nonlocal text
        step = (end - start) / max(len(part), 1)
        for place in range(len(part)):
            characters.append(_Character(start + place * step, start + (place + 1) * step, word))
        text += part

    for row, window in enumerate(transcript.windows):
        parts = [(word.text, word.start, word.end, (row, number)) for number, word in enumerate(window.words)]
        if not parts and window.text:
            parts = [(window.text, window.start, window.end, (row, -1))]
        for number, (part, start, end, word) in enumerate(parts):
            shown = part.strip()
            apart = (
                part[:1].isspace()
                if number
                else not (not shown or not text or is_unspaced(text[-1]) or is_unspaced(shown[0]))
            )
            if apart:
                add(" ", start, start, None)
            add(shown, start, end, word)
    return text, characters


def _of_unit(unit: Unit, characters: Sequence[_Character]) -> _Timed:
    first, last = characters[unit.begin], characters[unit.end - 1]
    return _Timed(unit.text, first.start, last.end, first.word)


def _shared_out(
    stretch: Stretch, old: Sequence[_Timed], new: Sequence[Unit], transcript: Transcript
) -> list[_Timed]:
    """Changed units share the time of those whose place they take, or of the gap between their neighbours,
    behind the last word that up to the end.
    """
    replaced = old[stretch.old_begin : stretch.old_end]
    if replaced:
        start, end = replaced[0].start, replaced[-1].end
    else:
        start = old[stretch.old_begin - 1].end if stretch.old_begin else _begin(transcript)
        end = old[stretch.old_end].start if stretch.old_end < len(old) else _end(transcript)
    end = max(start, end)
    fresh = new[stretch.new_begin : stretch.new_end]
    length = sum(len(unit.text) for unit in fresh)
    found, done = [], 0
    for unit in fresh:
        begin = start + (end - start) * done / length
        done += len(unit.text)
        found.append(_Timed(unit.text, begin, start + (end - start) * done / length, None))
    return found


def _begin(transcript: Transcript) -> float:
    return transcript.windows[0].start if transcript.windows else 0.0


def _end(transcript: Transcript) -> float:
    return transcript.windows[-1].end if transcript.windows else 0.0


def _rows(transcript: Transcript, timed: Sequence[_Timed]) -> list[int]:
    """The window of each unit: that of the decoded word that it is, else the one in which it is spoken."""
    starts = [window.start for window in transcript.windows]
    rows: list[int] = []
    for own in timed:
        row = own.word[0] if own.word is not None else max(0, bisect_right(starts, own.start) - 1)
        rows.append(max(row, rows[-1]) if rows else row)
    return rows


def _words(
    text: str, fresh: Sequence[Unit], timed: Sequence[_Timed], rows: Sequence[int], transcript: Transcript
) -> list[list[TranscriptWord]]:
    """The words of each window. Units that were one decoded word are one again."""
    words: list[list[TranscriptWord]] = [[] for _ in transcript.windows]
    last: tuple[int, int] | None = None
    for place, (unit, own) in enumerate(zip(fresh, timed, strict=True)):
        if not transcript.windows:
            break
        row = rows[place]
        apart = place > 0 and text[fresh[place - 1].end : unit.begin] != ""
        if own.word is not None and own.word == last and not apart and words[row]:
            before = words[row][-1]
            words[row][-1] = before.model_copy(
                update={"text": before.text + unit.text, "end": round(own.end, _DIGITS)}
            )
        else:
            tokens = _tokens_of(transcript, own, words[row])
            words[row].append(
                TranscriptWord(
                    text=f" {unit.text}" if apart else unit.text,
                    start=round(own.start, _DIGITS),
                    end=round(own.end, _DIGITS),
                    first_token=tokens[0],
                    tokens=tokens[1],
                )
            )
        last = own.word
    return words


def _tokens_of(transcript: Transcript, timed: _Timed, before: Sequence[TranscriptWord]) -> tuple[int, int]:
    """The decoded tokens that spell a word; none of them for a changed one."""
    if timed.word is not None and timed.word[1] >= 0:
        word = transcript.windows[timed.word[0]].words[timed.word[1]]
        return word.first_token, word.tokens
    return (before[-1].first_token + before[-1].tokens, 0) if before else (0, 0)


def _window_texts(text: str, fresh: Sequence[Unit], rows: Sequence[int], transcript: Transcript) -> list[str]:
    parts = ["" for _ in transcript.windows]
    for place, unit in enumerate(fresh):
        if parts:
            row = rows[place]
            apart = place > 0 and text[fresh[place - 1].end : unit.begin] != ""
            parts[row] += f" {unit.text}" if apart and parts[row] else unit.text
    return parts


def _with_words(window: TranscriptWindow, words: Sequence[TranscriptWord], text: str) -> TranscriptWindow:
    """`words` are left out where the target gave none."""
    decoded = {word.first_token: word.text.strip() for word in window.words if word.tokens}
    kept = tuple(
        word
        if not word.tokens or decoded.get(word.first_token) == word.text.strip()
        else word.model_copy(update={"tokens": 0})
        for word in (words if window.words or not window.text else ())
    )
    return window.model_copy(update={"text": text, "words": kept})
