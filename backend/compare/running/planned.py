"""The recordings of a plan, and how many windows each has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from as2d.backend.audio import open_recording, shown_name
from as2d.backend.compare.plan import ComparePlan
from as2d.backend.compare.running.journal import Journal, RecordingRead
from as2d.backend.corpora.item import CorpusItem
from as2d.backend.corpora.reading import is_corpus, read_corpus
from as2d.backend.errors import InputRefused, WrongUse
from as2d.backend.runs.manifest import shown_path
from as2d.backend.transcribe.cancel import CancelToken


@dataclass(frozen=True)
class PlannedRecording:
    """A recording of a plan, which is the `number`-th, from 1, of the list or, by `noted_recordings`, of the
    comparison; `name` is the same in every session.
    """

    name: str
    number: int
    item: CorpusItem


def planned_recordings(plan: ComparePlan, base: Path) -> Iterator[PlannedRecording]:
    """The recordings of a plan, in order; relative paths are seen from `base`.

    Raises:
        InputRefused: a corpus cannot be read.
    """
    met: Counter[str] = Counter()
    for item in _chosen(plan, base):
        name = shown_path(item.path)
        met[name] += 1
        unique = name if met[name] == 1 else f"{name} #{met[name]}"
        yield PlannedRecording(unique, met.total(), item)
        if met.total() == plan.limit:
            return


def noted_recordings(planned: Iterable[PlannedRecording], journal: Journal) -> Iterator[PlannedRecording]:
    """Those that the journal knows, by its numbers. A folder that gets another file while it is compared, or
    between sessions, so changes no other recording's number; that file's turn comes with the next session.
    """
    for one in planned:
        if (number := journal.number_of(one.name)) is not None:
            yield replace(one, number=number)


def _chosen(plan: ComparePlan, base: Path) -> Iterator[CorpusItem]:
    for given in plan.recordings:
        path = base / given
        for item in read_corpus([path]):
            if not is_corpus(path):
                if plan.split is not None:
                    raise WrongUse(f"--split chooses among a corpus' recordings, and {path} is none.")
                yield CorpusItem(item.path, item.reference, plan.language, item.corpus)
            elif plan.split in (None, item.split) and plan.language in (None, item.language):
                yield item


def read_recordings(
    plan: ComparePlan, base: Path, journal: Journal, cancel: CancelToken, tell: Callable[[str], None]
) -> int:
    """Read every recording that the journal does not know yet, so that the number of cells is known and what
    is refused is told before anything is decoded; the number of windows.

    Raises:
        WrongUse: no recording is left to compare.
        UserError: a corpus cannot be read, or the journal not be written.
        Cancelled: cancelled meanwhile.
    """
    windows = 0
    present: list[str] = []
    for planned in planned_recordings(plan, base):
        known = journal.recordings.get(planned.name)
        if known is None:
            cancel.check()
            tell(f"read recording {planned.number}, {shown_name(planned.item.path)}")
            known = _read(planned, cancel)
            journal.note(known)
        windows += known.windows
        present.append(planned.name)
    journal.expect(present)
    if not windows:
        problem = next((read.problem for read in journal.present() if read.problem), None)
        raise (
            InputRefused(problem)
            if problem is not None
            else WrongUse(
                "No recording with speech is left to compare; check the files, --split and --language."
            )
        )
    return windows


def _read(planned: PlannedRecording, cancel: CancelToken) -> RecordingRead:
    try:
        with open_recording(planned.item.path) as recording:
            windows = sum(window.speech for window in recording.windows(cancelled=cancel))
    except InputRefused as error:
        return RecordingRead(recording=planned.name, windows=0, problem=error.message)
    cancel.check()
    return RecordingRead(recording=planned.name, windows=windows)
