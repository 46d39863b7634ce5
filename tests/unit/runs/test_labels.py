"""Names, tags, search, deletion: the user's own order of the runs, kept beside what was recorded."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.metrics.fold import RunFold
from as2d.backend.runs import rows
from as2d.backend.runs.index import INDEX_NAME
from as2d.backend.runs.labels import LABELS_NAME, Labels
from as2d.backend.runs.manifest import RunManifest
from as2d.backend.runs.store import RunStore

MakeManifest = Callable[..., RunManifest]
FIRST, SECOND = "20260102-030405-aaaa", "20260102-030406-bbbb"


@pytest.fixture
def store(tmp_path: Path, stream: Any, call: Any, manifest: MakeManifest) -> RunStore:
    """Two runs: English and Chinese."""
    store = RunStore(tmp_path)
    for number, (run, text) in enumerate(((FIRST, " The café's Größe, it said"), (SECOND, "今天天气很好。"))):
        name = f"a{number}"
        stream.events.clear()
        stream.recording(name, f"talk{number}.wav")
        stream.request(stream.prepare(stream.window(name, 0, 0.0, 5.0)), [call(4, 2)], text)
        active = store.create(manifest(run, f"2026-01-02T03:04:0{5 + number}Z"))
        for event in stream.events:
            active.recorder.put(event)
        active.finish("done", RunFold.of(stream.events))
    return store


@pytest.mark.parametrize(
    ("words", "runs"),
    [
        ("said", [FIRST]),
        ("cafe grosse", []),  # ß is no s
        ("CAFE größe", [FIRST]),
        ("caf", [FIRST]),
        ("said nothing", []),
        ("天气", [SECOND]),
        ("气天", []),
        ("今天", [SECOND]),
        ("2026-01-02T03:04:06Z", [SECOND]),
        ('said" OR "x', []),
        ("NOT said *", []),
        ("...", []),
        ("", []),
    ],
)
def test_words_are_found_where_they_are_said(store: RunStore, words: str, runs: list[str]) -> None:
    assert list(store.search(words)) == runs


def test_an_excerpt_shows_what_was_found_as_it_is_written(store: RunStore) -> None:
    assert store.search("天气")[SECOND] == "今天天气很好。"
    assert "café's Größe" in store.search("größe")[FIRST]


def test_names_and_tags_are_kept_with_the_run_and_found(store: RunStore) -> None:
    before = store.label(FIRST, lambda labels: labels.named("  The  team,\nMonday ").tagged(["Team, old"]))
    assert before == Labels()
    (row,) = [row for row in store.list() if row.run == FIRST]
    assert (row.name, row.tags) == ("The team, Monday", "Team old")
    assert list(store.search("monday")) == list(store.search("old")) == [FIRST]
    store.label(FIRST, lambda labels: labels.tagged(["TEAM", "new"], ["OLD"]))
    assert store.rebuild() == 2
    (row,) = [row for row in store.list() if row.run == FIRST]
    assert row.tags == "Team new"
    assert store.search("old") == {}
    store.label(FIRST, lambda _now: before)
    assert next(row for row in store.list() if row.run == FIRST).name is None


def test_labels_that_are_refused_change_nothing(store: RunStore) -> None:
    store.label(FIRST, lambda labels: labels.named("kept"))
    for change in (
        lambda labels: labels.named("x" * 201),
        lambda labels: labels.tagged(["y" * 41]),
        lambda labels: labels.tagged(str(number) for number in range(51)),
    ):
        with pytest.raises(InputRefused):
            store.label(FIRST, change)
    assert next(row for row in store.list() if row.run == FIRST).name == "kept"
    (store.root / FIRST / LABELS_NAME).write_text('{"format": 1, "name": 5}')
    assert len(store.list()) == 2


def test_labels_that_cannot_be_understood_are_not_written_over(store: RunStore) -> None:
    path = store.root / FIRST / LABELS_NAME
    later = '{"format": 2, "name": "of a later version", "colour": "red"}'
    path.write_text(later)
    with pytest.raises(InputRefused, match="version of AS²D"):
        store.label(FIRST, lambda labels: labels.tagged(["new"]))
    assert path.read_text() == later
    path.unlink()
    path.mkdir()
    with pytest.raises(InputRefused, match="cannot be read"):
        store.label(FIRST, lambda labels: labels.tagged(["new"]))


def test_a_change_while_a_run_is_read_is_seen_by_the_next_look(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_origin = rows.read_origin

    def change_meanwhile(folder: Path) -> Any:
        """Another program's change, after the labels were read and before the row is finished."""
        (folder / LABELS_NAME).write_text('{"format": 1, "name": "changed meanwhile", "tags": []}')
        return read_origin(folder)

    (store.root / INDEX_NAME).unlink()
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(rows, "read_origin", change_meanwhile)
        assert [row.name for row in store.list()] == [None, None]
    assert [row.name for row in store.list()] == ["changed meanwhile"] * 2


@pytest.mark.parametrize("name", ["", ".", "..", FIRST[:8], f"./{FIRST}", "last", "/", ".aside"])
def test_only_a_whole_name_can_be_changed_or_deleted(
    store: RunStore, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(store.root / FIRST)
    store.set_aside(SECOND)
    for change in (store.set_aside, lambda run: store.label(run, lambda labels: labels)):
        with pytest.raises(WrongUse):
            change(name)
    with pytest.raises((WrongUse, InputRefused)):
        store.put_back(name)
    assert list(store.deleted()) == [SECOND]
    assert [row.run for row in store.list()] == [FIRST]


def test_another_programs_change_is_seen(store: RunStore) -> None:
    store.list()
    (store.root / FIRST / LABELS_NAME).write_text('{"format": 1, "name": "from elsewhere", "tags": []}')
    assert list(store.search("elsewhere")) == [FIRST]


def test_a_deleted_run_comes_back_until_the_disk_is_freed(store: RunStore) -> None:
    store.label(FIRST, lambda labels: labels.named("kept"))
    row = next(row for row in store.list() if row.run == FIRST)
    store.set_aside(FIRST)
    assert [other.run for other in store.list()] == [SECOND]
    assert store.search("said") == {}
    assert store.deleted() == {FIRST: row.bytes}
    store.put_back(FIRST)
    assert store.deleted() == {}
    assert next(other for other in store.list() if other.run == FIRST) == row
    store.set_aside(FIRST)
    store.empty_aside()
    assert store.deleted() == {}
    with pytest.raises(InputRefused):
        store.put_back(FIRST)
    with pytest.raises(WrongUse):
        store.set_aside(FIRST)


def test_an_index_without_texts_gets_them(store: RunStore) -> None:
    before = store.list()
    with closing(sqlite3.connect(store.root / INDEX_NAME)) as index:
        index.executescript("DROP TABLE texts; PRAGMA user_version = 2; DROP TABLE runs;")
        folder = Path(__file__).parents[3] / "backend/runs/migrations"
        for name in ("0001_runs.sql", "0002_speed.sql"):
            index.executescript((folder / name).read_text())
    assert store.list() == before
    assert list(store.search("said")) == [FIRST]
