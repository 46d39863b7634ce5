"""From a file to windows of speech: the one way into a recording for every part of the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, field_serializer

from as2d.backend.audio.blocks import Block, Source
from as2d.backend.audio.level import Limiter, make_finite, to_int16
from as2d.backend.audio.mix import Mixer
from as2d.backend.audio.names import printable, shown_name
from as2d.backend.audio.opening import open_source
from as2d.backend.audio.resample import TARGET_RATE, Resampler
from as2d.backend.audio.speech import FRAME, SpeechDetector
from as2d.backend.audio.windows import Window, WindowCutter


class AudioInfo(BaseModel):
    """What a recording is. `path` as given; `sample_rate` in Hz and `channels` of its beginning."""

    model_config = ConfigDict(frozen=True)

    path: Path
    container: str
    codec: str
    sample_rate: int
    channels: int
    duration_s: float | None
    """Seconds that the file declares or that its bit rate suggests; None when unknown."""
    decoder: str

    @field_serializer("path", when_used="json")
    def _printable_path(self, path: Path) -> str:
        return printable(str(path))


@dataclass(frozen=True)
class AudioWindow:
    """A stretch of a recording for one decoding.

    `start_s`, `end_s`: seconds from the beginning of the recording. `pcm`: int16 [samples], 16 kHz mono, at
    most 30 s. `speech`: False when the window surely holds no speech and need not be decoded.
    """

    index: int
    start_s: float
    end_s: float
    pcm: NDArray[np.int16]
    speech: bool


class Recording:
    """An opened recording, made by `open_recording`; a context manager; decoded while `windows` is read."""

    def __init__(self, path: Path, source: Source, begun: Iterator[Block], first: Block) -> None:
        self._source = source
        self._blocks: Iterator[Block] | None = begun
        self._not_numbers = 0
        self._position_s = 0.0
        self._own_warnings: list[str] = []
        self.info = AudioInfo(
            path=path,
            container=source.container,
            codec=source.codec,
            sample_rate=first.rate,
            channels=first.samples.shape[1],
            duration_s=source.duration_s,
            decoder=source.decoder,
        )

    @property
    def warnings(self) -> list[str]:
        """Sentences about what is damaged or missing; complete after the last window."""
        return [*self._source.warnings, *self._own_warnings]

    @property
    def position_s(self) -> float:
        """Seconds decoded so far; after the last window the true duration."""
        return self._position_s

    def windows(
        self,
        progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Iterator[AudioWindow]:
        """Decode the recording and yield its windows in order, each as soon as it is complete.

        Stretches without speech are in no window, so a silent recording yields none. `progress` gets the
        seconds decoded so far about once a second of sound; `cancelled` is asked as often, and when it says
        True the iteration ends. A damaged file yields what could be decoded and adds to `warnings`. Memory is
        bounded (about 42 s of sound), whatever the length.

        Raises:
            RuntimeError: the windows were already read; open the recording again.
        """
        if self._blocks is None:
            raise RuntimeError("the windows of this recording were already read")
        blocks, self._blocks = self._blocks, None
        return self._number(self._cut(blocks, progress, cancelled))

    def close(self) -> None:
        """Close the file; may be called twice."""
        self._source.close()

    def __enter__(self) -> Recording:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _number(self, windows: Iterator[Window]) -> Iterator[AudioWindow]:
        for index, window in enumerate(windows):
            end = window.first + len(window.pcm)
            yield AudioWindow(index, window.first / TARGET_RATE, end / TARGET_RATE, window.pcm, window.speech)

    def _cut(
        self,
        blocks: Iterator[Block],
        progress: Callable[[float], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> Iterator[Window]:
        detector, cutter, limiter = SpeechDetector(), WindowCutter(), Limiter()
        waiting = np.zeros(0, np.float32)
        for sound in self._resampled(blocks):
            if cancelled is not None and cancelled():
                return
            waiting = np.concatenate([waiting, sound])
            whole = len(waiting) // FRAME * FRAME
            yield from _push(cutter, detector, limiter.limit(waiting[:whole].reshape(-1, FRAME)))
            waiting = waiting[whole:]
            if progress is not None:
                progress(self._position_s)
        if len(waiting):
            padded = np.pad(waiting, (0, FRAME - len(waiting))).reshape(1, FRAME)
            yield from _push(cutter, detector, limiter.limit(padded), len(waiting))
        yield from cutter.finish()
        if self._not_numbers:
            self._own_warnings.append(
                f"{self._not_numbers} samples are not numbers (NaN or infinite); silence stands in for them."
            )

    def _resampled(self, blocks: Iterator[Block]) -> Iterator[NDArray[np.float32]]:
        """The recording as 16 kHz mono float32 in pieces of about a second."""
        mixer, resampler = Mixer(), Resampler()
        samples_out = 0
        for block in blocks:
            finite, replaced = make_finite(block.samples)
            self._not_numbers += replaced
            sound = resampler.feed(mixer.mix(finite, block.rate), block.rate)
            samples_out += len(sound)
            self._position_s = samples_out / TARGET_RATE
            yield sound
        rest = resampler.flush()
        self._position_s = (samples_out + len(rest)) / TARGET_RATE
        yield rest


def _push(
    cutter: WindowCutter, detector: SpeechDetector, frames: NDArray[np.float32], samples: int = FRAME
) -> Iterator[Window]:
    """Pass float32 [frames, 512] on; only the first `samples` of each belong to the recording."""
    if len(frames) == 0:
        return
    pcm = [frame[:samples] for frame in to_int16(frames)]
    power = np.square(frames - frames.mean(axis=1, keepdims=True)).mean(axis=1)
    levels = 10 * np.log10(power + 1e-10).astype(np.float32)
    yield from cutter.push(pcm, detector.probabilities(frames), levels)


def open_recording(path: Path, name: str | None = None) -> Recording:
    """Open any file that holds sound. Messages call it `name`, else by its file's name.

    Raises:
        InputRefused: the file is missing, is no recording, holds no sound, or is shorter than 25 ms; the
            message is one sentence with the name and the reason.
    """
    source, begun, first = open_source(path, name or shown_name(path))
    return Recording(path, source, begun, first)
