"""The recordings of a benchmark: files, or those of corpora."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from as2d.backend.corpora.item import Split
from as2d.backend.corpora.reading import is_corpus, read_corpus
from as2d.backend.errors import WrongUse

__all__ = ["BenchRecording", "Split", "files_read", "gather"]


@dataclass(frozen=True)
class BenchRecording:
    """A recording; `language` null: it is detected; `reference` is its true text where that is known, `asked`
    the language that the user asked for.
    """

    path: Path
    language: str | None
    split: Split | None
    reference: str | None
    asked: str | None = None


def gather(
    inputs: Sequence[Path], split: Split | None, language: str | None, limit: int | None
) -> list[BenchRecording]:
    """The recordings that `inputs` name, in their order; corpora are as in `read_corpus`.

    `split` and `language` choose among a corpus' recordings; for a plain file `language` is what it is
    decoded in.

    Raises:
        WrongUse: nothing is left, or a plain file is given together with a split.
        InputRefused: a corpus cannot be read.
    """
    found: list[BenchRecording] = []
    for path in inputs:
        if is_corpus(path):
            found += [
                BenchRecording(item.path, item.language, item.split, item.reference, language)
                for item in read_corpus([path])
                if (split is None or item.split == split) and (language is None or item.language == language)
            ]
        elif split is not None:
            raise WrongUse(f"--split chooses among a corpus' recordings, and {path} is none.")
        else:
            found.append(BenchRecording(path, language, None, None, language))
    if not found:
        raise WrongUse("No recording is left to measure; check the files, --split and --language.")
    return found[:limit]


def files_read(inputs: Sequence[Path]) -> list[Path]:
    """The files that `inputs` stand for: themselves and every recording of a corpus among them.

    Raises:
        InputRefused: a corpus cannot be read.
    """
    return [*inputs, *(item.path for path in inputs if is_corpus(path) for item in read_corpus([path]))]
