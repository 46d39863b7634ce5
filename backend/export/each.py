"""The transcripts of a run, a file each: one place for the command line and the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from as2d.backend.export.content import require_decoded, withins
from as2d.backend.export.corrected import corrected_transcript
from as2d.backend.export.formats import Format, render
from as2d.backend.export.output_files import OutputFolder
from as2d.backend.export.transcript import transcript_of
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.states import RecordingState
from as2d.backend.runs.store import StoredRun


def write_each(
    stored: StoredRun,
    fold: RunFold,
    recordings: Sequence[RecordingState],
    form: Format,
    place: Path,
    *,
    decoded: bool = False,
    overwrite: bool = False,
    check: Callable[[], None] = lambda: None,
) -> Iterator[tuple[RecordingState, Path]]:
    """Write the transcripts of some recordings of a run into a folder, corrected ones unless `decoded`, and
    tell where each is. `check` may raise between them to stop.

    Raises:
        UserError: there are no transcripts, or nothing was decoded, and nothing was written; or one cannot be
            written, and those before it are.
    """
    require_decoded(stored.manifest, recordings)
    texts = [transcript_of(fold, recording.recording, stored.manifest) for recording in recordings]
    within = withins(stored.manifest)
    folder = OutputFolder(
        place, overwrite=overwrite, kept=[Path(recording.audio) for recording in recordings]
    )
    for recording, text in zip(recordings, texts, strict=True):
        check()
        if not decoded:
            text = corrected_transcript(text, recording.recording, stored.folder)
        written = folder.write(
            Path(recording.audio), form, render(text, form), within.get(recording.recording)
        )
        yield recording, written
