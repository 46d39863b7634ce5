"""The recording that AS²D brings along, for the demonstration and the self-test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from as2d.backend.errors import HelperFailed, InputRefused
from as2d.backend.paths import resources_dir
from as2d.backend.transcribe.window_file import window_file

SAMPLE_LANGUAGE = "en"
_ENDINGS = {".wav", ".flac", ".mp3", ".ogg", ".opus", ".m4a"}


def sample_recording() -> Path:
    """The sample recording.

    Raises:
        HelperFailed: this installation lacks it.
    """
    folder = resources_dir() / "sample"
    found = sorted(path for path in folder.glob("*") if path.suffix in _ENDINGS)
    if not found:
        raise HelperFailed(f"The sample recording is missing from {folder}; install AS²D again.")
    return found[0]


@contextmanager
def sample_wav() -> Iterator[Path]:
    """The sample's first window as a 16 kHz mono WAV file that exists within this block.

    Raises:
        UserError: the sample is missing, or there is no room for the file.
    """
    from as2d.backend.audio import open_recording

    with open_recording(sample_recording()) as recording:
        window = next((window for window in recording.windows() if window.speech), None)
    if window is None:
        raise InputRefused("The sample recording holds no speech; install AS²D again.")
    with window_file(window.pcm, "the sample for the self-test") as path:
        yield path
