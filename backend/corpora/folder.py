"""Folders of recordings: with a metadata file as the `datasets` library reads them, with texts of the same
name, or without texts.
"""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from as2d.backend.audio.folders import SOUND_ENDINGS
from as2d.backend.corpora.item import CorpusItem
from as2d.backend.corpora.lines import Line, lines_of
from as2d.backend.errors import InputRefused
from as2d.backend.transcribe.languages import language_code

METADATA = ("metadata.jsonl", "metadata.csv")
_FILE = "file_name"
_TEXTS = ("transcription", "text", "sentence", "transcript", "normalized_text")
_LANGUAGES = ("language", "locale")
_LONGEST_TEXT = 1 << 22


def metadata_items(path: Path) -> Iterator[CorpusItem]:
    """The recordings of a metadata.csv or metadata.jsonl: `file_name`, seen from its folder, the text in
    `transcription`, `text` or `sentence`, and `language` where it is told.

    Raises:
        InputRefused: it cannot be read, or a line names no file.
    """
    corpus = path.resolve().parent.name
    for line, values in _rows(path):
        name = values.get(_FILE)
        if not name:
            raise line.refused(f"names no file; it needs '{_FILE}', and 'transcription' for the true text")
        language = next((values[key] for key in _LANGUAGES if values.get(key)), None)
        yield CorpusItem(
            path.parent / name,
            next((values[key] for key in _TEXTS if key in values), None),
            language_code(language.split("-")[0]) if language is not None else None,
            corpus,
        )


def sound_items(folder: Path) -> Iterator[CorpusItem]:
    """The recordings that lie in a folder, by name; a text file of the same name is the true text.

    Raises:
        InputRefused: the folder or a text cannot be read.
    """
    for path in listed(folder):
        if path.suffix[1:].casefold() in SOUND_ENDINGS and path.is_file():
            yield CorpusItem(path, _text_beside(path), None, folder.resolve().name)


def listed(folder: Path) -> list[Path]:
    """What is in a folder, by name, without what is hidden.

    Raises:
        InputRefused: it cannot be read.
    """
    try:
        names = sorted(os.listdir(folder))  # noqa: PTH208  (names are less than paths)
    except OSError as error:
        raise InputRefused(f"The folder {folder} cannot be read ({error.strerror}).") from error
    return [folder / name for name in names if not name.startswith(".")]


def _text_beside(path: Path) -> str | None:
    text = path.with_suffix(".txt")
    if not text.is_file() or text.stat().st_size > _LONGEST_TEXT:
        return None
    return " ".join(line.text for line in lines_of(text)) or None


def _rows(path: Path) -> Iterator[tuple[Line, Mapping[str, str]]]:
    if path.suffix == ".csv":
        yield from _csv_rows(path)
        return
    for line in lines_of(path):
        try:
            values = json.loads(line.text)
        except ValueError as error:
            raise line.refused("is no JSON object") from error
        if not isinstance(values, dict):
            raise line.refused("is no JSON object")
        yield line, {key: value for key, value in values.items() if isinstance(value, str)}


def _csv_rows(path: Path) -> Iterator[tuple[Line, Mapping[str, str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            for row in rows:
                line = Line(path, rows.line_num, "")
                yield line, {key: value for key, value in row.items() if key and isinstance(value, str)}
    except UnicodeDecodeError as error:
        raise InputRefused(f"{path} is no UTF-8 text; save it as UTF-8.") from error
    except csv.Error as error:
        raise InputRefused(f"{path} is no CSV file ({error}); correct it there.") from error
    except OSError as error:
        raise InputRefused(f"{path} cannot be read ({error.strerror}); check the corpus.") from error
