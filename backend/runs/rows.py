"""A run's line in a list and what is said in it, from the files of its folder."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.errors import InputRefused
from as2d.backend.metrics.fold import RunFold
from as2d.backend.runs.corrections import CORRECTIONS_NAME, read_corrections
from as2d.backend.runs.index import RunRow
from as2d.backend.runs.labels import LABELS_NAME, read_labels
from as2d.backend.runs.manifest import MANIFEST_NAME, RecordingUsed, RunManifest
from as2d.backend.runs.origin import ORIGIN_NAME, read_origin

_TITLE_NAMES = 3


def row_of(folder: Path, manifest: RunManifest, fold: RunFold, stamp: str) -> RunRow:
    """A run's line in a list, from its manifest and what its stream says.

    `stamp` was taken before any of it was read, and vouches for the folder's texts that are read afterwards.
    """
    totals = fold.totals()
    arms = {request.arm for request in fold.finished_requests()}
    labels, origin = read_labels(folder), read_origin(folder)
    names = names_of(manifest, fold)
    more = len(names) - _TITLE_NAMES
    title = ", ".join(names[:_TITLE_NAMES]) + (f" and {more} more" if more > 0 else "")
    return RunRow(
        run=manifest.run,
        created=manifest.created,
        command=manifest.command,
        status=manifest.status,
        title=title,
        device=manifest.device.name,
        target=manifest.target.name,
        drafter=manifest.drafter.name if manifest.drafter is not None else None,
        method=str(manifest.settings.get("method", "")),
        recordings=len(names),
        audio_s=sum(recording.duration_s or 0.0 for recording in fold.recordings.values()),
        tokens=totals.tokens,
        calls=totals.calls,
        guard_calls=totals.guard_calls,
        proposed=totals.proposed,
        accepted=totals.accepted,
        decode_s=totals.decode_s,
        bytes=size_of(folder),
        tps=totals.tps if len(arms) <= 1 else None,
        name=labels.name,
        tags=" ".join(labels.tags),
        origin=origin.bundle if origin is not None else None,
        stamp=stamp,
    )


def all_recordings(manifest: RunManifest, fold: RunFold) -> tuple[RecordingUsed, ...]:
    """The manifest's recordings and those that only the stream tells of: they came while the run went on."""
    known = {used.recording for used in manifest.recordings}
    told = (
        RecordingUsed(recording=name, audio=recording.audio)
        for name, recording in fold.recordings.items()
        if name not in known
    )
    return (*manifest.recordings, *told)


def names_of(manifest: RunManifest, fold: RunFold) -> list[str]:
    """The names of the files of a run's recordings."""
    return [Path(used.audio).name for used in all_recordings(manifest, fold)]


def text_of(folder: Path, fold: RunFold) -> str:
    """Everything that is said in a run, as it was corrected, for searching."""
    try:
        corrected = read_corrections(folder).recordings
    except InputRefused:  # whoever opens the run is told; its decoded text can be found
        corrected = {}
    texts = []
    for name, recording in fold.recordings.items():
        if name in corrected:
            texts.append(corrected[name].text)
            continue
        for window in recording.windows:
            request = window.answered()
            if request is not None and request.result is not None:
                texts.append(request.result.text)
    return "\n".join(texts)


def size_of(folder: Path) -> int:
    """Bytes of the files of a run's folder, without what a killed program left half-written."""
    return sum(
        path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")
    )


def stamp_of(folder: Path) -> str:
    """Changes when a file changes that a run's row is made of and that may change after the run."""
    marks = []
    for name in (MANIFEST_NAME, LABELS_NAME, CORRECTIONS_NAME, ORIGIN_NAME):
        try:
            status = (folder / name).stat()
        except OSError:
            marks.append("-")
        else:
            marks.append(f"{status.st_mtime_ns:x}.{status.st_size:x}")
    return " ".join(marks)
