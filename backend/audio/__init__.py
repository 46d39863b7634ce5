"""Recordings: any file that can be decoded becomes windows of 16 kHz mono speech, in bounded memory."""

from as2d.backend.audio.names import shown_name
from as2d.backend.audio.recording import AudioInfo, AudioWindow, Recording, open_recording, require_file
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
