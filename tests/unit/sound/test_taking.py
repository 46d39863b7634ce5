"""What the microphone hears is in a whole file at every moment."""

from __future__ import annotations

import fcntl
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from as2d.backend.audio import open_recording
from as2d.backend.errors import OutOfSpace
from as2d.backend.sound.devices import BACKENDS_VARIABLE
from as2d.backend.sound.taking import RATE, Taking, TakingState
from as2d.backend.sound.wav_file import GrowingWav, take_interrupted

PATIENCE_S = 120.0


def wait_for(taking: Taking, happened: Callable[[TakingState], bool]) -> TakingState:
    end = time.monotonic() + PATIENCE_S
    while not happened(state := taking.state()):
        assert time.monotonic() < end, state
        time.sleep(0.01)
    return state


def test_a_recording_is_whole_while_it_is_taken_and_named_when_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BACKENDS_VARIABLE, "null")
    taking = Taking(tmp_path / "takings")
    wait_for(taking, lambda state: state.elapsed_s > 0.3)
    unfinished = next((tmp_path / "takings").iterdir())
    assert unfinished.name.endswith(".unfinished.wav")
    assert soundfile.info(unfinished).duration >= 0.3
    assert take_interrupted(tmp_path / "takings") == []  # it is still being taken down
    taking.stop()
    state = wait_for(taking, lambda state: state.ended)
    assert state.problem is None
    assert state.path is not None
    assert state.path.name.startswith("Recording 20")
    assert not state.path.name.endswith(".unfinished.wav")
    assert soundfile.info(state.path).samplerate == RATE
    assert soundfile.info(state.path).duration == pytest.approx(state.elapsed_s)


def test_a_window_that_starts_does_not_take_a_recording_that_has_just_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock

    def start_a_window_first(file: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        assert take_interrupted(tmp_path) == []
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", start_a_window_first)
    wav = GrowingWav(tmp_path, "Recording", RATE)
    wav.append(bytes(2 * RATE))
    assert wav.finish() == tmp_path / "Recording.wav"
    assert soundfile.info(tmp_path / "Recording.wav").duration == 1.0


def test_without_a_microphone_a_sentence_says_so_and_no_file_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BACKENDS_VARIABLE, "oss")
    state = wait_for(Taking(tmp_path / "takings"), lambda state: state.ended)
    assert state.problem is not None
    assert state.problem.message.startswith("This computer has no microphone that could be opened;")
    assert state.path is None
    assert not (tmp_path / "takings").exists()


def test_a_killed_program_leaves_everything_that_it_had_recorded(tmp_path: Path) -> None:
    script = (
        "import sys, time; from pathlib import Path; from as2d.backend.sound.taking import Taking\n"
        "taking = Taking(Path(sys.argv[1]))\n"
        "while taking.state().elapsed_s < 0.5: time.sleep(0.01)\n"
        "print('recording', flush=True); time.sleep(60)\n"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path)],
        stdout=subprocess.PIPE,
        env={**os.environ, BACKENDS_VARIABLE: "null"},
    )
    assert program.stdout is not None
    assert program.stdout.readline() == b"recording\n"
    program.send_signal(signal.SIGKILL)
    program.wait()
    program.stdout.close()
    (kept,) = take_interrupted(tmp_path)
    assert not kept.name.endswith(".unfinished.wav")
    with open_recording(kept) as recording:
        assert recording.info.duration_s is not None
        assert recording.info.duration_s >= 0.5
        list(recording.windows())
        assert recording.warnings == []
    assert take_interrupted(tmp_path) == []


def test_a_full_disk_keeps_what_was_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BACKENDS_VARIABLE, "null")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    # Files of this process may not grow beyond a third of a second: the same refusal that a full disk gives.
    resource.setrlimit(resource.RLIMIT_FSIZE, (44 + 2 * RATE // 3 + 1, before[1]))
    try:
        state = wait_for(Taking(tmp_path), lambda state: state.ended)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert isinstance(state.problem, OutOfSpace)
    assert "which are kept" in state.problem.message
    assert state.path is not None
    assert soundfile.info(state.path).frames == RATE // 3


def test_samples_come_back_as_they_were_and_names_are_not_taken_twice(tmp_path: Path) -> None:
    sound = (np.sin(np.arange(9000) / 9) * 20000).astype("<i2")
    paths = []
    for _ in range(2):
        file = GrowingWav(tmp_path, "take", 16000)
        file.append(sound[:4000].tobytes())
        file.append(sound[4000:].tobytes())
        paths.append(file.finish())
    assert [path.name for path in paths if path] == ["take.wav", "take (2).wav"]
    assert paths[1] is not None
    assert np.array_equal(soundfile.read(paths[1], dtype="int16")[0], sound)
    assert GrowingWav(tmp_path, "empty", 16000).finish() is None
