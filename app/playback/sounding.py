"""Keeps what is heard, the waveform, the transcript and the timeline in step."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QWidget

from as2d.app.playback.player import Player
from as2d.app.translation import tr
from as2d.app.viewmodels.recordings import RecordingItem
from as2d.app.viewmodels.spoken import SpokenWords
from as2d.app.viewmodels.transcript import CorrectedText, Piece
from as2d.app.waveform.reader import WaveformReader

if TYPE_CHECKING:
    from as2d.app.window.main_window import StudioWindow

_COMMANDS = ("playback.toggle", "playback.back", "playback.forward", "playback.slower", "playback.faster")


class Sounding(QObject):
    """The current recording is what is heard; every view shows the same place of it."""

    def __init__(self, window: StudioWindow, player: Player, reader: WaveformReader) -> None:
        super().__init__(window)
        self._window = window
        self.player = player
        self._reader = reader
        self._item: RecordingItem | None = None
        self._words: SpokenWords | None = None
        self._placed: tuple[object, str, float | None] | None = None
        player.moved.connect(self.follow)
        player.failed.connect(lambda text: window.say("error", text))
        reader.changed.connect(self.follow_item)
        window.calls.play_recording_from.connect(self.play_recording)
        window.transcript.piece_chosen.connect(self.go_to_piece)
        window.transcript.view.piece_opened.connect(self.play_piece)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._focus_changed)

    def show_item(self, item: RecordingItem | None) -> None:
        """Another recording is current."""
        self._item = item
        path = self._path()
        if path is None and item is not None and item.run is not None:
            self._reader.tell(tr("The sound of this recording is not on this computer any more."))
        else:
            self._reader.show(path)
        self.follow_item()

    def follow_item(self) -> None:
        """More is known of the recording."""
        item, peaks = self._item, self._reader.peaks
        length = item.duration_s if item is not None else None
        if peaks is not None and peaks.complete:
            length = peaks.duration_s
        path = self._path()
        self.player.show(path, length)
        for name in _COMMANDS:
            self._window.registry.enable(name, path is not None and self._reader.problem is None)
        if self._window.transcript.text is not (self._words.text if self._words is not None else None):
            self.follow()

    def follow(self) -> None:
        """Show the place that is heard in the transcript and in the timeline."""
        panel, player = self._window.transcript, self.player
        begun = player.playing or player.position > 0
        text = panel.text
        if text is None:
            self._words = None
        elif self._words is None or self._words.text is not text:
            self._words = SpokenWords(text)
        word = self._words.at(player.position) if self._words is not None and begun else None
        if panel.editing:
            panel.editor.mark_spoken(text if isinstance(text, CorrectedText) else None, word)
        else:
            panel.view.mark_spoken(word)
        self._show_in_timeline(player.position if begun else None)

    def go_to_piece(self, piece: Piece) -> None:
        """Go to a token."""
        seconds = self._words.begin_of(piece) if self._words is not None else None
        if seconds is not None:
            self.player.seek(seconds)

    def play_piece(self, piece: Piece) -> None:
        """Play from a token on."""
        seconds = self._words.begin_of(piece) if self._words is not None else None
        if seconds is not None:
            self.player.play(seconds)

    def play_recording(self, recording: str, seconds: float) -> None:
        """Play a recording of the run in the timeline from a place on."""
        run = next(
            (own for own in self._window.studio.runs.values() if own.timeline is self._window.calls.model),
            None,
        )
        item = self._window.studio.recordings.of(run.number, recording) if run is not None else None
        if item is not None:
            self._window.recordings.select(item)
            self.player.play(seconds)

    def _show_in_timeline(self, seconds: float | None) -> None:
        item, view = self._item, self._window.calls.view
        if item is None or item.recording is None or not self._is_in_timeline(item):
            return
        if self._placed != (view, item.recording, seconds):
            self._placed = (view, item.recording, seconds)
            view.show_position(item.recording, seconds)

    def _path(self) -> Path | None:
        return self._item.sound if self._item is not None else None

    def _is_in_timeline(self, item: RecordingItem) -> bool:
        run = self._window.studio.run_of(item)
        return run is not None and run.timeline is self._window.calls.model

    def _focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        # Space presses the button that has the focus; elsewhere it plays.
        self._window.registry.hold_back("Space", isinstance(now, (QAbstractButton, QComboBox)))
