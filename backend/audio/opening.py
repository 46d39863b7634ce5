"""Choosing a decoder for a file, or saying in one sentence why there is none."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path, PurePath

import numpy as np

from as2d.backend.audio import content, mp3, riff
from as2d.backend.audio.av_source import AvSource
from as2d.backend.audio.blocks import UNKNOWN_CONTENT, Block, CannotDecode, Source
from as2d.backend.audio.files import file_size, unreadable
from as2d.backend.audio.soundfile_source import SoundfileSource
from as2d.backend.errors import InputRefused

SHORTEST_S = 0.025
"""A recording shorter than one analysis window of the models (25 ms) is refused."""

_NO_SAMPLES = "it holds no sound (0 samples)"

Opened = tuple[Source, Iterator[Block], Block]


def open_source(path: Path, name: str) -> Opened:
    """Open `path` with the decoder that reads its content; `name` is what messages call it.

    Returns the source, its blocks from the beginning, and its first block.

    Raises:
        InputRefused: with the reason; see `open_recording`.
    """
    head, size = _read_head(path, name)
    header = riff.read_wav_header(head)
    fault = riff.wav_fault(header, complete=len(head) == size) if riff.is_wav(head) else None
    if fault is not None:
        raise InputRefused(f"{name} was refused: {fault}.")
    what = content.not_sound(head)
    if what is not None:
        raise InputRefused(f"{name} was refused: it is no recording but {what}.")
    reasons: list[str] = []
    for opener in _openers(path, head):
        try:
            opened = _begin(opener())
        except CannotDecode as refusal:
            reasons.append(str(refusal))
            continue
        except OSError as error:
            raise InputRefused(f"{name} was refused: it could not be read ({error.strerror}).") from error
        if header is not None and (missing := riff.missing_seconds(header, size)) > 0.05:
            opened[0].warnings.append(
                f"The file ends early: {missing:.1f} s that its header declares are missing."
            )
        return opened
    raise InputRefused(f"{name} was refused: {_best_reason(reasons, head, name)}.")


def _read_head(path: Path, name: str) -> tuple[bytes, int]:
    size = file_size(path, name)
    try:
        with path.open("rb") as file:
            return file.read(content.HEAD_BYTES), size
    except OSError as error:
        raise unreadable(name, error) from error


def _openers(path: Path, head: bytes) -> list[Callable[[], Source]]:
    """Ways to open the file, the best first."""
    with_soundfile: Callable[[], Source] = lambda: SoundfileSource(path)  # noqa: E731
    with_av: Callable[[], Source] = lambda: AvSource(  # noqa: E731
        path, mp3_declared_s=mp3.declared_seconds(head)
    )
    if content.is_gsm(head):
        return [lambda: AvSource(path, format_name="gsm")]
    if content.is_uncompressed_container(head):
        return [with_soundfile, with_av]
    if head.startswith((b"fLaC", b"OggS")):
        return [with_av, with_soundfile]
    return [with_av]


def _begin(source: Source) -> Opened:
    """Decode until there is enough real sound to call it a recording.

    Raises:
        CannotDecode: there is not; the source is closed.
    """
    blocks = source.blocks()
    # Stretches of nothing but NaN are remembered by their shape: a long one must not fill the memory.
    unreal: list[tuple[int, int, int]] = []
    begun: list[Block] = []
    seconds = 0.0
    for block in blocks:
        seconds += len(block.samples) / block.rate
        if begun or np.isfinite(block.samples).any():
            begun.append(block)
        elif len(block.samples):
            unreal.append((*block.samples.shape, block.rate))
        if begun and seconds >= SHORTEST_S:
            lead = (Block(np.full(shape, np.nan, np.float32), rate) for *shape, rate in unreal)
            return source, chain(lead, begun, blocks), begun[0]
    source.close()
    if begun:
        raise CannotDecode(
            f"it is too short ({1000 * seconds:.3g} ms; {1000 * SHORTEST_S:.0f} ms are needed)"
        )
    if unreal:
        raise CannotDecode("none of its samples is a number (all are NaN or infinite)")
    raise CannotDecode(_NO_SAMPLES)


def _best_reason(reasons: list[str], head: bytes, name: str) -> str:
    """The most telling of the decoders' reasons, with a way out where there is one."""
    telling = [reason for reason in reasons if reason != UNKNOWN_CONTENT]
    for reason in telling:
        if reason != _NO_SAMPLES:
            return reason
    if telling:
        return telling[0]
    if head[4:8] == b"ftyp":
        return (
            "it is damaged or was cut off before its index (the moov atom) was written; get a complete copy"
        )
    if head.startswith(b"\x1aE\xdf\xa3"):
        return "it is a WebM or Matroska file without any sound in it; it was stopped too soon or cut off"
    if content.looks_like_raw_pcm(head, name):
        return _raw_hint(name)
    return UNKNOWN_CONTENT


def _raw_hint(name: str) -> str:
    source, target = shlex.quote(name), shlex.quote(f"{PurePath(name).stem}.converted.wav")
    return (
        "it looks like raw samples without a header, so its sample rate is unknown; if it is 16-bit mono at "
        f"16 kHz, convert it with `ffmpeg -f s16le -ar 16000 -ac 1 -i {source} {target}` or "
        f"`sox -t raw -r 16000 -e signed -b 16 -c 1 {source} {target}`, otherwise with its own rate"
    )
