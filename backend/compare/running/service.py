"""Runs a plan, on all its devices at once, and goes on where it was ended."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from as2d.backend.compare.plan import ComparePlan, read_plan, write_plan
from as2d.backend.compare.running.cells import cells_a_window, count_cells, recording_key, recording_of
from as2d.backend.compare.running.device_work import DeviceWork
from as2d.backend.compare.running.journal import CellDone, Journal
from as2d.backend.compare.running.planned import read_recordings
from as2d.backend.compare.running.recorded_cells import cells_of_run
from as2d.backend.compare.running.replay_work import ReplayWork
from as2d.backend.compare.running.shared import PlanProgress, PlanState, Surroundings
from as2d.backend.compare.running.traced import TraceIndex, note_traced
from as2d.backend.devices.available import open_device
from as2d.backend.devices.device import Device
from as2d.backend.errors import InputRefused, UserError, WrongUse
from as2d.backend.models.progress import Cancelled
from as2d.backend.paths import runs_dir
from as2d.backend.protocol.lines import RecordedEvent
from as2d.backend.runs.store import RunStore, StoredRun
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.outcome import unexpected

__all__ = ["PLAN_NAME", "GoesOn", "PlanObserver", "PlanProgress", "PlanReport", "open_comparison", "run_plan"]

PLAN_NAME = "plan.toml"

PlanObserver = Callable[[str, RecordedEvent], None]
"""Called with a device's name as in the plan and each of its events, on any thread; must return at once."""


@dataclass
class PlanReport:
    """What became of a plan. `runs` in order, those of earlier sessions included; `done` of `cells` need not
    be run again, `given_up` are those of them that could not be decoded. `refused`: recordings that cannot be
    read. `failures`: what ended a device's part, which goes on when the plan is run again. `checked` decodes
    were held against target-only's of their window, `differing` are the cells whose tokens are others.
    """

    runs: list[StoredRun] = field(default_factory=list)
    cells: int = 0
    done: int = 0
    refused: list[UserError] = field(default_factory=list)
    given_up: list[CellDone] = field(default_factory=list)
    failures: dict[str, UserError] = field(default_factory=dict)
    checked: int = 0
    differing: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class GoesOn:
    """Where an earlier session ended: so many windows were decoded by every arm, and so many cells done."""

    windows: int
    all_windows: int
    done: int
    cells: int


def run_plan(
    plan: ComparePlan,
    folder: Path,
    observers: Sequence[PlanObserver] = (),
    cancel: CancelToken | None = None,
    progress: Callable[[PlanProgress], None] | None = None,
    *,
    devices: Callable[[str, CancelToken], Device] = open_device,
    goes_on: Callable[[GoesOn], None] = lambda _: None,
) -> PlanReport:
    """Run what is left of a plan whose journal is in `folder`; `devices` opens those that it names. `goes_on`
    is called before a plan goes on that an earlier session has begun to decode.

    Raises:
        UserError: nothing can be run: the folder is of another plan or cannot be written, or no recording can
            be read.
        Cancelled, KeyboardInterrupt: the end was asked for; the next call goes on with the next cell.
    """
    cancel = cancel or CancelToken()
    store = RunStore(runs_dir())
    with Journal(folder, plan, lambda run: cells_of_run(store, run)) as journal:
        write_plan(folder / PLAN_NAME, plan)
        running = _Running(plan, folder, journal, cancel, progress)
        running.read()
        if (begun := running.begun()) is not None:
            goes_on(begun)
        running.work(observers, devices)
        return running.report(store)


def open_comparison(folder: Path) -> tuple[ComparePlan, list[StoredRun]]:
    """The plan and the recorded runs in a comparison's folder, in order; nothing is run.

    Raises:
        InputRefused: it holds no comparison.
    """
    plan = read_plan(folder / PLAN_NAME)
    store = RunStore(runs_dir())
    with Journal(folder, plan, lambda run: cells_of_run(store, run)) as journal:
        return plan, _runs(store, journal)


class _Running:
    """One call of `run_plan`."""

    def __init__(
        self,
        plan: ComparePlan,
        folder: Path,
        journal: Journal,
        cancel: CancelToken,
        progress: Callable[[PlanProgress], None] | None,
    ) -> None:
        self._plan = plan
        self._folder = folder
        self._journal = journal
        self._cancel = cancel
        self._progress = progress
        self._total = 0
        self._windows = 0
        self._traces: TraceIndex | None = None
        self._works: list[DeviceWork | ReplayWork] = []
        self._devices: set[str] = set()
        self._failures: dict[str, UserError] = {}
        self._lock = threading.Lock()

    def read(self) -> None:
        """Read the recordings that are not known yet."""
        if (replayed := self._plan.replay) is not None:
            self._tell("", "reading", "read the traces")
            self._traces = TraceIndex([self._folder / path for path in replayed.traces])
            windows = note_traced(self._plan, self._folder, self._journal, self._traces)
        else:
            windows = read_recordings(
                self._plan,
                self._folder,
                self._journal,
                self._cancel,
                lambda what: self._tell("", "reading", what),
            )
        self._windows = windows * len(self._plan.machines) * len(self._plan.targets)
        self._total = count_cells(self._plan, windows)

    def begun(self) -> GoesOn | None:
        """How far earlier sessions came; None: they decoded nothing, or everything."""
        done, each = self._journal.done, cells_a_window(self._plan)
        if not 0 < done < self._total:
            return None
        whole = sum(self._journal.done_of(key) // each for key in self._keys())
        return GoesOn(whole, self._windows, done, self._total)

    def work(self, observers: Sequence[PlanObserver], devices: Callable[[str, CancelToken], Device]) -> None:
        """Run every device's part, each on a thread of its own."""
        threads = [
            threading.Thread(
                target=self._device, args=(name, observers, devices), name=f"comparing on {name}", daemon=True
            )
            for name in self._plan.machines
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException:  # an interrupt of the main thread
            self._cancel.cancel()
            with self._lock:
                works = list(self._works)
            for work in works:
                work.end_soon()
            for thread in threads:
                thread.join()
            raise
        self._cancel.check()

    def report(self, store: RunStore) -> PlanReport:
        """What became of it."""
        journal = self._journal
        problems = [read.problem for read in journal.present() if read.problem is not None]
        present = self._keys()
        return PlanReport(
            runs=_runs(store, journal),
            cells=self._total,
            done=journal.done,
            refused=[*map(InputRefused, problems), *(e for work in self._works for e in work.refused)],
            given_up=[cell for cell in journal.given_up if recording_of(cell.cell) in present],
            failures=self._failures,
            checked=journal.agreement.checked,
            differing=journal.agreement.differing,
        )

    def _keys(self) -> set[str]:
        """The recordings of this session, on each device and by each target."""
        return {
            recording_key(machine, target, read.recording)
            for read in self._journal.present()
            for machine in self._plan.machines
            for target in self._plan.targets
        }

    def _device(
        self,
        name: str,
        observers: Sequence[PlanObserver],
        devices: Callable[[str, CancelToken], Device],
    ) -> None:
        try:
            around = Surroundings(
                self._plan,
                self._folder,
                self._journal,
                self._cancel,
                lambda state, what: self._tell(name, state, what),
            )
            mine = [lambda event, observer=observer: observer(name, event) for observer in observers]
            work: DeviceWork | ReplayWork
            if self._traces is not None:
                work = ReplayWork(around, name, self._traces, mine)
            else:
                self._tell(name, "preparing", "look for the device")
                work = DeviceWork(around, name, self._only_once(name, devices(name, self._cancel)), mine)
            with self._lock:
                self._works.append(work)
            work.run()
            self._tell(name, "done", "done")
        except Cancelled:
            return
        except UserError as error:
            self._fail(name, error)
        except Exception as surprise:  # noqa: BLE001  (one device's surprise must not stop the others)
            self._fail(name, unexpected(f"Comparing on {name}", surprise))

    def _only_once(self, name: str, device: Device) -> Device:
        with self._lock:
            if device.helper_name in self._devices:
                raise WrongUse(f"The device {name} is named twice in the plan; name it once.")
            self._devices.add(device.helper_name)
        return device

    def _fail(self, name: str, error: UserError) -> None:
        if self._cancel():
            return
        with self._lock:
            self._failures[name] = error
        self._tell(name, "failed", error.message)

    def _tell(self, device: str, state: PlanState, what: str) -> None:
        if self._progress is not None:
            self._progress(PlanProgress(device, state, self._journal.done, self._total, what))


def _runs(store: RunStore, journal: Journal) -> list[StoredRun]:
    """The runs that hold cells and are still there."""
    found = []
    for run in journal.runs:
        try:
            found.append(store.find(run))
        except UserError:  # deleted: its cells are run again
            continue
    return found
