"""Texts of a corpus that stand in another file than its recordings, found again in little memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from types import TracebackType
from typing import Self

Spoken = tuple[str, float, str, str | None]
"""A stretch of a recording that is transcribed: the recording's id, where it begins (s), its text, and its
language where that is told."""


class CorpusTexts:
    """The texts of the recordings of one corpus, in a database on the disk that is gone at the end."""

    def __init__(self, spoken: Iterable[Spoken]) -> None:
        """Take all stretches, in any order."""
        self._base = sqlite3.connect("", check_same_thread=False)  # a file of its own, without a name
        self._base.execute("CREATE TABLE spoken (recording TEXT, start REAL, text TEXT, language TEXT)")
        self._base.executemany("INSERT INTO spoken VALUES (?, ?, ?, ?)", spoken)
        self._base.execute("CREATE INDEX by_recording ON spoken (recording, start)")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._base.close()

    def of(self, recording: str) -> tuple[str | None, str | None]:
        """The text of a recording, its stretches in the order of time, and its language, where all stretches
        have the same; null: there is none.
        """
        found = self._base.execute(
            "SELECT text, language FROM spoken WHERE recording = ? ORDER BY start, rowid", (recording,)
        ).fetchall()
        languages = {language for _, language in found}
        language = languages.pop() if len(languages) == 1 else None
        return " ".join(text for text, _ in found) if found else None, language
