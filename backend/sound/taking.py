"""Takes down what the microphone hears, as it comes."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Generator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np

from as2d.backend.errors import OutOfSpace, UserError
from as2d.backend.paths import takings_dir
from as2d.backend.runs.files import is_full, storage_error
from as2d.backend.sound.devices import NoSoundDevice, close, open_input
from as2d.backend.sound.wav_file import GrowingWav
from as2d.backend.transcribe.outcome import unexpected

RATE = 48_000
_SYNC_S = 5.0
_STALLED_S = 3.0
_FALL_S = 0.3


@dataclass(frozen=True)
class TakingState:
    """`level`: the peak of the last moments, 0 to 1. `silent_s`: how long there was nothing but zeros.

    `ended`: the file is closed; `path` is the finished recording, None where nothing was recorded; `problem`:
    why it ended by itself.
    """

    elapsed_s: float
    level: float
    silent_s: float
    ended: bool
    path: Path | None
    problem: UserError | None


class Taking:
    """One recording, from its making to `stop`. `state` may be asked at any time."""

    def __init__(self, folder: Path | None = None) -> None:
        """Begin to record into `folder`, by default the user's; devices are opened on a thread."""
        self._folder = folder or takings_dir()
        self._blocks: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._file: GrowingWav | None = None
        self._level = (0.0, 0.0)
        self._heard_at = time.monotonic()
        self._ended = False
        self._path: Path | None = None
        self._problem: UserError | None = None
        self._thread = threading.Thread(target=self._work, name="microphone", daemon=True)
        self._thread.start()

    def state(self) -> TakingState:
        """How it is going."""
        level, at = self._level
        now = time.monotonic()
        fallen = level * max(0.0, 1 - (now - at) / _FALL_S)
        elapsed = self._file.seconds if self._file is not None else 0.0
        silent = now - self._heard_at if self._file is not None and self._file.bytes else 0.0
        return TakingState(elapsed, fallen, silent, self._ended, self._path, self._problem)

    def stop(self) -> None:
        """End the recording; its file is whole when the state says `ended`."""
        self._stop.set()

    def wait(self, seconds: float) -> bool:
        """Wait for the end; whether it came."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._record()
        except UserError as error:
            self._problem = error
        except OSError as error:
            self._problem = self._storage_problem(error)
        except Exception as error:  # noqa: BLE001  (told to the user)
            self._problem = unexpected("Recording", error)
        try:
            if self._file is not None:
                self._path = self._file.finish()
        except OSError as error:
            self._problem = self._problem or self._storage_problem(error)
        self._ended = True

    def _record(self) -> None:
        device = open_input(RATE)
        try:
            name = datetime.now().astimezone().strftime("Recording %Y-%m-%d %H.%M.%S")
            self._file = GrowingWav(self._folder, name, RATE)
            hearing = self._hear()
            next(hearing)
            device.start(hearing)
            synced = time.monotonic()
            while not self._stop.is_set():
                self._write_next(self._file)
                if time.monotonic() - synced > _SYNC_S:
                    self._file.sync()
                    synced = time.monotonic()
        finally:
            close(device)
        while not self._blocks.empty():
            self._file.append(self._blocks.get())

    def _write_next(self, file: GrowingWav) -> None:
        waited = 0.0
        while True:
            try:
                file.append(self._blocks.get(timeout=0.1))
                break
            except queue.Empty:
                waited += 0.1
            if self._stop.is_set():
                return
            if waited > _STALLED_S:
                raise NoSoundDevice(
                    "The microphone no longer answers; what it recorded is kept. Connect it again and record "
                    "anew."
                )
        if file.full:
            raise OutOfSpace(
                "The recording has reached the length that a WAV file can hold (12 hours); it is kept. "
                "Record anew to go on."
            )

    def _hear(self) -> Generator[None, bytearray, None]:
        """Runs on the device's thread."""
        while True:
            block = yield
            peak = float(np.abs(np.frombuffer(block, "<i2").astype(np.int32)).max(initial=0)) / 32768
            now = time.monotonic()
            if peak > 0:
                self._heard_at = now
            if peak >= self._level[0] * max(0.0, 1 - (now - self._level[1]) / _FALL_S):
                self._level = (peak, now)
            self._blocks.put(bytes(block))

    def _storage_problem(self, error: OSError) -> UserError:
        if is_full(error) and self._file is not None and self._file.bytes:
            return OutOfSpace(
                f"There is no space left in {self._folder}: the recording ended after "
                f"{self._file.seconds:.0f} s, which are kept. Free some space and record anew."
            )
        return storage_error(error, self._folder, "the recording")
