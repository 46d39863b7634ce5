"""Decoding with FFmpeg (PyAV): compressed formats, and the sound track of videos."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

import av
import av.error
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from numpy.typing import NDArray

from as2d.backend.audio.blocks import MAX_CHANNELS, MAX_RATE, UNKNOWN_CONTENT, Block, CannotDecode, joined

# Time stamps jitter by less than this; a longer step between two frames is sound that the file lacks.
_GAP_S = 0.1
# A longer step than this is a broken time stamp.
_LONGEST_GAP_S = 600.0
# AAC encoders fill the last frames; more than this beyond the declared end means that the declaration lies.
_PADDING_S = 0.3
# Decoders of MP3, AAC and Opus need what lies this far before a place to be exact there.
_LEAD_IN_S = 0.5
# Containers whose duration is written down, not estimated from a bit rate.
_DECLARED: Final = {"mov", "matroska", "flac", "asf", "wav", "aiff", "au", "w64", "caf", "ogg"}
_INTEGER_SCALE: Final = {"s16": 2.0**-15, "s32": 2.0**-31, "s64": 2.0**-63}


class AvSource:
    """A recording opened with FFmpeg.

    Raises:
        CannotDecode: FFmpeg does not read this content, or there is no sound in it.
        OSError: the file cannot be opened.
    """

    decoder = "ffmpeg"

    def __init__(
        self, path: Path, *, format_name: str | None = None, mp3_declared_s: float | None = None
    ) -> None:
        """`format_name` forces a container; `mp3_declared_s`: seconds that an MP3 file's header promises."""
        # A descriptor: any name works, its ending decides nothing, and FFmpeg reads it without calling back
        # into Python, which would swallow an interrupt.
        self._descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        self._container: InputContainer | None = None
        try:
            self._container = av.open(
                "fd:",
                mode="r",
                format=format_name,
                metadata_errors="replace",
                # A playlist must not make this program read other files or the network.
                options={"protocol_whitelist": "fd", "fd": str(self._descriptor)},
            )
            self._stream = _sound_stream(self._container)
        except CannotDecode:
            self.close()
            raise
        except (av.error.FFmpegError, ValueError, AttributeError) as error:
            # PyAV raises AttributeError for a stream whose codec is unknown.
            self.close()
            raise CannotDecode(UNKNOWN_CONTENT) from error
        self.container = self._container.format.name
        self.codec = self._stream.codec_context.name
        self.warnings: list[str] = []
        families = set(self.container.split(","))
        self._trims_padding = "mov" in families
        self.duration_s: float | None = None
        if self._stream.duration is not None and self._stream.time_base is not None:
            self.duration_s = float(self._stream.duration * self._stream.time_base)
        elif self._container.duration is not None:
            self.duration_s = self._container.duration / av.time_base
        if self.duration_s is not None and self.duration_s <= 0:
            self.duration_s = None
        self._declared_s = mp3_declared_s if "mp3" in families else None
        if families & _DECLARED:
            self._declared_s = self.duration_s

    def blocks(self) -> Iterator[Block]:
        """See `Source.blocks`."""
        return joined(self._timed())

    def blocks_from(self, seconds: float) -> Iterator[Block]:
        """See `Source.blocks_from`."""
        if self._container is None:
            return iter(())
        place = self._origin() + max(0.0, seconds - _LEAD_IN_S)
        try:
            self._container.seek(round(place * av.time_base))
        except (av.error.FFmpegError, OSError) as error:
            raise CannotDecode("it can be decoded from its beginning only") from error
        return joined(self._timed_from(seconds))

    def _timed_from(self, seconds: float) -> Iterator[Block]:
        """Blocks from a place on, by the frames' time stamps; gaps are silent as in `_timed`."""
        origin, due, begun = self._origin(), seconds, False
        for frame in self._frames():
            block = Block(_to_float(frame), frame.sample_rate)
            if frame.pts is None or frame.time_base is None:
                begin = due
            else:
                begin = float(frame.pts * frame.time_base) - origin
            end = begin + len(block.samples) / block.rate
            if not begun:
                if end <= due:
                    continue
                skipped = max(0, round((due - begin) * block.rate))
                block = Block(block.samples[skipped:], block.rate)
                begun = True
            if _GAP_S <= begin - due <= _LONGEST_GAP_S:
                yield from _silence(begin - due, block)
            yield block
            due = end

    def _timed(self) -> Iterator[Block]:
        """Blocks with silence where time stamps say that sound is missing, without an encoder's padding."""
        clock = _Clock(self._origin())
        limit = self.duration_s if self._trims_padding else None
        held: list[Block] = []
        held_s = 0.0
        missing = 0.0
        for frame in self._frames():
            block = Block(_to_float(frame), frame.sample_rate)
            gap = clock.gap_before(frame)
            if gap > 0:
                missing += gap
                yield from _silence(gap, block)
            clock.advance(len(block.samples), block.rate)
            if limit is not None and clock.seconds > limit:
                keep = max(0, len(block.samples) - round((clock.seconds - limit) * block.rate))
                if not held and keep:
                    yield Block(block.samples[:keep], block.rate)
                    block = Block(block.samples[keep:], block.rate)
                held.append(block)
                held_s += len(block.samples) / block.rate
                if held_s <= _PADDING_S:
                    continue
                yield from held
                limit, held = None, []
                continue
            yield block
        self._report(clock.seconds, missing)

    def _report(self, seconds: float, missing: float) -> None:
        if missing >= _GAP_S:
            self.warnings.append(
                f"{missing:.1f} s of sound are missing or damaged within the file; "
                "silence stands in for them."
            )
        declared = self._declared_s
        if declared is not None and declared - seconds > max(0.25, 0.02 * declared):
            self.warnings.append(
                f"The file ends early: {seconds:.1f} s of the {declared:.1f} s that it declares "
                "could be decoded."
            )

    def _origin(self) -> float:
        """Time stamp, in seconds, that is second 0 of the recording."""
        assert self._container is not None
        start = cast("int | None", self._container.start_time)
        return 0.0 if start is None else start / av.time_base

    def _frames(self) -> Iterator[AudioFrame]:
        if self._container is None:
            return
        packets = self._container.demux(self._stream)
        while True:
            try:
                packet = next(packets)
            except StopIteration:
                return
            except (av.error.FFmpegError, OSError):
                self.warnings.append("The rest of the file is damaged and could not be read.")
                return
            try:
                frames = packet.decode()
            except (av.error.FFmpegError, ValueError):
                continue  # a damaged packet; the time stamps show how much is missing
            for frame in frames:
                if (
                    frame.samples > 0
                    and 0 < frame.sample_rate <= MAX_RATE
                    and 0 < len(frame.layout.channels) <= MAX_CHANNELS
                ):
                    yield frame

    def close(self) -> None:
        """See `Source.close`."""
        if self._container is not None:
            self._container.close()
            self._container = None
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class _Clock:
    """Seconds decoded so far, compared with the frames' time stamps."""

    def __init__(self, origin: float) -> None:
        self._origin = origin
        self.seconds = 0.0

    def gap_before(self, frame: AudioFrame) -> float:
        if frame.pts is None or frame.time_base is None:
            return 0.0
        gap = float(frame.pts * frame.time_base) - self._origin - self.seconds
        if not _GAP_S <= gap <= _LONGEST_GAP_S:
            if gap > _LONGEST_GAP_S:
                self._origin += gap
            return 0.0
        self.seconds += gap
        return gap

    def advance(self, frames: int, rate: int) -> None:
        self.seconds += frames / rate


def _sound_stream(container: InputContainer) -> AudioStream:
    streams = list(container.streams.audio)
    if not streams:
        kinds = sorted({stream.type for stream in container.streams})
        what = f" (only {', '.join(kinds)})" if kinds else ""
        raise CannotDecode(f"it has no sound track{what}")
    best = container.streams.best("audio")
    stream = best if isinstance(best, AudioStream) else streams[0]
    if stream.codec_context is None:
        raise CannotDecode("its sound is coded in a way that cannot be decoded")
    return stream


def _silence(seconds: float, like: Block) -> Iterator[Block]:
    """`seconds` of zeros in blocks of at most one second, with the rate and channels of `like`."""
    frames = round(seconds * like.rate)
    while frames > 0:
        count = min(frames, like.rate)
        yield Block(np.zeros((count, like.samples.shape[1]), np.float32), like.rate)
        frames -= count


def _to_float(frame: AudioFrame) -> NDArray[np.float32]:
    """The samples of a frame as float32 [frames, channels], full scale ±1."""
    data = frame.to_ndarray()
    channels = len(frame.layout.channels)
    samples = data.T if frame.format.is_planar else data.reshape(-1, channels)
    kind = frame.format.name.removesuffix("p")
    if kind == "u8":
        return (samples.astype(np.float32) - 128.0) / 128.0
    scale = _INTEGER_SCALE.get(kind)
    if scale is None:
        return np.ascontiguousarray(samples, dtype=np.float32)
    return np.multiply(samples, scale, dtype=np.float32)
