"""The microphone records into the list; what a killed program recorded is there at the next start."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio, statuses

from as2d.backend.audio import write_wav
from as2d.backend.paths import takings_dir
from as2d.backend.sound.devices import BACKENDS_VARIABLE


def test_a_recording_shows_its_length_and_joins_the_list(
    open_studio: OpenStudio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BACKENDS_VARIABLE, "null")
    window = open_studio()
    action = window.registry.action("recordings.record")
    assert action.text() == "Record from the &microphone"
    action.trigger()
    assert action.text() == "Stop &recording"
    qtbot.waitUntil(
        lambda: window.recorder.state is not None and window.recorder.state.elapsed_s > 1.0,
        timeout=PATIENCE_MS,
    )
    action.trigger()
    qtbot.waitUntil(lambda: len(statuses(window)) == 2, timeout=PATIENCE_MS)
    (path,) = takings_dir().iterdir()
    assert statuses(window)[1] == (path.name, "waiting")
    assert action.text() == "Record from the &microphone"


def test_without_a_microphone_a_sentence_says_what_to_do(
    open_studio: OpenStudio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BACKENDS_VARIABLE, "oss")
    window = open_studio()
    window.registry.run("recordings.record")
    qtbot.waitUntil(lambda: window.message_bar.isVisible(), timeout=PATIENCE_MS)
    assert "This computer has no microphone that could be opened;" in window.message_bar.text.text()
    assert not window.recorder.recording


def test_what_is_being_recorded_when_the_window_closes_is_in_the_list_of_the_next(
    open_studio: OpenStudio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BACKENDS_VARIABLE, "null")
    window = open_studio()
    window.registry.run("recordings.record")
    qtbot.waitUntil(
        lambda: window.recorder.state is not None and window.recorder.state.elapsed_s > 0.2,
        timeout=PATIENCE_MS,
    )
    window.close()
    (path,) = takings_dir().iterdir()
    assert not path.name.endswith(".unfinished.wav")
    later = open_studio()
    qtbot.waitUntil(lambda: (path.name, "waiting") in statuses(later), timeout=PATIENCE_MS)
    later.close()
    last = open_studio()
    qtbot.waitUntil(lambda: not last.studio.operations.running(), timeout=PATIENCE_MS)
    assert (path.name, "waiting") not in statuses(last)  # once


def test_an_interrupted_recording_is_in_the_list_at_the_next_start(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    takings_dir().mkdir(exist_ok=True)
    write_wav(takings_dir() / "Recording 2026-01-02 03.04.05.unfinished.wav", np.ones(16000, np.int16))
    window = open_studio()
    name = "Recording 2026-01-02 03.04.05.wav"
    qtbot.waitUntil(lambda: (name, "waiting") in statuses(window), timeout=PATIENCE_MS)
    assert window.message_bar.text.text() == f"{name} was interrupted; what was recorded is in the list."
