"""Sessions of one comparison: what an interrupt cut off was decoded again, and nobody is alarmed by it."""

from __future__ import annotations

from typing import Any

from as2d.backend.compare.judging.judge import judge
from as2d.backend.runs.manifest import ComparisonUsed, write_manifest
from as2d.backend.runs.store import RunStore, StoredRun

PLAN = ComparisonUsed(name="two", plan="0" * 64, comparison="c")


def _cut(run: StoredRun, status: str) -> StoredRun:
    """The run without the end of its stream."""
    stream = run.folder / "events.jsonl.gz"
    stream.write_bytes(stream.read_bytes()[:-9])
    write_manifest(run.folder, run.manifest.model_copy(update={"status": status}))
    return RunStore(run.folder.parent).find(run.manifest.run)


def _events(stream: Any, call: Any, repeat: int) -> list[Any]:
    """A window that two arms decode once more."""
    stream.events.clear()
    stream.recording("a1", "talk.wav")
    preparation = stream.prepare(stream.window("a1", 0, 0.0, 8.0))
    for label in ("target-only (2 threads)", "as2d budget 4 text request-start (2 threads)"):
        calls = [call(0, 0, 10)] * 4
        stream.request(preparation, calls, " so", arm=label, method=label.split()[0], repeat=repeat)
    return list(stream.events)


def test_sessions_that_were_gone_on_from_are_not_told_as_losses(stream: Any, call: Any, record: Any) -> None:
    first, second = _events(stream, call, 0), _events(stream, call, 1)
    begun = _cut(record("20260101-000000-aaaa", first, comparison=PLAN), "interrupted")
    loading = _cut(record("20260101-000001-bbbb", [], comparison=PLAN), "interrupted")
    last = record("20260101-000002-cccc", second, comparison=PLAN)
    assert judge([begun, loading, last]).notes == ()
    # Nothing follows the last one, and what ended in order should be whole.
    (note,) = judge([last, begun]).notes
    assert f"The run {begun.manifest.run} is incomplete" in note
    (note,) = judge([_cut(begun, "done"), last]).notes
    assert f"The run {begun.manifest.run} is incomplete" in note
    # Runs of no comparison stand for themselves.
    alone = record("20260101-000003-dddd", first)
    assert judge([_cut(alone, "interrupted"), alone]).notes != ()
