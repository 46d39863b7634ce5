"""Opens the system's sound output and input, through miniaudio."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Protocol

import miniaudio

from as2d.backend.errors import UserError

BACKENDS_VARIABLE = "AS2D_SOUND"
"""Names of miniaudio's backends in order, as `alsa`; `null` plays and records silence in real time."""

BUFFER_MS = 60
"""Length of one of the three parts of a device's buffer."""
_APPLICATION = "AS2D Studio"


class NoSoundDevice(UserError):
    """There is nothing to play on, or nothing to record from."""

    exit_code = 3


class Device(Protocol):
    """An open device. Its generator runs on a thread of the device's own."""

    def start(self, callback_generator: Generator[bytes, int, None]) -> None: ...

    def stop(self) -> None: ...


def open_output(rate: int, channels: int) -> miniaudio.PlaybackDevice:
    """The system's sound output, for float32.

    Raises:
        NoSoundDevice: there is none.
    """
    for backends in _attempts():
        try:
            return miniaudio.PlaybackDevice(
                output_format=miniaudio.SampleFormat.FLOAT32,
                nchannels=channels,
                sample_rate=rate,
                buffersize_msec=BUFFER_MS,
                backends=backends,
                app_name=_APPLICATION,
            )
        except miniaudio.MiniaudioError:
            continue
    raise NoSoundDevice(
        "This computer has no sound output that could be opened; connect loudspeakers or headphones, or "
        "choose an output in the system's sound settings, and play again."
    )


def open_input(rate: int) -> miniaudio.CaptureDevice:
    """The system's sound input, for int16 of one channel.

    Raises:
        NoSoundDevice: there is none.
    """
    for backends in _attempts():
        try:
            return miniaudio.CaptureDevice(
                input_format=miniaudio.SampleFormat.SIGNED16,
                nchannels=1,
                sample_rate=rate,
                buffersize_msec=BUFFER_MS,
                backends=backends,
                app_name=_APPLICATION,
            )
        except miniaudio.MiniaudioError:
            continue
    raise NoSoundDevice(
        "This computer has no microphone that could be opened; connect one, or choose an input in the "
        "system's sound settings, and record again."
    )


def close(device: miniaudio.PlaybackDevice | miniaudio.CaptureDevice) -> None:
    """Close a device and its connection to the sound server, which miniaudio's own `close` leaves open."""
    device.close()
    miniaudio.lib.ma_context_uninit(device._context)


def _attempts() -> list[list[miniaudio.Backend]]:
    """The ways to reach a device, one after the other."""
    named = os.environ.get(BACKENDS_VARIABLE, "")
    if named:
        known = {backend.name.casefold(): backend for backend in miniaudio.Backend}
        return [[known[name.strip()]] for name in named.casefold().split(",") if name.strip() in known]
    ways = [miniaudio.Backend.PULSEAUDIO, miniaudio.Backend.ALSA, miniaudio.Backend.JACK]
    ways += [miniaudio.Backend.COREAUDIO, miniaudio.Backend.WASAPI]
    enabled = miniaudio.get_enabled_backends()
    if not _has_cards():
        # ALSA would complain at length on standard error.
        enabled.discard(miniaudio.Backend.ALSA)
    return [[way] for way in ways if way in enabled]


def _has_cards() -> bool:
    try:
        return "[" in Path("/proc/asound/cards").read_text(encoding="utf-8")
    except OSError:
        return False
