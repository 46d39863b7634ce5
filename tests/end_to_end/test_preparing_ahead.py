"""A recording's next window prepared while one is decoded: the same tokens, and nothing left or lost."""

from __future__ import annotations

import fcntl
import os
import signal
import struct
import termios
import wave
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.end_to_end.failing_helper import failing_helper, starts_of
from tests.phone.small_models import SmallPair, install_small_pair

from as2d.backend.audio import open_recording
from as2d.backend.paths import helper_path
from as2d.backend.protocol import decode_events, events, host_events
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.transcribe.outcome import RecordingOutcome
from as2d.backend.transcribe.queue import QueuedRecording
from as2d.backend.transcribe.service import Transcriber
from as2d.backend.transcribe.settings import TranscribeSettings

CLIP = "cv_en_651325.mp3"
WINDOWS = 3
SECOND_BYTES = 45_000
"""More than the line with the first second of a window's audio has, less than the pipe takes."""


class Told:
    """What the stream said."""

    def __init__(self, also: Callable[[RecordedEvent], None] = lambda _: None) -> None:
        self.events: list[RecordedEvent] = []
        self._also = also

    def __call__(self, event: RecordedEvent) -> None:
        self.events.append(event)
        self._also(event)

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def beside(self) -> dict[str, str | None]:
        """What each preparation was made beside."""
        return {sent.preparation: sent.beside for sent in self.of(host_events.PrepareSent)}

    @property
    def left(self) -> set[str]:
        """What was prepared and never forgotten by the helper."""
        prepared = {event.window for event in self.of(events.Prepared)}
        return prepared - {event.window for event in self.of(events.Released)}


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> SmallPair:
    """Small models that a decode of takes no time."""
    return install_small_pair(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def talk(clips: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording of three windows."""
    return make_talk(clips, tmp_path_factory.mktemp("talk"))


def make_talk(clips: Path, folder: Path) -> Path:
    """A clip as often as it fills three windows, with pauses between."""
    with open_recording(clips / CLIP) as recording:
        pcm = np.concatenate([window.pcm for window in recording.windows()])
    pause = np.zeros(16_000, np.int16)
    once = np.concatenate([pcm, pause])
    path = folder / "talk.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(np.tile(once, -(-16_000 * 30 * WINDOWS // len(once)) - 1).astype("<i2").tobytes())
    return path


@pytest.fixture
def transcribe(pair: SmallPair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Decodes recordings with the small models: what became of them, and the tokens of each window."""
    monkeypatch.setenv("AS2D_DATA_DIR", str(tmp_path / "data"))

    def run(
        told: Told,
        *paths: Path,
        helper: Path | None = None,
        queued: list[QueuedRecording] | None = None,
        **changes: Any,
    ) -> tuple[list[RecordingOutcome], dict[str, tuple[int, ...]]]:
        monkeypatch.setenv("AS2D_HELPER", str(helper or helper_path()))
        fields = {"target": str(pair.target.path), "drafter": str(pair.drafter.path), "language": "en"}
        settings = TranscribeSettings.model_validate({"prepare_ahead": True} | fields | changes)
        with Transcriber(settings, observers=[told]) as transcriber:
            items = [transcriber.queue.add(path) for path in paths]
            if queued is not None:
                queued += items
            outcomes = list(transcriber.outcomes())
        assert transcriber.manifest.settings["prepare_ahead"] is settings.prepare_ahead
        results = told.of(decode_events.Result)
        return outcomes, {
            result.window.rpartition(".")[0]: result.tokens
            for result in results
            if result.stop != "cancelled"
        }

    return run


@pytest.mark.parametrize("method", ["target-only", "sd:5", "as2d", "lookahead"])
@pytest.mark.parametrize("start", ["pre-drafted", "request-start"])
def test_windows_prepared_ahead_give_target_onlys_tokens(
    transcribe: Any, talk: Path, method: str, start: str
) -> None:
    alone, ahead = Told(), Told()
    _, expected = transcribe(alone, talk, method="target-only", prepare_ahead=False)
    (outcome,), tokens = transcribe(ahead, talk, method=method, start_condition=start)
    assert len(expected) >= WINDOWS
    assert any(expected.values())
    assert tokens == expected
    assert set(alone.beside.values()) == {None}
    first, *following = ahead.beside.values()
    requests = [sent.request for sent in ahead.of(host_events.RequestSent)]
    assert (first, following) == (None, requests[:-1])
    assert (alone.left, ahead.left) == (set(), set())
    assert outcome.transcript is not None
    assert len(outcome.transcript.windows) == len(expected)


def test_a_language_that_was_detected_is_the_next_windows_too(transcribe: Any, talk: Path) -> None:
    alone, ahead = Told(), Told()
    _, expected = transcribe(alone, talk, language=None, prepare_ahead=False)
    _, tokens = transcribe(ahead, talk, language=None)
    assert tokens == expected
    assert len(ahead.of(events.Language)) == 1
    assert list(ahead.beside.values()).count(None) == 1


def test_a_recording_cancelled_in_the_middle_leaves_nothing_prepared(transcribe: Any, talk: Path) -> None:
    queued: list[QueuedRecording] = []

    def cancel_second(event: RecordedEvent) -> None:
        if isinstance(event, host_events.RequestSent) and event.preparation.startswith("a1.w2"):
            queued[0].cancel.cancel()

    told = Told(cancel_second)
    outcomes, tokens = transcribe(told, talk, talk, queued=queued)
    assert [outcome.cancelled for outcome in outcomes] == [True, False]
    assert told.left == set()
    assert {"a1.w1", "a2.w1", "a2.w2", "a2.w3"} <= set(tokens)
    assert "a1.w3" not in tokens


def test_a_broken_recording_costs_the_others_nothing(
    transcribe: Any, talk: Path, odd: Path, tmp_path: Path
) -> None:
    cut = tmp_path / "cut.wav"
    cut.write_bytes(talk.read_bytes()[:-1_000_000])  # its header says more
    told = Told()
    outcomes, _ = transcribe(told, talk, odd / "mp3_truncated.mp3", odd / "random_bytes.ogg", cut, talk)
    assert [outcome.error is not None for outcome in outcomes] == [False, False, True, False, False]
    assert outcomes[3].warnings
    first, last = outcomes[0].transcript, outcomes[-1].transcript
    assert first is not None
    assert last is not None
    assert first.text == last.text
    assert told.left == set()


def test_a_window_that_ends_the_helper_ahead_of_its_turn_does_so_once(
    transcribe: Any, talk: Path, tmp_path: Path
) -> None:
    _, expected = transcribe(Told(), talk, method="target-only", prepare_ahead=False)
    helper = failing_helper(tmp_path / "helper", helper_path(), "die", op="prepare", window="a1.w2.ahead")
    told = Told()
    (outcome,), tokens = transcribe(told, talk, helper=helper)
    assert outcome.error is None
    assert tokens == expected
    assert starts_of(helper) == 2


def test_a_window_that_is_refused_ahead_of_its_turn_is_prepared_in_it(
    transcribe: Any, talk: Path, tmp_path: Path
) -> None:
    _, expected = transcribe(Told(), talk, method="target-only", prepare_ahead=False)
    helper = failing_helper(tmp_path / "helper", helper_path(), "refuse", op="prepare", window="a1.w2.ahead")
    told = Told()
    (outcome,), tokens = transcribe(told, talk, helper=helper)
    assert outcome.error is None
    assert tokens == expected
    assert told.left == set()
    assert starts_of(helper) == 1


def test_whoever_ends_a_recording_does_not_wait_for_a_helper_that_reads_nothing(
    transcribe: Any, talk: Path, watch: Any
) -> None:
    _, expected = transcribe(Told(), talk, method="target-only", prepare_ahead=False)
    queued: list[QueuedRecording] = []
    stopped: list[int] = []
    others = set(watch.helpers_of(os.getpid()))  # of tests whose helpers outlive them

    def stop_helper(event: RecordedEvent) -> None:
        if isinstance(event, host_events.RequestSent) and not stopped:
            (helper,) = set(watch.helpers_of(os.getpid())) - others
            os.kill(helper, signal.SIGSTOP)
            stopped.append(helper)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(transcribe, Told(stop_helper), talk, talk, queued=queued)
        watch.wait_until(lambda: stopped or running.done(), "the helper is stopped")
        (helper,) = stopped
        try:
            watch.wait_until(lambda: _unread_bytes(helper) > SECOND_BYTES, "audio is being written")
            queued[0].cancel.cancel()
            assert watch.is_running(helper)  # else its silence has ended it, and the wait
        finally:
            with suppress(ProcessLookupError):
                os.kill(helper, signal.SIGCONT)
        outcomes, tokens = running.result()
    assert [outcome.cancelled for outcome in outcomes] == [True, False]
    again = {name.replace("a2.", "a1."): each for name, each in tokens.items() if name.startswith("a2.")}
    assert again == expected


def _unread_bytes(pid: int) -> int:
    """How much of its input a process has not read."""
    with open(f"/proc/{pid}/fd/0", "rb", buffering=0) as pipe:
        return int(struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0])
