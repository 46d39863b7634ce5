"""What is heard is known at any moment; without a sound output one sentence says so."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from as2d.backend.audio.listening import RATE
from as2d.backend.sound.devices import BACKENDS_VARIABLE, BUFFER_MS, NoSoundDevice
from as2d.backend.sound.playback import Playback, PlaybackState

PATIENCE_S = 120.0


@pytest.fixture
def sample(repository: Path) -> Path:
    return repository / "resources" / "sample" / "jfk.flac"


@pytest.fixture
def playback(monkeypatch: pytest.MonkeyPatch) -> Iterator[Playback]:
    """On miniaudio's null device, which asks for samples in real time as any other does."""
    monkeypatch.setenv(BACKENDS_VARIABLE, "null")
    made = Playback()
    yield made
    made.close()


def wait_for(playback: Playback, happened: Callable[[PlaybackState], bool]) -> PlaybackState:
    end = time.monotonic() + PATIENCE_S
    while not happened(state := playback.state()):
        assert time.monotonic() < end, state
        time.sleep(0.01)
    return state


class Driven:
    """An output that asks for sound when the test does, and a clock that goes when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        self.opened = threading.Event()
        self.playback = Playback(clock=lambda: self.now)
        self._feed: Generator[bytes, int, None] | None = None
        monkeypatch.setattr("as2d.backend.sound.playback.open_output", lambda *_: self)
        monkeypatch.setattr("as2d.backend.sound.playback.close", lambda _device: None)

    def start(self, feed: Generator[bytes, int, None]) -> None:
        self._feed = feed
        self.opened.set()

    def ask(self, seconds: float) -> None:
        wait_for(self.playback, lambda _: self._has_sound(seconds))
        assert self._feed is not None
        assert any(self._feed.send(round(seconds * RATE)))
        self.now += seconds

    def hear(self, seconds: float) -> None:
        """Ask for this much twice: the first is heard, the second is what is heard next."""
        self.ask(seconds)
        self.ask(seconds)  # is heard when the other two parts of the buffer were
        self.now += seconds

    def _has_sound(self, seconds: float) -> bool:
        """Whether so much of what is wanted now is decoded."""
        with self.playback._changed:
            return bool(self.playback._pieces) and not self.playback._short_of(seconds)


@pytest.fixture
def driven(monkeypatch: pytest.MonkeyPatch) -> Iterator[Driven]:
    made = Driven(monkeypatch)
    yield made
    made.playback.close()


@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_the_place_moves_as_fast_as_the_sound(driven: Driven, sample: Path, speed: float) -> None:
    driven.playback.play(sample, 3.0, speed)
    assert driven.opened.wait(PATIENCE_S)
    part = BUFFER_MS / 1000
    driven.hear(part)
    places = []
    for _ in range(3):
        places.append(driven.playback.state().position_s)
        driven.now += part / 2
    assert places == pytest.approx([3.0 + speed * (part + heard * part / 2) for heard in range(3)], abs=1e-3)
    assert driven.playback.state().path == sample


def test_an_output_that_asks_for_nothing_is_told(driven: Driven, sample: Path) -> None:
    driven.playback.play(sample, 3.0)
    assert driven.opened.wait(PATIENCE_S)
    driven.now += 60.0  # the program stood still, as on a busy computer: nothing is wrong with the output
    assert driven.playback.state().problem is None

    def told_after_a_while(state: PlaybackState) -> bool:
        driven.now += 0.1
        return state.problem is not None

    state = wait_for(driven.playback, told_after_a_while)
    assert isinstance(state.problem, NoSoundDevice)
    assert "no longer answers" in state.problem.message
    assert (state.playing, state.position_s) == (False, 3.0)


def test_pausing_keeps_the_place_and_playing_goes_on_there(driven: Driven, sample: Path) -> None:
    part = BUFFER_MS / 1000
    driven.playback.play(sample, 2.0)
    assert driven.opened.wait(PATIENCE_S)
    driven.hear(part)
    driven.playback.pause()
    driven.now += 60
    paused = driven.playback.state()
    assert not paused.playing
    assert paused.position_s == pytest.approx(2.0 + part, abs=1e-3)
    driven.playback.play(sample, paused.position_s)
    assert driven.playback.state().position_s == paused.position_s
    driven.hear(part)
    assert driven.playback.state().position_s == pytest.approx(2.0 + 2 * part, abs=1e-3)


def test_the_end_is_told_once_all_was_heard(playback: Playback, sample: Path) -> None:
    playback.play(sample, 10.6)
    state = wait_for(playback, lambda state: state.ended)
    assert not state.playing
    assert state.position_s == pytest.approx(11.0, abs=0.05)
    playback.play(sample, 900.0)
    assert not wait_for(playback, lambda state: state.ended).playing


def test_another_recording_takes_the_place_of_the_first(
    driven: Driven, sample: Path, repository: Path
) -> None:
    part = BUFFER_MS / 1000
    driven.playback.play(sample, 1.0)
    assert driven.opened.wait(PATIENCE_S)
    driven.hear(part)
    other = repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"
    driven.playback.play(other, 0.5)
    driven.hear(part)
    state = driven.playback.state()
    assert state.path == other
    assert state.position_s == pytest.approx(0.5 + part, abs=1e-3)


def test_without_an_output_a_sentence_says_what_to_do(
    playback: Playback, sample: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BACKENDS_VARIABLE, "oss")
    playback.play(sample, 2.0)
    state = wait_for(playback, lambda state: state.problem is not None)
    assert isinstance(state.problem, NoSoundDevice)
    assert "connect loudspeakers or headphones" in state.problem.message
    assert not state.playing
    assert state.position_s == 2.0
    monkeypatch.setenv(BACKENDS_VARIABLE, "null")
    playback.play(sample, 2.0)
    assert wait_for(playback, lambda state: state.position_s > 2.1).problem is None


def test_a_file_that_is_no_recording_is_refused_with_its_reason(playback: Playback, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.mp3"
    wrong.write_text("no sound")
    playback.play(wrong, 0.0)
    state = wait_for(playback, lambda state: state.problem is not None)
    assert state.problem is not None
    assert state.problem.message == "wrong.mp3 was refused: it is no recording but a text."
