"""Traced windows by recording, read again from their files when they are needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.journal import Journal, RecordingRead
from as2d.backend.compare.running.planned import PlannedRecording, planned_recordings
from as2d.backend.corpora.item import CorpusItem
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.problems import first_problem
from as2d.backend.replay.trace_file import TraceLine, TracePlace, refused_trace
from as2d.backend.runs.manifest import shown_path

TRACES = "traces"
"""The corpus of recordings that are known from their traces only."""

_Window = tuple[int, int, int]
"""File (its place among the given ones), line from 1, and the offset of the line in bytes."""


class TraceIndex:
    """Where the windows of each recording are in trace files; only the places are kept."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Look through the files; a window that comes again counts once.

        Raises:
            InputRefused: a file cannot be read, or is no trace file.
            WrongUse: there is no window, or the windows are of several models.
        """
        self._paths = list(paths)
        self._windows: dict[str, dict[float, _Window]] = {}
        models: set[tuple[str, str]] = set()
        for number, path in enumerate(self._paths):
            try:
                with path.open("rb") as file:
                    offset = 0
                    for place, text in enumerate(file, start=1):
                        if text.strip():
                            line = _parse(TracePlace(path, place), text)
                            models.add((line.target, line.drafter))
                            of_recording = self._windows.setdefault(line.recording, {})
                            of_recording.setdefault(line.start_s, (number, place, offset))
                        offset += len(text)
            except OSError as error:
                raise InputRefused(
                    f"The trace file {path} cannot be read ({error.strerror}); `as2d trace` makes one."
                ) from error
        if not models:
            raise WrongUse("The trace files hold no window; `as2d trace` records them.")
        if len(models) > 1:
            raise WrongUse("The traces are of several models; compare those of each pair by themselves.")
        self.target, self.drafter = models.pop()
        self._by_name: dict[str, set[str]] = {}
        for recording in self._windows:
            self._by_name.setdefault(_name(recording), set()).add(recording)

    @property
    def recordings(self) -> list[str]:
        """The recordings, in the order of the files."""
        return list(self._windows)

    def find(self, recording: str) -> str | None:
        """The traced recording of a path: the same path, else the one whose path is its end, else the only
        one of that file name.
        """
        if recording in self._windows:
            return recording
        named = self._by_name.get(_name(recording), set())
        ends = {name for name in named if recording.endswith(f"/{name.removeprefix('./')}")} or named
        return next(iter(ends)) if len(ends) == 1 else None

    def windows(self, recording: str) -> Iterator[tuple[TracePlace, TraceLine]]:
        """The windows of a traced recording, in the order of time, each read when it is its turn.

        Raises:
            InputRefused: a file changed meanwhile.
        """
        for _, (number, place, offset) in sorted(self._windows[recording].items()):
            path = self._paths[number]
            try:
                with path.open("rb") as file:
                    file.seek(offset)
                    text = file.readline()
            except OSError as error:
                raise InputRefused(
                    f"The trace file {path} cannot be read ({error.strerror}); begin again."
                ) from error
            yield TracePlace(path, place), _parse(TracePlace(path, place), text)

    def count(self, recording: str) -> int:
        """How many windows a traced recording has."""
        return len(self._windows[recording])


def traced_recordings(
    plan: ComparePlan, base: Path, traces: TraceIndex
) -> Iterator[tuple[PlannedRecording, str | None]]:
    """The recordings of a plan, each with its name in the traces, null where it is not there; without
    recordings in the plan those of the traces.

    Raises:
        InputRefused: a corpus cannot be read.
    """
    if plan.recordings:
        for planned in planned_recordings(plan, base):
            yield planned, traces.find(shown_path(planned.item.path))
        return
    for number, recording in enumerate(traces.recordings[: plan.limit], start=1):
        item = CorpusItem(Path(recording), None, None, TRACES)
        yield PlannedRecording(recording, number, item), recording


def note_traced(plan: ComparePlan, base: Path, journal: Journal, traces: TraceIndex) -> int:
    """Note every recording that the journal does not know yet; the number of windows.

    Raises:
        InputRefused: none of them is traced, a corpus cannot be read, or the journal not be written.
    """
    found = [_read(planned.name, traces, traced) for planned, traced in traced_recordings(plan, base, traces)]
    journal.note(*(read for read in found if read.recording not in journal.recordings))
    journal.expect(read.recording for read in found)
    windows = sum(journal.recordings[read.recording].windows for read in found)
    if not windows:
        raise InputRefused("None of the recordings is in the traces; record them with `as2d trace`.")
    return windows


def _read(recording: str, traces: TraceIndex, traced: str | None) -> RecordingRead:
    if traced is None:
        problem = f"{_name(recording)} was refused: it is not in the traces; record it with `as2d trace`."
        return RecordingRead(recording=recording, windows=0, problem=problem)
    return RecordingRead(recording=recording, windows=traces.count(traced))


def _name(recording: str) -> str:
    return recording.rpartition("/")[2]


def _parse(place: TracePlace, text: bytes) -> TraceLine:
    try:
        return TraceLine.model_validate_json(text)
    except ValidationError as error:
        raise refused_trace(place, first_problem(error)) from error
