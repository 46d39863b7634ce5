"""Recordings are heard in step with waveform, transcript and timeline, on a real (silent) sound device."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.conftest import PATIENCE_MS, OpenStudio, wait_for_end

from as2d.app.window.main_window import StudioWindow
from as2d.backend.sound.devices import BACKENDS_VARIABLE

SECONDS = 11.0


@pytest.fixture(autouse=True)
def silent_device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """miniaudio's null device: it asks for samples in real time as loudspeakers do."""
    monkeypatch.setenv(BACKENDS_VARIABLE, "null")
    monkeypatch.setenv("AS2D_CACHE_DIR", str(tmp_path / "cache"))


def decoded(open_studio: OpenStudio, qtbot: QtBot) -> StudioWindow:
    window = open_studio()
    window.registry.run("run.start")
    wait_for_end(window, qtbot)
    outlined(window, qtbot)
    return window


def outlined(window: StudioWindow, qtbot: QtBot) -> None:
    """Wait until the whole outline is there and everybody knows it."""
    qtbot.waitUntil(
        lambda: (
            window.waveform.peaks is not None
            and window.waveform.peaks.complete
            and window.player.duration == window.waveform.peaks.duration_s
        ),
        timeout=PATIENCE_MS,
    )


def click_on(window: StudioWindow, qtbot: QtBot, word: str, *, twice: bool = False) -> None:
    view = window.transcript.view
    cursor = QTextCursor(view.document())
    cursor.setPosition(view.toPlainText().index(word) + 1)
    place = view.cursorRect(cursor).center() + QPoint(2, 0)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    if twice:
        qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_playing_marks_the_word_that_is_heard_in_text_and_timeline(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = decoded(open_studio, qtbot)
    view, player = window.transcript.view, window.player
    assert view.spoken_text() == ""
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: player.position > 0.5, timeout=PATIENCE_MS)
    assert player.playing
    click_on(window, qtbot, "fellow")
    assert view.spoken_text() == "fellow"
    qtbot.waitUntil(lambda: view.spoken_text() not in ("", "fellow"), timeout=PATIENCE_MS)
    assert player.playing
    heard = []
    for tenth in range(15, 45):  # wherever it is by now
        player.seek(tenth / 10)
        heard.append(view.spoken_text())
    text = view.toPlainText()
    places = [text.index(word) for word in dict.fromkeys(heard) if word]
    assert len(places) > 3
    assert places == sorted(places)
    playhead = window.calls.view.canvas.overlay.playhead
    assert playhead is not None
    assert window.calls.model.audio_time.audio_at(playhead) / 1e9 == pytest.approx(player.position, abs=1.0)
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert not player.playing
    place = player.position
    qtbot.wait(150)
    assert player.position == place
    window.calls.play_recording_from.emit("a1", 2.0)  # as the timeline does when a place in it is opened
    assert player.playing
    assert player.position == 2.0


def test_a_click_goes_to_the_word_and_its_call_and_a_second_click_plays(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = decoded(open_studio, qtbot)
    click_on(window, qtbot, "country can")
    assert not window.player.playing
    at = window.player.position
    assert 4.5 < at < 7.5
    assert window.transcript.view.spoken_text() == "country"
    assert window.calls.view.navigator.call is not None
    click_on(window, qtbot, "what you can", twice=True)
    assert window.player.playing
    assert window.player.position > at


def test_the_waveform_shows_the_recording_and_a_click_goes_there(
    open_studio: OpenStudio, qtbot: QtBot
) -> None:
    window = open_studio()
    outlined(window, qtbot)
    strip = window.transcript.bar.strip
    assert window.player.duration == pytest.approx(SECONDS, abs=0.05)
    assert window.transcript.bar.time.text() == "0:00 / 0:11"
    picture = strip.grab().toImage()
    colours = {picture.pixelColor(x, picture.height() // 3).name() for x in range(picture.width())}
    assert window.theme.colours.control_border in colours
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() // 2, 20))
    assert window.player.position == pytest.approx(SECONDS / 2, abs=0.1)
    heard = strip.grab().toImage()
    assert window.theme.colours.accent in {
        heard.pixelColor(x, heard.height() // 3).name() for x in range(heard.width() // 2)
    }
    strip.setFocus()
    focused = strip.grab().toImage()
    assert (
        focused.pixelColor(focused.width() - 20, 4).name() == heard.pixelColor(heard.width() - 20, 4).name()
    )
    qtbot.keyClick(strip, Qt.Key.Key_End)
    assert window.player.position == window.player.duration
    qtbot.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.player.position == pytest.approx(SECONDS - 5, abs=0.05)


def test_the_waveform_zooms_around_the_pointer_and_back(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    outlined(window, qtbot)
    strip = window.transcript.bar.strip
    place = QPointF(strip.width() * 0.75, 20)
    before = strip.span.begin + 0.75 * strip.span.width
    event = QWheelEvent(
        place, strip.mapToGlobal(place), QPoint(), QPoint(0, 720), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(strip, event)
    assert strip.span.width < SECONDS / 3
    assert strip.span.begin + 0.75 * strip.span.width == pytest.approx(before, abs=0.01)
    qtbot.keyClick(strip, Qt.Key.Key_F)
    assert strip.span.width == pytest.approx(SECONDS, abs=0.05)


def test_every_recording_keeps_its_place_and_only_the_current_one_is_heard(
    open_studio: OpenStudio, qtbot: QtBot, repository: Path
) -> None:
    other = repository / "tests" / "data" / "speech" / "cv_en_651325.mp3"
    window = open_studio(repository / "resources" / "sample" / "jfk.flac", other)
    outlined(window, qtbot)
    window.player.play(4.0)
    qtbot.waitUntil(lambda: window.player.position > 4.2, timeout=PATIENCE_MS)
    window.recordings.select(window.studio.recordings.items[1])
    assert not window.player.playing
    assert window.player.position == 0.0
    window.registry.run("playback.toggle")
    qtbot.waitUntil(lambda: window.player.position > 0.2, timeout=PATIENCE_MS)
    window.recordings.select(window.studio.recordings.items[0])
    assert window.player.position > 4.0


def test_space_presses_a_button_that_has_the_focus(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = open_studio()
    outlined(window, qtbot)
    window.message_bar.say("note", "Something to be closed.")
    window.message_bar.close_button.setFocus()
    qtbot.keyClick(window.message_bar.close_button, Qt.Key.Key_Space)
    assert not window.message_bar.isVisible()
    assert not window.player.playing
    window.transcript.bar.strip.setFocus()
    qtbot.keyClick(window.transcript.bar.strip, Qt.Key.Key_Space)
    assert window.player.playing


def test_without_a_sound_output_one_sentence_says_so_and_the_window_works_on(
    open_studio: OpenStudio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BACKENDS_VARIABLE, "oss")
    window = open_studio()
    outlined(window, qtbot)
    window.registry.run("playback.toggle")
    qtbot.waitUntil(lambda: window.message_bar.isVisible(), timeout=PATIENCE_MS)
    assert "This computer has no sound output that could be opened;" in window.message_bar.text.text()
    assert not window.player.playing
    window.player.seek(3.0)
    assert window.player.position == 3.0


def test_a_recording_that_is_gone_says_so_in_its_waveform(
    open_studio: OpenStudio, qtbot: QtBot, tmp_path: Path
) -> None:
    gone = tmp_path / "gone.wav"
    gone.write_bytes(b"RIFF")
    window = open_studio(gone)
    gone.unlink()
    qtbot.waitUntil(lambda: window.waveform.problem is not None, timeout=PATIENCE_MS)
    assert window.waveform.problem == "gone.wav was refused: there is no such file."


def test_a_run_whose_recording_is_gone_says_so_and_shows_its_text(
    open_studio: OpenStudio,
    qtbot: QtBot,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = repository / "tests" / "data" / "runs" / "three-recordings"
    window = open_studio()
    monkeypatch.chdir(tmp_path)  # the run names its recordings by relative paths
    window.studio.open_run(run)
    qtbot.waitUntil(lambda: "fellow Americans" in window.transcript.view.toPlainText(), timeout=PATIENCE_MS)
    assert window.transcript.bar.isVisible()
    assert window.waveform.problem == "The sound of this recording is not on this computer any more."
    assert not window.registry.action("playback.toggle").isEnabled()
    monkeypatch.chdir(repository)
    before = window.studio.shown
    window.studio.open_run(run)
    qtbot.waitUntil(lambda: window.studio.shown is not before, timeout=PATIENCE_MS)
    assert len(window.studio.recordings.items) == 4  # each once
    outlined(window, qtbot)
    assert window.registry.action("playback.toggle").isEnabled()


def test_copy_with_times(open_studio: OpenStudio, qtbot: QtBot) -> None:
    window = decoded(open_studio, qtbot)
    qtbot.keyClick(
        window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    )
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].startswith("[0:00:00.")
    assert "And so my fellow Americans" in lines[0]
    assert " ".join(line.split("] ")[1] for line in lines) == window.transcript.view.toPlainText()
