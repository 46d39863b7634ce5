"""What is heard: the recording, the place in it, loudness and speed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

if TYPE_CHECKING:
    from as2d.backend.sound.playback import Playback

_TICK_MS = 25
SPEEDS = (0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
SKIP_S = 5.0


class Player(QObject):
    """Plays the recording that is current. Sound is opened when something is played for the first time.

    `moved`: another place is heard; `changed`: it plays, pauses or has another recording; `failed` gives a
    sentence.
    """

    moved = Signal()
    changed = Signal()
    failed = Signal(str)

    def __init__(self, volume: int, parent: QObject | None = None) -> None:
        """`volume`: 0 to 100."""
        super().__init__(parent)
        self._playback: Playback | None = None
        self._path: Path | None = None
        self._places: dict[Path, float] = {}
        self._position = 0.0
        self._duration: float | None = None
        self._playing = False
        self._speed = 1.0
        self._volume = volume
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    @property
    def path(self) -> Path | None:
        """The recording that is current."""
        return self._path

    @property
    def playing(self) -> bool:
        """Whether it is heard."""
        return self._playing

    @property
    def position(self) -> float:
        """The place in seconds."""
        return self._position

    @property
    def duration(self) -> float | None:
        """Seconds of the recording, None: not known."""
        return self._duration

    @property
    def speed(self) -> float:
        """1: as recorded."""
        return self._speed

    @property
    def volume(self) -> int:
        """0 to 100."""
        return self._volume

    def show(self, path: Path | None, duration: float | None) -> None:
        """Make a recording current; another one that is heard ends, and its place is remembered."""
        if path != self._path:
            self.pause()
            if self._path is not None:
                self._places[self._path] = self._position
            self._path = path
            self._position = self._places.get(path, 0.0) if path is not None else 0.0
            self._duration = duration
            self.changed.emit()
            self.moved.emit()
        elif duration is not None and duration != self._duration:
            self._duration = duration
            self.changed.emit()

    def toggle(self) -> None:
        """Play or pause; at the end, from the beginning."""
        if self._playing:
            self.pause()
        elif self._duration is not None and self._position >= self._duration - 0.05:
            self.play(0.0)
        else:
            self.play(self._position)

    def play(self, seconds: float) -> None:
        """Play from a place on."""
        if self._path is None:
            return
        if self._playback is None:
            from as2d.backend.sound.playback import Playback

            self._playback = Playback()
            self._apply_volume()
        self._position = self._within(seconds)
        self._playback.play(self._path, self._position, self._speed)
        was, self._playing = self._playing, True
        self._timer.start()
        self.moved.emit()
        if not was:
            self.changed.emit()

    def pause(self) -> None:
        """Be silent."""
        if not self._playing or self._playback is None:
            return
        self._playback.pause()
        self._position = self._within(self._playback.state().position_s)
        self._stopped()

    def seek(self, seconds: float) -> None:
        """Go to a place; what plays goes on there."""
        if self._playing:
            self.play(seconds)
        else:
            self._position = self._within(seconds)
            self.moved.emit()

    def skip(self, by: float) -> None:
        """Go forwards or back by seconds."""
        self.seek(self._position + by)

    def set_speed(self, speed: float) -> None:
        """Play faster or slower at the same pitch."""
        self._speed = speed
        if self._playing:
            self.play(self._position)
        self.changed.emit()

    def step_speed(self, by: int) -> None:
        """The next faster (1) or slower (-1) speed."""
        place = min(range(len(SPEEDS)), key=lambda row: abs(SPEEDS[row] - self._speed))
        self.set_speed(SPEEDS[max(0, min(place + by, len(SPEEDS) - 1))])

    def set_volume(self, volume: int) -> None:
        """Play louder or softer."""
        self._volume = volume
        self._apply_volume()
        self.changed.emit()

    def close(self) -> None:
        """End, and give the sound output back."""
        self._timer.stop()
        if self._playback is not None:
            self._playback.close()
            self._playback = None

    def _apply_volume(self) -> None:
        if self._playback is not None:
            # Loudness is heard by its logarithm; the square comes close enough between 0 and 100.
            self._playback.set_gain((self._volume / 100) ** 2)

    def _within(self, seconds: float) -> float:
        end = self._duration if self._duration is not None else seconds
        return max(0.0, min(seconds, end))

    def _tick(self) -> None:
        if self._playback is None:
            return
        state = self._playback.state()
        if state.position_s != self._position:
            self._position = state.position_s
            self.moved.emit()
        if not state.playing:
            self._stopped()
        if state.problem is not None:
            self.failed.emit(state.problem.message)

    def _stopped(self) -> None:
        self._playing = False
        self._timer.stop()
        self.changed.emit()
        self.moved.emit()
