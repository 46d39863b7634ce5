"""Lhotse manifests: recordings, and supervisions with their texts, as JSON Lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from as2d.backend.corpora.item import CorpusItem
from as2d.backend.corpora.lines import Line, lines_of
from as2d.backend.corpora.texts import CorpusTexts, Spoken
from as2d.backend.errors import InputRefused
from as2d.backend.problems import first_problem
from as2d.backend.transcribe.languages import language_code

RECORDINGS = "recordings"
_SUPERVISIONS = "supervisions"
ENDINGS = (".jsonl", ".jsonl.gz")


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Source(_Part):
    type: str
    source: str


class _Recording(_Part):
    id: str
    sources: tuple[_Source, ...]


class _Supervision(_Part):
    recording_id: str
    start: float = 0.0
    text: str | None = None
    language: str | None = None


def is_recordings_file(path: Path) -> bool:
    """Whether a file is named as Lhotse names its recordings, as `recordings.jsonl.gz` or
    `corpus_recordings_dev.jsonl`, and its first line does not name a path, as other manifests do.
    """
    if not path.name.endswith(ENDINGS) or RECORDINGS not in path.name:
        return False
    first = next(lines_of(path), None)
    return first is None or '"path"' not in first.text


def lhotse_items(path: Path) -> Iterator[CorpusItem]:
    """The recordings of a manifest, in its order, each with the text of all its supervisions, in the order of
    time. Relative paths are seen from the manifest's folder, else from the folder of this program.

    Raises:
        InputRefused: a file cannot be read, or a line of it is none of Lhotse.
    """
    with CorpusTexts(_spoken(path)) as texts:
        for line in lines_of(path):
            recording = _parse(line, _Recording)
            sources = [source for source in recording.sources if source.type == "file"]
            if len(sources) != 1 or len(recording.sources) != 1:
                raise line.refused("is no recording in one sound file; others are not read")
            reference, language = texts.of(recording.id)
            place = Path(sources[0].source)
            beside = path.parent / place
            yield CorpusItem(
                beside if beside.is_file() or not place.is_file() else place,
                reference,
                language_code(language) if language is not None else None,
                _name(path),
            )


def _spoken(path: Path) -> Iterator[Spoken]:
    for ending in ENDINGS:
        stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
        supervisions = path.with_name(stem.replace(RECORDINGS, _SUPERVISIONS) + ending)
        if supervisions.is_file():
            for line in lines_of(supervisions):
                said = _parse(line, _Supervision)
                if said.text is not None:
                    yield said.recording_id, said.start, said.text, said.language
            return


def _name(path: Path) -> str:
    stem = path.name.removesuffix(".gz").removesuffix(".jsonl")
    return path.resolve().parent.name if stem == RECORDINGS else stem.replace(f"_{RECORDINGS}", "")


M = TypeVar("M", bound=BaseModel)


def _parse(line: Line, model: type[M]) -> M:
    try:
        return model.model_validate_json(line.text)
    except ValidationError as error:
        raise InputRefused(
            f"Line {line.number} of {line.path} is none of a Lhotse manifest ({first_problem(error)})."
        ) from error
