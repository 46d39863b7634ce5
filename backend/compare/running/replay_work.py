"""A cost profile's part of a comparison by replay: traced windows on a virtual clock, recorded as runs."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import as2d
from as2d.backend.bench.arms import Arm, ArmThreads
from as2d.backend.bench.decodes import Decode
from as2d.backend.calibration.cost_profile import CostProfile, read_profile
from as2d.backend.compare.running.cells import Cell, cells_a_window, cells_of_window, recording_key
from as2d.backend.compare.running.described import of_plan, plan_settings
from as2d.backend.compare.running.journal import CellDone, RunBegun
from as2d.backend.compare.running.planned import PlannedRecording, noted_recordings
from as2d.backend.compare.running.recorded_cells import done_cell
from as2d.backend.compare.running.replay_events import ReplayStream, Texts
from as2d.backend.compare.running.shared import REQUESTS_A_RUN, Surroundings
from as2d.backend.compare.running.traced import TraceIndex, traced_recordings
from as2d.backend.errors import UserError, WrongUse
from as2d.backend.helper.child_channel import start_child_helper
from as2d.backend.models.progress import Cancelled
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import helper_path, runs_dir
from as2d.backend.protocol.events import Hello
from as2d.backend.protocol.host_events import RunStatus
from as2d.backend.protocol.message import PROTOCOL_VERSION
from as2d.backend.replay.messages import trace_message
from as2d.backend.replay.service import TracedWindow, Traces, replay
from as2d.backend.replay.trace_file import TraceLine, TracePlace
from as2d.backend.runs.manifest import (
    Device,
    ModelUsed,
    RecordingUsed,
    ReplayUsed,
    RunManifest,
    Versions,
    shown_path,
)
from as2d.backend.runs.store import RunStore, new_run_id, utc_text
from as2d.backend.transcribe.methods import check_known
from as2d.backend.transcribe.resolve import resolve_model
from as2d.backend.transcribe.run_log import Observer, RunLog


@dataclass(frozen=True)
class WindowToReplay:
    """A traced window and the cells of it that are left; `key` is its name in the stream. Of its trace `line`
    holds what is recorded, and `message` all as the helper reads it.
    """

    planned: PlannedRecording
    index: int
    place: TracePlace
    line: TraceLine
    cells: Sequence[Cell]
    key: str
    message: bytes

    @classmethod
    def of(
        cls,
        planned: PlannedRecording,
        index: int,
        place: TracePlace,
        line: TraceLine,
        cells: Sequence[Cell],
    ) -> WindowToReplay:
        """A window by its trace."""
        key = f"a{planned.number}.w{index + 1}"
        # As Python's objects what the drafter says takes many times the room of the line.
        kept = line.model_copy(update={"own": (), "continuations": (), "margins": ()})
        return cls(planned, index, place, kept, cells, key, trace_message(line, key))


@dataclass
class ReplayWork:
    """One cost profile's part. `refused` as in `DeviceWork`; `_windows`: how many each recording has, by its
    number.
    """

    around: Surroundings
    name: str
    traces: TraceIndex
    observers: Sequence[Observer]
    refused: list[UserError] = field(default_factory=list)
    _windows: dict[int, int] = field(default_factory=dict, init=False)

    def run(self) -> None:
        """Replay every cell that is left, some hundred windows at a time.

        Raises:
            UserError: that is impossible; what is done is in the journal.
            Cancelled: the end was asked for.
        """
        plan, cancel = self.around.plan, self.around.cancel
        self.around.tell("preparing", "read the cost profile")
        self._costs = read_profile(self.around.base / self.name)
        if (self._costs.target, self._costs.drafter) != (self.traces.target, self.traces.drafter):
            raise WrongUse(
                f"The cost profile {self.name} is of other models than the traces; measure theirs with "
                "`as2d calibrate`."
            )
        self._target = _model(plan.targets[0], self.traces.target, self.around)
        self._drafter = ModelUsed(name=plan.drafters[0], digest=self.traces.drafter)
        self._arms = plan.arms(ArmThreads.of_profile(self._costs))
        with start_child_helper(helper_path()) as helper:
            self._hello = helper.hello
        for arm in self._arms:
            check_known(arm.method, self._hello.methods)
        self._texts = Texts(self._target)
        chunk: list[WindowToReplay] = []
        for window in self._left():
            cancel.check()
            chunk.append(window)
            if len(chunk) * len(self._arms) >= REQUESTS_A_RUN:
                self._chunk(chunk)
                chunk.clear()
        if chunk:
            self._chunk(chunk)

    def end_soon(self) -> None:
        """From any thread, after a cancellation: it ends by itself with the next answer."""

    def _left(self) -> Iterable[WindowToReplay]:
        around, target = self.around, self.around.plan.targets[0]
        each = cells_a_window(around.plan)
        for one, traced in traced_recordings(around.plan, around.base, self.traces):
            planned = next(noted_recordings([one], around.journal), None)
            if planned is None:
                continue
            done = around.journal.done_of(recording_key(self.name, target, planned.name))
            if traced is None or done >= each * self.traces.count(traced):
                continue
            self._windows[planned.number] = self.traces.count(traced)
            for index, (place, line) in enumerate(self.traces.windows(traced)):
                cells = cells_of_window(around.plan, self._arms, self.name, target, planned.name, index)
                left = [cell for cell in cells if not around.journal.is_done(cell.key)]
                if left:
                    yield WindowToReplay.of(planned, index, place, line, left)

    def _chunk(self, windows: Sequence[WindowToReplay]) -> None:
        """Replay some windows into a run of their own."""
        around = self.around
        around.tell("decoding", "")
        traces = Traces(
            [TracedWindow.of(window.key, window.line) for window in windows],
            [window.message for window in windows],
            [window.place for window in windows],
            0,
        )
        replayed = replay(
            helper_path(), traces, self._target, self._costs, self._arms, _ignore, around.cancel
        )
        decodes = {
            (decode.window, arm): decode for arm, of_arm in replayed.decodes.items() for decode in of_arm
        }
        self._record(windows, decodes)

    def _record(self, windows: Sequence[WindowToReplay], decodes: dict[tuple[str, Arm], Decode]) -> None:
        manifest = self._manifest(windows)
        run = RunStore(runs_dir()).create(manifest)
        log = RunLog(self.observers)
        log.record_into(run.recorder)
        status: RunStatus = "interrupted"
        try:
            self.around.journal.note(RunBegun(run=manifest.run))
            stream = ReplayStream(log, self.around.plan, self._texts)
            done: list[CellDone] = []
            for window in windows:
                self.around.cancel.check()
                stream.window(window.planned, window.key, window.index, window.line)
                for cell in window.cells:
                    result = stream.decode(window.key, window.line, cell, decodes[window.key, cell.arm])
                    done.append(done_cell(cell.key, manifest.run, result))
                if window.index + 1 == self._windows[window.planned.number]:
                    stream.end_of_recording(window.planned, window.line.end_s)
            run.recorder.settle()
            self.around.journal.note(*done)
            self.around.tell("decoding", "")
            status = "done"
        except Cancelled:
            status = "cancelled"
            raise
        finally:
            run.finish(status, log.fold)

    def _manifest(self, windows: Sequence[WindowToReplay]) -> RunManifest:
        now, costs, plan = datetime.now(UTC), self._costs, self.around.plan
        planned = {window.planned.number: window.planned for window in windows}.values()
        manifest = RunManifest(
            run=new_run_id(now),
            created=utc_text(now),
            command="compare",
            versions=Versions(
                as2d=as2d.__version__,
                protocol=PROTOCOL_VERSION,
                helper=self._hello.build,
                mnn=self._hello.mnn,
                python=platform.python_version(),
            ),
            device=_device(costs, self._hello),
            target=ModelUsed(name=plan.targets[0], digest=self.traces.target),
            drafter=self._drafter,
            settings=plan_settings(plan, self._arms),
            recordings=tuple(
                RecordingUsed(
                    recording=f"a{one.number}",
                    audio=shown_path(one.item.path),
                    corpus=one.item.corpus,
                    reference=one.item.reference,
                    language=one.item.language,
                )
                for one in planned
            ),
            status="running",
        )
        used = of_plan(manifest, plan, self.around.journal.comparison, self._arms, ())
        return used.model_copy(update={"replayed": ReplayUsed(device=costs.device, measured=costs.measured)})


def _ignore(done: int, total: int) -> None:
    """The progress of a part: the journal tells it."""


def _model(name: str, digest: str, around: Surroundings) -> InstalledModel:
    model = resolve_model(name, "target", None, around.cancel)
    if model.digest != digest:
        raise WrongUse(f"The traces are not of the target {name}; name theirs with --targets.")
    return model


def _device(costs: CostProfile, hello: Hello) -> Device:
    return Device(
        name=f"replay of {costs.device}",
        kind="this computer",
        system="virtual clock",
        cpu=costs.cpu,
        arch=hello.cpu.arch,
        cores=costs.cores,
        features=(),
    )
