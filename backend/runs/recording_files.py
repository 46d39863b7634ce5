"""The sound file of a recording of a run, where it can still be found."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.protocol.host_events import RecordingQueued
from as2d.backend.runs.origin import read_origin
from as2d.backend.runs.store import StoredRun

AUDIO_FOLDER = "audio"


def recording_file(stored: StoredRun, recording: str) -> Path | None:
    """The file of a recording, by its id: the run's own copy, else the file that was decoded.

    A run from elsewhere has its own copies only: a path in it names a file of another computer.
    """
    own = _own_copy(stored.folder / AUDIO_FOLDER, recording)
    if own is not None or read_origin(stored.folder) is not None:
        return own
    audio = next((used.audio for used in stored.manifest.recordings if used.recording == recording), None)
    if audio is None:
        audio = next(
            (
                event.audio
                for event in stored.events()
                if isinstance(event, RecordingQueued) and event.recording == recording
            ),
            None,
        )
    if audio is None:
        return None
    file = Path(stored.manifest.started_in or "") / audio
    return file if file.is_file() else None


def _own_copy(folder: Path, recording: str) -> Path | None:
    if not folder.is_dir():
        return None
    return next((path for path in sorted(folder.iterdir()) if path.stem == recording), None)
