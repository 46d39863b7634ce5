"""A recorded run, read into the same state that it had live."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from as2d.app.translation import tr
from as2d.app.viewmodels.kept_comparison import KeptComparison, comparison_of
from as2d.app.viewmodels.run import RunViewModel
from as2d.app.viewmodels.sustained import LongRunModel
from as2d.backend.paths import runs_dir
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.runs.manifest import RunManifest
from as2d.backend.runs.recording_files import recording_file
from as2d.backend.runs.store import RunStore
from as2d.backend.sustained.service import LONG_RUN
from as2d.backend.transcribe.cancel import CancelToken

_BLOCK = 500


class _Work(Protocol):
    cancel: CancelToken

    def report(self, stage: str, done: int, total: int) -> None: ...


@dataclass(frozen=True)
class StoredRunView:
    """The state of a recorded run; `problem`: why its stream is not whole; `sounds`: files of its recordings
    that can be heard, by their ids.
    """

    manifest: RunManifest
    folder: Path
    run: RunViewModel
    problem: str | None
    sounds: dict[str, Path]


def read_any_run(name: Path, work: _Work) -> StoredRunView | LongRunModel | KeptComparison:
    """Read a run by its folder, on any thread; a long run into what its tab shows. Of a run that is a part of
    a comparison only tell which one: it is shown with all of its runs.

    Raises:
        UserError: there is none, or it cannot be read.
        Cancelled: cancelled meanwhile.
    """
    store = RunStore(runs_dir())
    stored = store.find(str(name))
    if stored.manifest.command != LONG_RUN:
        return comparison_of(stored, store) or read_stored_run(name, work)
    minutes = stored.manifest.settings.get("minutes")
    model = LongRunModel(float(minutes) if isinstance(minutes, int | float) else 0.0)
    model.calibrate(stored.manifest.device.battery_current)
    for count, event in enumerate(stored.stream()):
        if count % _BLOCK == 0:
            work.cancel.check()
            work.report(tr("{n} events", n=count), 0, 0)
        model.feed([event])
    if not model.ended and stored.manifest.status != "running":
        model.interrupt()  # its program ended before it could say so
    return model


def read_stored_run(name: Path, work: _Work) -> StoredRunView:
    """Read a run by its folder, on any thread.

    Raises:
        UserError: there is none, or it cannot be read.
        Cancelled: cancelled meanwhile.
    """
    stored = RunStore(runs_dir()).find(str(name))
    stream = stored.stream()
    run = RunViewModel(stored.folder)
    run.timeline.calibrate(stored.manifest.device.battery_current)
    block: list[RecordedEvent] = []
    count = 0
    for event in stream:
        block.append(event)
        if len(block) == _BLOCK:
            work.cancel.check()
            run.feed(block)
            count += len(block)
            work.report(tr("{n} events", n=count), 0, 0)
            block.clear()
    run.feed(block)
    problem = None
    if not stream.complete:
        problem = tr(
            "The record of run {run} is not complete: {problem}.",
            run=stored.manifest.run,
            problem=stream.problem,
        )
    files = {name: recording_file(stored, name) for name in run.fold.recordings}
    sounds = {name: path for name, path in files.items() if path is not None}
    return StoredRunView(stored.manifest, stored.folder, run, problem, sounds)
