"""The comparison that runs, and the one that is looked at."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from as2d.app.operations.draining import Drain
from as2d.app.operations.operation import Operation, Operations
from as2d.app.translation import tr
from as2d.app.viewmodels.stacked import StackedModel
from as2d.backend.errors import UserError, WrongUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from as2d.backend.compare.judging.judgement import Judgement
    from as2d.backend.compare.plan import ComparePlan
    from as2d.backend.compare.running.service import PlanProgress, PlanReport
    from as2d.backend.protocol.lines import RecordedEvent
    from as2d.backend.runs.store import StoredRun

_TICK_MS = 30


@dataclass
class Comparison:
    """What is looked at: a plan in its folder, or recorded runs (then both are null). `complete`: no cell of
    the plan is left to be run.
    """

    plan: ComparePlan | None = None
    folder: Path | None = None
    runs: Sequence[StoredRun] = ()
    judgement: Judgement | None = None
    complete: bool = False


class Comparisons(QObject):
    """Runs at most one plan at a time. `progressed` tells how far each device is; `judged` that there is a
    judgement to show, and whether it was asked for (False: a plan has ended). `reading_changed`: whether the
    folder of a comparison is being read, which holds it as running does.
    """

    progressed = Signal()
    running_changed = Signal(bool)
    shown_changed = Signal()
    judged = Signal(bool)
    reading_changed = Signal()
    stop_asked = Signal()
    failed = Signal(str)
    noted = Signal(str)
    recorded = Signal()
    _told = Signal(object)

    def __init__(self, operations: Operations, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._operations = operations
        self.shown = Comparison()
        self.strips = StackedModel()
        self.progress: dict[str, PlanProgress] = {}
        self._operation: Operation | None = None
        self._reading: set[Operation] = set()
        self._failed = False
        self._events: Drain[tuple[str, RecordedEvent]] | None = None
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self._drain)
        self._told.connect(self._take_progress)

    @property
    def running(self) -> bool:
        """Whether a plan is being run."""
        return self._operation is not None

    @property
    def stopping(self) -> bool:
        """Whether the plan that is being run was told to end, and has not ended yet."""
        return self._operation is not None and self._operation.ending

    @property
    def reading(self) -> bool:
        """Whether a comparison is being opened or judged; none can be run until then."""
        return bool(self._reading)

    @property
    def done_of_total(self) -> tuple[int, int]:
        """How many cells are done, and of how many; 0 of 0: not known yet."""
        return max(((own.done, own.total) for own in self.progress.values()), default=(0, 0))

    def start(self, plan: ComparePlan, folder: Path) -> None:
        """Run what is left of a plan."""
        if self.running or self.reading:
            return
        self.progress = {}
        self._failed = False
        events: Drain[tuple[str, RecordedEvent]] = Drain(self._feed, self.failed.emit)
        self._events = events

        def work(operation: Operation) -> object:
            from as2d.backend.compare.running.service import run_plan

            return run_plan(
                plan,
                folder,
                [lambda device, event: events.put((device, event))],
                operation.cancel,
                self._tell,
            )

        self._operation = Operation(tr("Comparing"), work)
        self._operation.succeeded.connect(self._tell_report)
        self._operation.failed.connect(self._run_failed)
        self._operation.ended.connect(self._ended)
        self._show(Comparison(plan, folder))  # as one that is being run: its timelines follow it
        self._operations.start(self._operation)
        self._timer.start()
        self.running_changed.emit(True)

    def stop(self) -> None:
        """End it; it goes on when it is started again."""
        if self._operation is not None:
            self._operation.cancel.cancel()
            self.stop_asked.emit()  # what the helper does has still to end

    def open_folder(self, folder: Path) -> None:
        """Look at the comparison in a folder."""

        def work(operation: Operation) -> Comparison:
            from as2d.backend.compare.running.how_far import how_far
            from as2d.backend.compare.running.service import open_comparison

            plan, runs = open_comparison(folder)
            done, cells = how_far(folder, plan)
            return Comparison(plan, folder, runs, _judged_if_any(runs, operation), complete=0 < cells <= done)

        self._look(Operation(tr("Opening the comparison"), work, can_be_cancelled=True))

    def open_runs(self, names: Sequence[str]) -> None:
        """Hold recorded runs side by side, the first as the reference."""

        def work(operation: Operation) -> Comparison:
            from as2d.backend.paths import runs_dir
            from as2d.backend.runs.store import RunStore

            store = RunStore(runs_dir())
            runs = [store.find(name) for name in names]
            return Comparison(None, None, runs, _judged(runs, operation))

        self._look(Operation(tr("Comparing the runs"), work, can_be_cancelled=True))

    def _look(self, operation: Operation) -> None:
        operation.succeeded.connect(self._opened)
        operation.failed.connect(self._tell_failure)
        self._read(operation)

    def _read(self, operation: Operation) -> None:
        """Begin an operation during which no plan may be run."""
        if self._operations.closed:
            return
        self._reading.add(operation)
        operation.ended.connect(lambda: self._has_read(operation))
        self._operations.start(operation)
        self.reading_changed.emit()

    def _has_read(self, operation: Operation) -> None:
        self._reading.discard(operation)
        self.reading_changed.emit()

    def _opened(self, found: object) -> None:
        if not isinstance(found, Comparison):
            return
        if self.running:
            self.noted.emit(tr("A comparison is being run; open another when it has ended."))
            return
        self._show(found)
        self._read_strips(found.runs)

    def _show(self, comparison: Comparison) -> None:
        self.shown = comparison
        self.strips = StackedModel(_order_of(comparison.plan))
        self.shown_changed.emit()
        if comparison.judgement is not None:
            self.judged.emit(True)

    def _read_strips(self, runs: Sequence[StoredRun]) -> None:
        """The timelines of recorded runs are read beside the window."""
        order = _order_of(self.shown.plan)
        of_a_plan = self.shown.plan is not None  # its runs on a device are sessions of the same arms

        def work(operation: Operation) -> StackedModel:
            model = StackedModel(order)
            for run in runs:
                name = run.manifest.device.name if of_a_plan else _name_of(run)
                for event in run.stream():
                    operation.cancel.check()
                    model.feed(run.manifest.run, [event], name)
            return model

        def take(model: object) -> None:
            if isinstance(model, StackedModel) and self.shown.runs is runs:
                self.strips = model
                self.shown_changed.emit()

        operation = Operation(tr("Reading the timelines"), work, can_be_cancelled=True)
        operation.succeeded.connect(take)
        operation.failed.connect(self._tell_failure)
        self._operations.start(operation)

    def _drain(self) -> None:
        if self._events is not None:
            self._events.some()

    def _feed(self, told: tuple[str, RecordedEvent]) -> None:
        device, event = told
        self.strips.feed(device, [event])

    def _tell(self, progress: PlanProgress) -> None:
        """From any thread."""
        with contextlib.suppress(RuntimeError):  # the window is gone already
            self._told.emit(progress)

    def _take_progress(self, progress: PlanProgress) -> None:
        if progress.device:
            self.progress.pop("", None)  # what was read before any device began
        self.progress[progress.device] = progress
        self.progressed.emit()

    def _tell_report(self, found: object) -> None:
        report: PlanReport = found  # type: ignore[assignment]
        self.shown.complete = report.done >= report.cells
        for error in (*report.refused, *report.failures.values()):
            self.failed.emit(error.message)
        for cell in report.given_up:
            self.failed.emit(cell.problem or "")

    def _tell_failure(self, error: object) -> None:
        self.failed.emit(error.message if isinstance(error, UserError) else str(error))

    def _run_failed(self, error: object) -> None:
        self._failed = True
        self._tell_failure(error)

    def _judging_failed(self, error: object) -> None:
        if not self._failed:  # else it was told already why there is nothing to judge
            self._tell_failure(error)

    def _ended(self) -> None:
        if self._events is not None:
            self._events.all()
        self._timer.stop()
        self._operation = None
        self._judge_what_is_there()
        self.running_changed.emit(False)
        self.recorded.emit()

    def _judge_what_is_there(self) -> None:
        comparison = self.shown
        folder = comparison.folder
        if folder is None:
            return

        def work(operation: Operation) -> object:
            from as2d.backend.compare.running.service import open_comparison

            _, runs = open_comparison(folder)
            return runs, _judged_if_any(runs, operation)

        def take(found: object) -> None:
            if self.shown is comparison and isinstance(found, tuple):
                comparison.runs, comparison.judgement = found
                if comparison.judgement is not None:
                    self.judged.emit(False)

        operation = Operation(tr("Judging the comparison"), work, can_be_cancelled=True)
        operation.succeeded.connect(take)
        operation.failed.connect(self._judging_failed)
        self._read(operation)


def _order_of(plan: ComparePlan | None) -> list[str]:
    """The arms of a plan as it has them, without their threads, which are each device's own."""
    if plan is None:
        return []
    try:
        return [arm.label.partition(" (")[0] for arm in plan.arms()]
    except UserError:  # running it tells why there are none
        return []


def _judged_if_any(runs: Sequence[StoredRun], operation: Operation) -> Judgement | None:
    try:
        return _judged(runs, operation)
    except WrongUse:  # it was stopped before two methods had decoded anything
        return None


def _judged(runs: Sequence[StoredRun], operation: Operation) -> Judgement:
    from as2d.backend.compare.judging.judge import judge

    return judge(runs, operation.cancel)


def _name_of(run: StoredRun) -> str:
    from as2d.backend.runs.labels import read_labels

    return read_labels(run.folder).name or run.manifest.run
