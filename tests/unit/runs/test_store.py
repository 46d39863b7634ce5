"""Runs are made, listed, found and rebuilt from their folders."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from as2d.backend.errors import InputRefused, OutOfSpace, WrongUse
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.measures import measure
from as2d.backend.runs.index import INDEX_NAME, RunIndex, migrate
from as2d.backend.runs.manifest import RunManifest
from as2d.backend.runs.store import RunStore

MakeManifest = Callable[..., RunManifest]


def _record(store: RunStore, manifest: RunManifest, events: list[Any]) -> None:
    run = store.create(manifest)
    for event in events:
        run.recorder.put(event)
    run.finish("done", RunFold.of(events))


@pytest.fixture
def events(stream: Any, call: Any) -> list[Any]:
    stream.recording("a1", "talk.wav")
    stream.request(stream.prepare(stream.window("a1", 0, 0.0, 5.0)), [call(4, 2), call(0, 0)], " x")
    stream.done("a1", 5.0)
    return list(stream.events)


def test_a_finished_run_is_listed_with_its_sums_and_reopens(
    tmp_path: Path, manifest: MakeManifest, events: list[Any]
) -> None:
    store = RunStore(tmp_path)
    _record(store, manifest(), events)
    (row,) = store.list()
    assert (row.status, row.title, row.recordings, row.audio_s) == ("done", "talk.wav", 1, 5.0)
    assert (row.tokens, row.calls, row.proposed, row.accepted) == (5, 2, 4, 2)
    stored = RunStore(tmp_path).find("last")
    assert stored.manifest.status == "done"
    assert list(stored.events())[: len(events)] == events


def test_a_run_knows_the_recordings_that_came_while_it_went_on(
    tmp_path: Path, manifest: MakeManifest, stream: Any, call: Any
) -> None:
    names = ["talk.wav", "added.wav", "libri.flac", "last_0007.ogg", "waited.mp3"]
    for number, name in enumerate(names, start=1):
        stream.recording(f"a{number}", name)
    stream.request(stream.prepare(stream.window("a2", 0, 0.0, 5.0)), [call(4, 2), call(0, 0)], " x")
    store = RunStore(tmp_path)
    run = store.create(manifest())
    known = run.manifest.recordings
    assert [used.audio for used in known] == ["talk.wav"]
    for event in stream.events:
        run.recorder.put(event)
    run.finish("done", RunFold.of(stream.events))
    kept = store.find("last").manifest.recordings
    assert [(used.recording, used.audio) for used in kept] == [
        (f"a{number}", name) for number, name in enumerate(names, start=1)
    ]
    for again in range(2):
        (row,) = store.list()
        assert (row.recordings, row.title) == (5, "talk.wav, added.wav, libri.flac and 2 more")
        for word in ("libri", "0007", "waited"):
            assert list(store.search(word)) == [row.run], (again, word)
        store.rebuild()


def test_an_interrupted_run_and_one_of_before_know_all_their_recordings(
    tmp_path: Path, manifest: MakeManifest, stream: Any
) -> None:
    for number, name in enumerate(["talk.wav", "added.wav"], start=1):
        stream.recording(f"a{number}", name)
    store = RunStore(tmp_path)
    run = store.create(manifest())
    for event in stream.events:
        run.recorder.put(event)
    run.recorder.close()
    (row,) = store.list()
    assert (row.status, row.title, row.recordings) == ("interrupted", "talk.wav, added.wav", 2)
    assert list(store.search("added")) == [row.run]


def test_the_index_can_be_lost_or_damaged(tmp_path: Path, manifest: MakeManifest, events: list[Any]) -> None:
    store = RunStore(tmp_path)
    for number in range(3):
        _record(store, manifest(f"20260102-03040{number}-abcd", f"2026-01-02T03:04:0{number}Z"), events)
    before = store.list()
    (tmp_path / INDEX_NAME).unlink()
    assert store.list() == before
    (tmp_path / INDEX_NAME).write_bytes(b"this is not a database, whatever its name says" * 100)
    assert store.list() == before
    assert store.rebuild() == 3
    assert RunIndex(tmp_path).rows() == before


def test_an_index_damaged_behind_its_first_page_is_made_again(
    tmp_path: Path, manifest: MakeManifest, events: list[Any]
) -> None:
    store = RunStore(tmp_path)
    for number in range(60):
        _record(store, manifest(f"20260102-0304{number:02d}-abcd", f"2026-01-02T03:04:{number:02d}Z"), events)
    before = store.list()
    index = tmp_path / INDEX_NAME
    content = bytearray(index.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    index.write_bytes(content)
    assert store.list() == before
    assert RunIndex(tmp_path).rows() == before


def test_a_name_that_cannot_be_a_path_is_no_run(tmp_path: Path) -> None:
    for name in ("x" * 300, "x/" * 3000, "nul\0"):
        with pytest.raises(WrongUse, match="There is no run"):
            RunStore(tmp_path).find(name)


def test_folders_decide_what_is_listed(tmp_path: Path, manifest: MakeManifest, events: list[Any]) -> None:
    store = RunStore(tmp_path)
    _record(store, manifest("20260102-030405-aaaa"), events)
    _record(store, manifest("20260102-030405-bbbb"), events)
    shutil.rmtree(tmp_path / "20260102-030405-aaaa")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text("{}")
    assert [row.run for row in store.list()] == ["20260102-030405-bbbb"]
    assert [row.run for row in RunIndex(tmp_path).rows()] == ["20260102-030405-bbbb"]


def test_a_run_that_was_not_closed_is_interrupted_and_one_that_goes_on_is_running(
    tmp_path: Path, manifest: MakeManifest, events: list[Any]
) -> None:
    store = RunStore(tmp_path)
    run = store.create(manifest())
    assert [row.status for row in store.list()] == ["running"]
    for event in events:
        run.recorder.put(event)
    run.recorder.close()  # as when the program ends without finishing the run
    assert store.find("last").manifest.status == "interrupted"
    (row,) = store.list()
    assert (row.status, row.tokens) == ("interrupted", 5)
    assert row.tps == measure(store.find("last").fold().finished_requests()).tps


def test_an_index_of_the_first_version_is_filled_anew(
    tmp_path: Path, manifest: MakeManifest, events: list[Any]
) -> None:
    store = RunStore(tmp_path)
    _record(store, manifest(), events)
    before = store.list()
    with closing(sqlite3.connect(tmp_path / INDEX_NAME)) as index:
        index.executescript(
            "ALTER TABLE runs DROP COLUMN tps; PRAGMA user_version = 1; UPDATE runs SET tokens = 0;"
        )
    assert store.list() == before


def test_runs_are_found_by_a_unique_beginning_or_their_folder(
    tmp_path: Path, manifest: MakeManifest, events: list[Any]
) -> None:
    store = RunStore(tmp_path)
    _record(store, manifest("20260102-030405-aaaa"), events)
    _record(store, manifest("20260103-030405-bbbb"), events)
    assert store.find("20260103").manifest.run == "20260103-030405-bbbb"
    assert store.find(str(tmp_path / "20260102-030405-aaaa")).manifest.run == "20260102-030405-aaaa"
    with pytest.raises(WrongUse, match="2 runs"):
        store.find("2026")
    with pytest.raises(WrongUse, match="as2d runs"):
        store.find("2027")


def test_a_manifest_of_a_later_version_is_refused_in_a_sentence(
    tmp_path: Path, manifest: MakeManifest, events: list[Any]
) -> None:
    store = RunStore(tmp_path)
    _record(store, manifest(), events)
    path = tmp_path / manifest().run / "manifest.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"format": 2}))
    with pytest.raises(InputRefused, match="version"):
        store.find("last")
    store.rebuild()
    assert store.list() == []


def test_many_programs_may_make_the_index_at_once(tmp_path: Path) -> None:
    failures: list[sqlite3.Error] = []

    def open_index() -> None:
        try:
            RunIndex(tmp_path).rows()
        except sqlite3.Error as error:
            failures.append(error)

    threads = [threading.Thread(target=open_index) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert RunIndex(tmp_path).rows() == []


def test_an_index_of_a_later_version_is_made_again(tmp_path: Path) -> None:
    index = RunIndex(tmp_path)
    index.rows()
    connection = sqlite3.connect(tmp_path / INDEX_NAME)
    newest = migrate(connection)
    connection.execute(f"PRAGMA user_version = {newest + 1}")
    connection.close()
    assert index.rows() == []


def test_a_runs_folder_that_cannot_be_made_is_named(tmp_path: Path, manifest: MakeManifest) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputRefused, match="file"):
        RunStore(tmp_path / "file" / "runs").create(manifest())


def test_a_full_disk_leaves_no_folder(small_disk: Callable[[int], Path], manifest: MakeManifest) -> None:
    disk = small_disk(4)
    with pytest.raises(OSError, match=r"space|large"):
        (disk / "filler").write_bytes(b"x" * 8192)
    with pytest.raises(OutOfSpace, match="space"):
        RunStore(disk / "runs").create(manifest().model_copy(update={"message": "x" * 8192}))
    assert list(disk.glob("runs/*")) == []


def test_a_run_is_set_aside_put_back_and_deleted_for_good(
    tmp_path: Path, manifest: MakeManifest, events: list[Any]
) -> None:
    store = RunStore(tmp_path)
    _record(store, manifest(), events)
    (row,) = store.list()
    store.set_aside(row.run)
    assert store.list() == []
    store.put_back(row.run)
    assert store.list() == [row]

    store.set_aside(row.run)
    store.empty_aside()
    with pytest.raises(InputRefused, match="cannot be moved"):
        store.put_back(row.run)
    with pytest.raises(WrongUse):
        store.set_aside(row.run)


def test_the_last_run_is_none_that_is_being_recorded_but_where_there_is_no_other(
    tmp_path: Path, manifest: MakeManifest
) -> None:
    store = RunStore(tmp_path)
    first = store.create(manifest("20260102-030405-aaaa"))
    assert store.find("last").manifest.run == "20260102-030405-aaaa"
    first.finish("done", RunFold())
    second = store.create(manifest("20260102-030406-bbbb"))
    assert store.find("last").manifest.run == "20260102-030405-aaaa"
    second.finish("done", RunFold())
    assert store.find("last").manifest.run == "20260102-030406-bbbb"


def test_a_run_of_several_arms_has_no_one_speed(
    tmp_path: Path, manifest: MakeManifest, stream: Any, call: Any
) -> None:
    stream.recording("a1", "talk.wav")
    prepared = stream.prepare(stream.window("a1", 0, 0.0, 5.0))
    for arm in ("target-only (2 threads)", "as2d budget 4"):
        stream.request(prepared, [call(2, 1, 10)], " x", arm=arm, repeat=0)
    store = RunStore(tmp_path)
    _record(store, manifest(), stream.events)
    (row,) = store.list()
    assert (row.tps, row.tokens > 0) == (None, True)


def test_a_run_that_is_being_recorded_stays(tmp_path: Path, manifest: MakeManifest) -> None:
    store = RunStore(tmp_path)
    run = store.create(manifest())
    with pytest.raises(InputRefused, match="still being recorded"):
        store.set_aside(run.manifest.run)
    run.finish("done", RunFold())
    store.set_aside(run.manifest.run)
    assert store.list() == []
