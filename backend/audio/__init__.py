"""Recordings: any file that can be decoded becomes windows of 16 kHz mono speech, in bounded memory."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from as2d.backend.audio.files import require_file
    from as2d.backend.audio.names import shown_name
    from as2d.backend.audio.recording import (
        AudioInfo,
        AudioWindow,
        Recording,
        open_recording,
    )
    from as2d.backend.audio.wav import write_wav

__all__ = [
    "AudioInfo",
    "AudioWindow",
    "Recording",
    "open_recording",
    "require_file",
    "shown_name",
    "write_wav",
]

_MODULES = {"shown_name": "names", "require_file": "files", "write_wav": "wav"}


def __getattr__(name: str) -> object:
    """Load the decoders of recordings only for those who decode: they take longer than the window's start."""
    if name not in __all__:
        raise AttributeError(name)
    return getattr(importlib.import_module(f"{__name__}.{_MODULES.get(name, 'recording')}"), name)
