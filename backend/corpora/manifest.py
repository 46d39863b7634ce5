"""JSONL manifests: a recording a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from as2d.backend.corpora.item import CorpusItem, Split
from as2d.backend.corpora.lines import Line, lines_of
from as2d.backend.errors import InputRefused
from as2d.backend.problems import first_problem

MANIFEST = "manifest.jsonl"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    path: str
    split: Split | None = None
    language: str | None = None
    reference: str | None = None
    corpus: str | None = None


def manifest_items(path: Path) -> Iterator[CorpusItem]:
    """The recordings of a manifest, in its order; their paths are seen from its folder.

    Raises:
        InputRefused: it cannot be read, or a line of it is no recording.
    """
    name = path.resolve().parent.name if path.name == MANIFEST else path.name.partition(".")[0]
    for line in lines_of(path):
        entry = _parse(line)
        yield CorpusItem(
            path.parent / entry.path, entry.reference, entry.language, entry.corpus or name, entry.split
        )


def _parse(line: Line) -> _Entry:
    try:
        return _Entry.model_validate_json(line.text)
    except ValidationError as error:
        raise InputRefused(
            f"Line {line.number} of the manifest {line.path} is no recording ({first_problem(error)}); "
            'write it as {"path": "talk.mp3"}, with "language" and "split" where they are known.'
        ) from error
