"""Kaldi data folders: wav.scp, text, and segments where recordings are long."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from as2d.backend.corpora.item import CorpusItem
from as2d.backend.corpora.lines import Line, lines_of
from as2d.backend.corpora.texts import CorpusTexts, Spoken

RECORDINGS = "wav.scp"


def kaldi_items(folder: Path) -> Iterator[CorpusItem]:
    """The recordings of a data folder, in the order of its wav.scp; the text of a recording with segments is
    that of all of them, in the order of time. Relative paths are seen from the folder that Kaldi was run in,
    where that is one above (`data/dev`), else from the data folder itself.

    Raises:
        InputRefused: a line cannot be used, as a pipe in wav.scp, or a file cannot be read.
    """
    with CorpusTexts(_spoken(folder)) as texts:
        for line in lines_of(folder / RECORDINGS):
            name, place = _split(line)
            if not place:
                raise line.refused("names no file; write it as 'recording-id /path/to/sound.wav'")
            if place.endswith("|"):
                raise line.refused(
                    "is a command and no file; write its output into a sound file, and name that"
                )
            reference, language = texts.of(name)
            yield CorpusItem(_found(folder, place), reference, language, folder.resolve().name)


def _spoken(folder: Path) -> Iterator[Spoken]:
    if not (folder / "text").is_file():
        return
    if not (folder / "segments").is_file():
        yield from map(_text, lines_of(folder / "text"))
        return
    with CorpusTexts(map(_text, lines_of(folder / "text"))) as texts:
        for name, recording, start in _segments(folder):
            text, _ = texts.of(name)
            if text is not None:
                yield recording, start, text, None


def _segments(folder: Path) -> Iterator[tuple[str, str, float]]:
    for line in lines_of(folder / "segments"):
        parts = line.text.split()
        try:
            yield parts[0], parts[1], float(parts[2])
        except (IndexError, ValueError) as error:
            raise line.refused("is no segment; write it as 'utterance-id recording-id begin end'") from error


def _text(line: Line) -> Spoken:
    name, text = _split(line)
    return name, 0.0, text, None


def _split(line: Line) -> tuple[str, str]:
    """A line's first word, and the rest: blanks or tabs lie between them."""
    name, *rest = line.text.split(maxsplit=1)
    return name, rest[0].strip() if rest else ""


def _found(folder: Path, place: str) -> Path:
    for base in (folder, *list(folder.resolve().parents)[:2]):
        if (base / place).is_file():
            return base / place
    return folder / place
