"""What an export holds: one place for the command line and the window, so that both write the same bytes."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

from as2d.backend.audio.folders import FoundRecording, told_apart
from as2d.backend.audio.names import shown_name
from as2d.backend.bench.tables import TABLE_FORMATS, TableFormat, render_rows
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.export.corrected import with_text
from as2d.backend.export.formats import FORMATS, Format, render
from as2d.backend.export.perfetto import write_perfetto
from as2d.backend.export.tables import TableName, table_rows
from as2d.backend.export.transcript import transcript_of
from as2d.backend.metrics.fold import RunFold
from as2d.backend.metrics.states import RecordingState
from as2d.backend.runs.corrections import Corrections, read_corrections
from as2d.backend.runs.manifest import RunManifest
from as2d.backend.runs.store import StoredRun

ContentFormat = Literal[Format, TableFormat, "perfetto"]
CONTENT_FORMATS: tuple[ContentFormat, ...] = get_args(ContentFormat)
PERFETTO_ENDING = "pftrace"

_SUBTITLES = ("srt", "vtt")


def export_content(
    stored: StoredRun,
    form: ContentFormat,
    *,
    recording: str | None = None,
    table: TableName = "requests",
    decoded: bool = False,
) -> bytes:
    """A run's transcripts (`txt`, `srt`, `vtt`, `json`), one of its tables (`csv`, `jsonl`, `md`), or its
    trace (`perfetto`, always of the whole run). `recording`: only this one, by its id, path or name.
    Transcripts are those that a person corrected where there are such, or with `decoded` as decoded.

    Raises:
        WrongUse: the run has no such recording, or several cannot share one file.
        InputRefused: the run's stream cannot be read, it has no transcripts, or nothing was decoded.
    """
    if form == "perfetto":
        file = io.BytesIO()
        write_perfetto(stored, file)
        return file.getvalue()
    if form in TABLE_FORMATS:
        chosen = None
        if recording is not None:
            chosen = chosen_recordings(stored.manifest, stored.fold(), recording)[0].recording
        return render_rows(table_rows(stored, table, chosen), form).encode()
    assert form in FORMATS
    corrections = None if decoded else read_corrections(stored.folder)
    text = transcripts_text(stored.manifest, stored.fold(), form, recording, corrections)
    return text.encode("utf-8", "backslashreplace")


def transcripts_text(
    manifest: RunManifest,
    fold: RunFold,
    form: Format,
    chosen: str | None,
    corrections: Corrections | None = None,
) -> str:
    """The transcripts of a run, or of its recordings of one name or number, in one text; with `corrections`
    as corrected.

    Raises:
        WrongUse, InputRefused: as `export_content`.
    """
    found = chosen_recordings(manifest, fold, chosen)
    require_decoded(manifest, found)
    within = withins(manifest)
    names = told_apart(
        [FoundRecording.stored(recording.audio, within.get(recording.recording)) for recording in found]
    )
    if form in _SUBTITLES and len(found) > 1:
        listed = (f"{recording.recording} ({name})" for recording, name in zip(found, names, strict=True))
        raise WrongUse(
            f"Several recordings cannot share one {form} file; choose one with --recording: "
            f"{', '.join(listed)}."
        )
    texts = []
    for recording, name in zip(found, names, strict=True):
        transcript = transcript_of(fold, recording.recording, manifest)
        if corrections is not None and recording.recording in corrections.recordings:
            transcript = with_text(transcript, corrections.recordings[recording.recording].text)
        text = render(transcript, form)
        several = form == "txt" and len(found) > 1
        texts.append(f"== {name} ==\n{text}\n" if several else text)
    return "".join(texts)


def chosen_recordings(manifest: RunManifest, fold: RunFold, chosen: str | None) -> list[RecordingState]:
    """The recordings of a run that have a transcript, or those of them with this id, path or name.

    Raises:
        WrongUse: there is none of that name.
    """
    within = withins(manifest)
    found = [
        recording
        for recording in fold.recordings.values()
        if (recording.status == "done" or recording.windows)
        and chosen
        in (
            None,
            recording.recording,
            recording.audio,
            shown_name(Path(recording.audio)),
            within.get(recording.recording),
        )
    ]
    if chosen is not None and not found:
        raise WrongUse(
            f"Run {manifest.run} has no transcript of '{chosen}'; "
            f"`as2d show {manifest.run}` lists its recordings."
        )
    return found


def require_decoded(manifest: RunManifest, recordings: Sequence[RecordingState]) -> None:
    """Refuse recordings of a run that was ended before anything of them was decoded; silence is no such.

    Raises:
        InputRefused: these are such.
    """
    for recording in recordings:
        if recording.status == "done" or any(window.answered() for window in recording.windows):
            return
    raise InputRefused(f"The run {manifest.run} has no text: nothing of it was decoded; choose another run.")


def withins(manifest: RunManifest) -> dict[str, str]:
    """The paths of a run's recordings within the folders that they were found in."""
    return {used.recording: used.within for used in manifest.recordings if used.within is not None}
