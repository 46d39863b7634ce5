"""The recordings of a benchmark: files, or the entries of a JSONL manifest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.problems import first_problem

Split = Literal["dev", "test"]


class _Entry(BaseModel):
    """What a benchmark needs of a manifest's line."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    path: str
    split: Split | None = None
    language: str | None = None
    reference: str | None = None


@dataclass(frozen=True)
class BenchRecording:
    """A recording; `language` null: it is detected; `reference` is its true text where that is known."""

    path: Path
    language: str | None
    split: Split | None
    reference: str | None


def gather(
    inputs: Sequence[Path], split: Split | None, language: str | None, limit: int | None
) -> list[BenchRecording]:
    """The recordings that `inputs` name, in their order; a `.jsonl` file is a manifest.

    `split` and `language` choose among a manifest's entries; for a plain file `language` is what it is
    decoded in.

    Raises:
        WrongUse: nothing is left, or a plain file is given together with a split.
        InputRefused: a manifest cannot be read.
    """
    found: list[BenchRecording] = []
    for path in inputs:
        if path.suffix == ".jsonl":
            chosen = (
                recording
                for recording in _manifest(path)
                if (split is None or recording.split == split)
                and (language is None or recording.language == language)
            )
            found += chosen
        elif split is not None:
            raise WrongUse(
                f"--split chooses among a manifest's recordings, and {path} is no .jsonl manifest."
            )
        else:
            found.append(BenchRecording(path, language, None, None))
    if not found:
        raise WrongUse("No recording is left to measure; check the files, --split and --language.")
    return found[:limit]


def files_read(inputs: Sequence[Path]) -> list[Path]:
    """The files that `inputs` stand for: themselves and every recording that a manifest among them names.

    Raises:
        InputRefused: a manifest cannot be read.
    """
    found = list(inputs)
    for path in inputs:
        if path.suffix == ".jsonl":
            found += [recording.path for recording in _manifest(path)]
    return found


def _manifest(path: Path) -> Iterator[BenchRecording]:
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputRefused(f"The manifest {path} cannot be read ({error.strerror}).") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            entry = _Entry.model_validate_json(line)
        except ValidationError as error:
            raise InputRefused(
                f"Line {number} of the manifest {path} is no recording ({first_problem(error)}); "
                'write it as {"path": "talk.mp3"}, with "language" and "split" where they are known.'
            ) from error
        yield BenchRecording(path.parent / entry.path, entry.language, entry.split, entry.reference)
