"""What is heard is known at any moment; without a sound output one sentence says so."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from as2d.backend.sound.devices import BACKENDS_VARIABLE, NoSoundDevice
from as2d.backend.sound.playback import Playback, PlaybackState

PATIENCE_S = 20.0


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


def test_the_place_moves_as_fast_as_the_sound(playback: Playback, sample: Path) -> None:
    playback.play(sample, 3.0)
    first = wait_for(playback, lambda state: state.position_s > 3.1)
    begun = time.monotonic()
    second = wait_for(playback, lambda state: state.position_s > 4.1)
    moved = second.position_s - first.position_s
    assert moved == pytest.approx(time.monotonic() - begun, abs=0.15)
    assert second.playing
    assert second.path == sample


def test_pausing_keeps_the_place_and_playing_goes_on_there(playback: Playback, sample: Path) -> None:
    playback.play(sample, 2.0)
    wait_for(playback, lambda state: state.position_s > 2.2)
    playback.pause()
    paused = playback.state()
    assert not paused.playing
    assert 2.2 < paused.position_s < 3.5
    playback.play(sample, paused.position_s)
    assert playback.state().position_s == paused.position_s
    wait_for(playback, lambda state: state.position_s > paused.position_s + 0.1)


def test_the_end_is_told_once_all_was_heard(playback: Playback, sample: Path) -> None:
    playback.play(sample, 10.6)
    state = wait_for(playback, lambda state: state.ended)
    assert not state.playing
    assert state.position_s == pytest.approx(11.0, abs=0.05)
    playback.play(sample, 900.0)
    assert not wait_for(playback, lambda state: state.ended).playing


def test_twice_the_speed_takes_half_the_time(playback: Playback, sample: Path) -> None:
    playback.play(sample, 1.0, 2.0)
    first = wait_for(playback, lambda state: state.position_s > 1.2)
    begun = time.monotonic()
    second = wait_for(playback, lambda state: state.position_s > 3.2)
    took = time.monotonic() - begun
    assert (second.position_s - first.position_s) / took == pytest.approx(2.0, rel=0.15)


def test_another_recording_takes_the_place_of_the_first(
    playback: Playback, sample: Path, repository: Path
) -> None:
    playback.play(sample, 1.0)
    wait_for(playback, lambda state: state.position_s > 1.1)
    other = repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"
    playback.play(other, 0.5)
    state = wait_for(playback, lambda state: state.position_s > 0.7)
    assert state.path == other
    assert state.position_s < 3


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
