"""A recording of a corpus."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Split = Literal["dev", "test"]


@dataclass(frozen=True)
class CorpusItem:
    """A recording and what its corpus says of it: its true text, its language and the part of the corpus that
    it belongs to; null: nothing.
    """

    path: Path
    reference: str | None
    language: str | None
    corpus: str
    split: Split | None = None
