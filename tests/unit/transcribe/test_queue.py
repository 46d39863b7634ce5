"""The queue of recordings and cancelling."""

from __future__ import annotations

from pathlib import Path

import pytest

from as2d.backend.models.progress import Cancelled
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.queue import RecordingQueue
from as2d.backend.transcribe.run_log import RunLog


def test_recordings_are_taken_in_order_can_be_moved_and_cancelled() -> None:
    log = RunLog()
    queue = RecordingQueue(log, CancelToken())
    items = [queue.add(Path(name)) for name in ("one.wav", "two.wav", "three.wav", "four.wav")]
    queue.cancel(items[1].name)
    queue.move(items[3].name, 0)
    taken = [item.path.name for item in iter(queue.take, None)]
    assert taken == ["four.wav", "one.wav", "three.wav"]
    assert log.fold.recordings["a2"].status == "cancelled"
    assert log.fold.recordings["a1"].status == "queued"


def test_cancelling_one_leaves_the_others_and_cancelling_all_ends_each() -> None:
    everything = CancelToken()
    queue = RecordingQueue(RunLog(), everything)
    queue.add(Path("one.wav"))
    queue.add(Path("two.wav"))
    first, second = queue.take(), queue.take()
    assert first is not None
    assert second is not None
    queue.cancel(first.name)
    assert (first.cancel(), second.cancel()) == (True, False)
    everything.cancel()
    with pytest.raises(Cancelled):
        second.cancel.check()


def test_a_waiting_step_is_told_at_once_and_only_while_it_waits() -> None:
    parent = CancelToken()
    child = CancelToken(parent)
    told: list[str] = []
    with child.calling(lambda: told.append("first")):
        parent.cancel()
    assert told == ["first"]
    with child.calling(lambda: told.append("late")):
        pass
    assert told == ["first", "late"]
    parent.cancel()
    assert told == ["first", "late"]
