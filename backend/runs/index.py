"""The SQLite index of the runs: a cache that lists many runs at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from as2d.backend.runs.searching import question, searchable, unsearchable

INDEX_NAME = "index.sqlite3"

_MIGRATIONS = Path(__file__).with_name("migrations")
_BUSY_SECONDS = 10.0


@dataclass(frozen=True)
class RunRow:
    """One run in a list. Times in seconds; `created` ISO 8601 UTC; `bytes` of its folder; `tps` in tokens/s,
    as `Measures.tps`, null for a run of several arms, over which it means nothing. `name` and `tags` (with
    blanks between) are the user's, `origin` the bundle that it was opened from; `stamp` tells whether its
    files changed since the row was made.
    """

    run: str
    created: str
    command: str
    status: str
    title: str
    device: str
    target: str
    drafter: str | None
    method: str
    recordings: int
    audio_s: float
    tokens: int
    calls: int
    guard_calls: int
    proposed: int
    accepted: int
    decode_s: float
    bytes: int
    tps: float | None
    name: str | None = None
    tags: str = ""
    origin: str | None = None
    stamp: str = ""


_COLUMNS = tuple(field.name for field in fields(RunRow))


class RunIndex:
    """The index in a runs folder. One that is damaged or of a later version is set aside and made again."""

    def __init__(self, root: Path) -> None:
        self._path = root / INDEX_NAME

    def put(self, row: RunRow, text: str, recordings: Sequence[str] = ()) -> None:
        """Add or replace a run, what is said in it, and the names of its recordings: a title has not all.

        Raises:
            sqlite3.Error: the index cannot be written.
        """
        marks = ", ".join(f":{name}" for name in _COLUMNS)
        about = " ".join(
            filter(
                None,
                (row.name, row.tags, *(recordings or (row.title,)), row.method, row.command, row.created),
            )
        )
        with self._open() as connection:
            _remove(connection, row.run)
            names = ", ".join(_COLUMNS)
            added = connection.execute(f"INSERT INTO runs ({names}) VALUES ({marks})", asdict(row))
            connection.execute(
                "INSERT INTO texts (rowid, about, body) VALUES (?, ?, ?)",
                (added.lastrowid, searchable(about), searchable(text)),
            )

    def remove(self, run: str) -> None:
        """Forget a run; as `put`."""
        with self._open() as connection:
            _remove(connection, run)

    def search(self, words: str) -> dict[str, str]:
        """The runs in which each of the words is said or written above, or one that begins so: an excerpt by
        run, the best first; as `put`.
        """
        asked = question(words)
        if asked is None:
            return {}
        with self._open() as connection:
            found = connection.execute(
                "SELECT run, snippet(texts, -1, '', '', '…', 14) "
                "FROM texts JOIN runs ON runs.rowid = texts.rowid "
                "WHERE texts MATCH ? ORDER BY rank, created DESC",
                (asked,),
            )
            return {run: unsearchable(excerpt) for run, excerpt in found}

    def rows(self) -> list[RunRow]:
        """All runs, the newest first; as `put`."""
        with self._open() as connection:
            names = ", ".join(_COLUMNS)
            found = connection.execute(f"SELECT {names} FROM runs ORDER BY created DESC, run DESC")
            return [RunRow(*values) for values in found]

    def reset(self) -> None:
        """Delete the index file, so that the next use makes an empty one."""
        for suffix in ("", "-journal", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = self._connect()
        except sqlite3.DatabaseError as error:
            if not _is_damage(error):
                raise
            self.reset()
            connection = self._connect()
        try:
            with closing(connection), connection:
                yield connection
        except sqlite3.DatabaseError as error:
            if _is_damage(error):  # found behind its first page: the next use begins anew
                self.reset()
            raise

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def _remove(connection: sqlite3.Connection, run: str) -> None:
    connection.execute("DELETE FROM texts WHERE rowid IN (SELECT rowid FROM runs WHERE run = ?)", (run,))
    connection.execute("DELETE FROM runs WHERE run = ?", (run,))


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether the file is damaged or no database; locked, read-only or full have classes of their own."""
    return type(error) is sqlite3.DatabaseError


def migrate(connection: sqlite3.Connection) -> int:
    """Bring a database to the newest version, one numbered migration after the other; that version.

    Raises:
        sqlite3.DatabaseError: the file is no database, or a later program made it.
    """
    steps = sorted(_MIGRATIONS.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    if _version(connection) == len(steps):
        return len(steps)
    connection.isolation_level = None
    connection.execute("BEGIN IMMEDIATE")  # another program may be migrating: look again under the lock
    version = _version(connection)
    if version > len(steps):
        connection.execute("ROLLBACK")
        raise sqlite3.DatabaseError(f"the index has version {version}, this program knows {len(steps)}")
    for number, step in enumerate(steps[version:], start=version + 1):
        if int(step.name[:4]) != number:
            raise RuntimeError(f"migration {step.name} should have number {number}")
        for statement in step.read_text(encoding="utf-8").split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {number}")
    connection.execute("COMMIT")
    return len(steps)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
