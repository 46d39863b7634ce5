"""Plays recordings: decodes a little ahead in a thread of its own, and knows what is heard at any moment."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from as2d.backend.audio.listening import CHANNELS, RATE, Listening
from as2d.backend.audio.tempo import at_speed
from as2d.backend.errors import UserError
from as2d.backend.sound.devices import BUFFER_MS, NoSoundDevice, close, open_output
from as2d.backend.transcribe.outcome import unexpected

if TYPE_CHECKING:
    import miniaudio

_AHEAD_S = 0.6
_BEGIN_S = 0.15
_IDLE_S = 3.0
_STALLED_S = 2.0
_STOOD_STILL_S = 0.5
# miniaudio fills three periods; the one that is asked for is heard when the other two are.
_LATENCY_S = 2 * BUFFER_MS / 1000


@dataclass(frozen=True)
class PlaybackState:
    """`position_s`: the place in the recording that is heard, or will be next. `ended`: its end was reached.

    `problem`: why nothing can be heard; it stays until something is played again.
    """

    path: Path | None
    playing: bool
    position_s: float
    ended: bool
    problem: UserError | None


@dataclass(frozen=True)
class _Piece:
    """Samples to be played, and the place in the recording where they begin."""

    samples: NDArray[np.float32]
    at_s: float


class Playback:
    """One player. Its methods return at once and may be called on any thread; `state` tells what happens."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` tells the time in seconds."""
        self._clock = clock
        self._changed = threading.Condition()
        self._path: Path | None = None
        self._from_s = 0.0
        self._speed = 1.0
        self._gain = 1.0
        self._playing = False
        self._ended = False
        self._closed = False
        self._wanted = 0
        self._problem: UserError | None = None
        self._pieces: deque[_Piece] = deque()
        self._decoded_all = False
        # When the device last asked, the place that it then took, and how much it took, in seconds.
        self._asked: tuple[float, float, float] | None = None
        # Since when there is sound that it has not asked for at all.
        self._offered: float | None = None
        # When somebody last looked, and when this program last went on after it had stood still.
        self._looked = self._went_on = clock()
        self._thread: threading.Thread | None = None
        self._device: miniaudio.PlaybackDevice | None = None

    def play(self, path: Path, from_s: float, speed: float = 1.0) -> None:
        """Play a recording from a place on, in place of what is being played."""
        with self._changed:
            self._seek(path, from_s, speed)
            self._playing = True
            self._problem = None
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="playback", daemon=True)
                self._thread.start()

    def pause(self) -> None:
        """Be silent; `play` with the state's place goes on."""
        with self._changed:
            if self._path is not None:
                self._seek(self._path, self._position(), self._speed)
            self._playing = False

    def set_gain(self, gain: float) -> None:
        """Loudness: 0 is silent, 1 as recorded."""
        self._gain = gain

    def state(self) -> PlaybackState:
        """What is heard now. An output is found not to answer by whoever looks several times a second."""
        with self._changed:
            now = self._clock()
            if now > self._looked + _STOOD_STILL_S:  # then the output could not ask either
                self._went_on = now
            self._looked = now
            if self._playing and self._stalled():
                self._fail(
                    NoSoundDevice(
                        "The sound output no longer answers; connect it again or choose another one in the "
                        "system's sound settings, and play again."
                    )
                )
            position = self._position()
            if self._playing and self._decoded_all and not self._pieces and self._heard_all():
                self._playing, self._ended = False, True
            return PlaybackState(self._path, self._playing, position, self._ended, self._problem)

    def close(self) -> None:
        """End; the device is given back."""
        with self._changed:
            self._playing = False
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(5.0)

    def _seek(self, path: Path, from_s: float, speed: float) -> None:
        self._path, self._from_s, self._speed = path, max(0.0, from_s), speed
        self._ended = self._decoded_all = False
        self._pieces.clear()
        self._asked = self._offered = None
        self._wanted += 1
        self._changed.notify_all()

    def _position(self) -> float:
        if self._asked is None:
            return self._from_s
        asked, at, took = self._asked
        heard = at + (self._clock() - asked - _LATENCY_S) * self._speed
        return min(max(heard, self._from_s), at + took)

    def _heard_all(self) -> bool:
        if self._asked is None:  # nothing lay behind the place
            return True
        asked, _, took = self._asked
        return self._clock() > asked + _LATENCY_S + took / self._speed

    def _stalled(self) -> bool:
        since = self._asked[0] if self._asked is not None else self._offered
        if since is None or not self._pieces:
            return False
        return self._clock() > max(since, self._went_on) + _STALLED_S

    def _fail(self, problem: UserError) -> None:
        if self._path is not None:
            self._seek(self._path, self._position(), self._speed)
        self._playing = False
        self._problem = problem

    def _work(self) -> None:
        """Decode ahead of what is played, and hold the device while it is needed."""
        listening: tuple[Path, Listening] | None = None
        sound: Iterator[NDArray[np.float32]] = iter(())
        done, at, speed = 0, 0.0, 1.0
        while (wanted := self._wait(done)) is not None:
            try:
                if wanted != done:
                    with self._changed:
                        done, path, at, speed = self._wanted, self._path, self._from_s, self._speed
                    assert path is not None
                    if listening is None or listening[0] != path:
                        if listening is not None:
                            listening[1].close()
                        listening = None
                        listening = (path, Listening(path))
                    sound = at_speed(listening[1].pieces(at), speed, RATE)
                at += self._decode(sound, done, at, speed)
                self._hold_device()
            except UserError as error:
                self._give_up(error, done)
            except Exception as error:  # noqa: BLE001  (told to the user; the player stays)
                self._give_up(unexpected("Playing", error), done)
        if listening is not None:
            listening[1].close()
        self._release_device()

    def _wait(self, done: int) -> int | None:
        """Wait until there is something to do; the number of what is wanted, None: the end."""
        while True:
            with self._changed:
                if self._closed:
                    return None
                if self._playing and (self._wanted != done or self._short_of(_AHEAD_S)):
                    return self._wanted
                rest = 0.05 if self._playing else _IDLE_S
                idle = not self._changed.wait(rest) and not self._playing
            if idle:
                self._release_device()

    def _decode(self, sound: Iterator[NDArray[np.float32]], done: int, at: float, speed: float) -> float:
        """Put the next piece into the queue; its length in seconds of the recording."""
        samples = next(sound, None)
        with self._changed:
            if self._wanted != done:
                return 0.0
            if samples is None:
                self._decoded_all = True
                return 0.0
            self._pieces.append(_Piece(samples, at))
        return len(samples) / RATE * speed

    def _short_of(self, seconds: float) -> bool:
        waiting = sum(len(piece.samples) for piece in self._pieces)
        return not self._decoded_all and waiting < seconds * RATE

    def _hold_device(self) -> None:
        if self._device is None and not self._short_of(_BEGIN_S):
            device = open_output(RATE, CHANNELS)
            feeding = self._feed()
            next(feeding)
            device.start(feeding)
            self._device = device
        with self._changed:
            if self._device is not None and self._pieces and self._offered is None:
                self._offered = self._clock()

    def _release_device(self) -> None:
        device, self._device = self._device, None
        if device is not None:
            close(device)

    def _give_up(self, problem: UserError, done: int) -> None:
        self._release_device()
        with self._changed:
            if self._wanted == done:
                self._fail(problem)

    def _feed(self) -> Generator[bytes, int, None]:
        """What the device asks for, on its thread: float32 frames, silence where there are none."""
        frames = yield b""
        while True:
            samples = self._take(frames)
            frames = yield (samples * np.float32(self._gain)).tobytes()

    def _take(self, frames: int) -> NDArray[np.float32]:
        out = np.zeros((frames, CHANNELS), np.float32)
        with self._changed:
            if not self._playing or not self._pieces:
                return out
            at, filled = self._pieces[0].at_s, 0
            while self._pieces and filled < frames:
                piece = self._pieces.popleft()
                part = piece.samples[: frames - filled]
                out[filled : filled + len(part)] = part
                filled += len(part)
                if len(part) < len(piece.samples):
                    rest = piece.at_s + len(part) / RATE * self._speed
                    self._pieces.appendleft(_Piece(piece.samples[len(part) :], rest))
            self._asked = (self._clock(), at, filled / RATE * self._speed)
            if self._short_of(_AHEAD_S / 2):
                self._changed.notify_all()
        return out
