"""The list of recordings follows the events of a run."""

from __future__ import annotations

from pathlib import Path

from tests.unit.conftest import FakeCall, StreamMaker

from as2d.app.recordings.words import status_words
from as2d.app.viewmodels.recordings import RecordingList
from as2d.backend.protocol import host_events
from as2d.backend.protocol.decode_events import Result


def listed(*names: str) -> RecordingList:
    recordings = RecordingList()
    for name in names:
        recordings.add(Path(name))
    return recordings


def states(recordings: RecordingList) -> list[str]:
    return [f"{item.name} {item.status}" for item in recordings.items]


def test_the_same_file_twice_is_two_recordings_of_the_run() -> None:
    recordings = listed("a.wav", "a.wav", "b.wav")
    recordings.begin(1)
    for number, audio in enumerate(("a.wav", "a.wav", "b.wav"), 1):
        recordings.feed(host_events.RecordingQueued(t=1, recording=f"a{number}", audio=audio))
    recordings.feed(host_events.RecordingDone(t=2, recording="a2", duration_s=3.0))
    assert states(recordings) == ["a.wav waiting", "a.wav done", "b.wav waiting"]


def test_what_a_run_did_not_take_waits_for_the_next() -> None:
    recordings = listed("a.wav", "b.wav")
    recordings.begin(1)
    for number, audio in enumerate(("a.wav", "b.wav"), 1):
        recordings.feed(host_events.RecordingQueued(t=1, recording=f"a{number}", audio=audio))
    opened = host_events.RecordingOpened(
        t=2,
        recording="a1",
        container="wav",
        codec="pcm",
        sample_rate=16000,
        channels=1,
        duration_s=60,
        decoder="x",
    )
    recordings.feed(opened)
    recordings.end()
    assert states(recordings) == ["a.wav cancelled", "b.wav waiting"]
    assert recordings.items[1].run is None
    renewed = recordings.again(recordings.items[0])
    assert renewed is not None
    assert states(recordings) == ["a.wav waiting", "b.wav waiting"]


def test_a_recording_with_text_is_no_longer_being_prepared() -> None:
    stream = StreamMaker()
    stream.recording("a1", "a.wav")
    window = stream.window("a1", 0, 0, 9.5)
    stream.request(stream.prepare(window), [FakeCall(0, 0)], " So my fellow")
    recordings = listed("a.wav")
    recordings.begin(1)
    words = []
    for event in stream.events:
        recordings.feed(event)
        if not isinstance(event, Result):  # the window is not decoded yet
            words.append(status_words(recordings.items[0]))
    assert list(dict.fromkeys(words))[:3] == ["waiting", "preparing", "decoding"]


def test_progress_is_the_sound_that_is_decoded() -> None:
    recordings = listed("a.wav")
    recordings.begin(1)
    recordings.feed(host_events.RecordingQueued(t=1, recording="a1", audio="a.wav"))
    item = recordings.items[0]
    assert item.fraction is None
    recordings.feed(
        host_events.RecordingOpened(
            t=2,
            recording="a1",
            container="wav",
            codec="pcm",
            sample_rate=8000,
            channels=1,
            duration_s=60,
            decoder="x",
        )
    )
    silent = host_events.WindowCut(
        t=3, recording="a1", window="w1", index=0, start_s=0, end_s=15.0, speech=False
    )
    recordings.feed(silent)
    assert item.fraction == 0.25


def test_what_is_being_decoded_cannot_be_removed_and_what_is_removed_comes_back() -> None:
    recordings = listed("a.wav", "b.wav", "c.wav")
    recordings.begin(1)
    recordings.feed(host_events.RecordingQueued(t=1, recording="a1", audio="a.wav"))
    taken = recordings.remove(recordings.items[:2])
    assert states(recordings) == ["a.wav waiting", "c.wav waiting"]
    recordings.restore(taken)
    assert [item.name for item in recordings.items] == ["a.wav", "b.wav", "c.wav"]
