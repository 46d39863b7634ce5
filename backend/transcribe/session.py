"""A helper set up for one configuration: models found and loaded, g known, a run being recorded."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from pydantic import JsonValue

import as2d
from as2d.backend.devices.device import Description, Device
from as2d.backend.devices.local import LocalDevice
from as2d.backend.errors import OutOfSpace, UserError
from as2d.backend.helper.endings import ConnectionLost
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import profiles_dir, runs_dir
from as2d.backend.protocol.events import Hello, Loaded, SelfTested
from as2d.backend.protocol.host_events import RunEnded, RunStatus, StepProgress
from as2d.backend.protocol.message import PROTOCOL_VERSION, now_ns
from as2d.backend.protocol.ops import Load, Role
from as2d.backend.runs import manifest
from as2d.backend.runs.manifest import ModelUsed, RecordingUsed, RunManifest, Versions, working_folder
from as2d.backend.runs.store import ActiveRun, RunStore, new_run_id, utc_text
from as2d.backend.transcribe.cancel import CancelToken
from as2d.backend.transcribe.engine import Engine
from as2d.backend.transcribe.exact import require_exact
from as2d.backend.transcribe.loaded_helper import LoadedHelper
from as2d.backend.transcribe.profile import DeviceProfile, GapEntry, GapKey
from as2d.backend.transcribe.resolve import resolve_model
from as2d.backend.transcribe.run_log import RunLog
from as2d.backend.transcribe.sample import SAMPLE_LANGUAGE, sample_wav
from as2d.backend.transcribe.still_busy import still_busy
from as2d.backend.transcribe.threads import DrafterThreads, TargetThreads

MOST_LOSSES = 20
"""How often one step may lose its device."""

T = TypeVar("T")


class Session:
    """An engine, its models and the run that it is recorded in.

    `open` starts the helper; `load_target` and `load_drafter` find, install and load models; `begin_run`
    begins the recorded run; `close` ends it all. Use it in a `try`/`finally`: `close` may be called at any
    point.
    """

    def __init__(self, log: RunLog, cancel: CancelToken, device: Device | None = None) -> None:
        """Without a `device` it is this computer.

        Raises:
            HelperFailed: the helper program for this computer is missing.
        """
        self.log = log
        self.device = device or LocalDevice()
        self.engine = Engine(self.device, log)
        self.profile = DeviceProfile(profiles_dir())
        self.gaps: dict[str, float] = {}
        self._models: dict[str, InstalledModel] = {}
        self.storage_problem: UserError | None = None
        self._cancel = cancel
        self._run: ActiveRun | None = None
        self._watches = ExitStack()
        self._taken_over: dict[str, Load] = {}
        self.manifest: RunManifest | None = None

    @property
    def run_folder(self) -> Path | None:
        """Folder of the recorded run, if there is one."""
        return self._run.folder if self._run is not None else None

    @property
    def hello(self) -> Hello:
        """The helper's first line."""
        return self.engine.hello

    def find_model(self, name: str, role: Role) -> InstalledModel:
        """The model a user named, installed if it was missing; as `resolve_model`."""
        return resolve_model(name, role, self.progress, self._cancel)

    def take_over(self, loaded: LoadedHelper) -> None:
        """Before `open`: use this helper, and load no model again that it has loaded just so."""
        self.engine.take_over(loaded)
        self._taken_over = dict(loaded.loads)

    def open(self) -> None:
        """Start the helper, unless one was taken over.

        Raises:
            UserError: the device cannot be used, or the helper cannot be started.
            Cancelled: cancelled meanwhile.
        """
        self.device.make_ready(self.progress, self._cancel)
        if not self.engine.alive:
            self._start()
        self._watches.enter_context(
            self.device.watch_reports(lambda: self.log.fold.telemetry.lacking(), self.log.host)
        )

    def _start(self) -> None:
        self._taken_over = {}
        self.progress("start the helper", 0, 0)
        try:
            self.engine.start()
        except ConnectionLost:
            self.restart(self._cancel)

    def restart(self, cancel: CancelToken) -> None:
        """Start another helper with the same models, on a device that may have been away meanwhile.

        Raises:
            UserError: the device did not come back, or the helper cannot be started.
            Cancelled: cancelled meanwhile.
        """
        for loss in range(1, MOST_LOSSES + 1):
            self.engine.close()
            self.device.make_ready(self.progress, cancel)
            # A device that was away may have been cleaned meanwhile.
            for name, model in self._models.items():
                self.engine.move(name, self.device.place_model(model, self.progress, cancel))
            try:
                self.engine.restart()
                return
            except ConnectionLost:
                cancel.check()
                if loss == MOST_LOSSES:
                    raise

    @property
    def description(self) -> Description:
        """What the device is."""
        return self.device.describe()

    def load_target(
        self, name: str, model: InstalledModel, threads: TargetThreads, *, exact: bool = True
    ) -> None:
        """Load a target under `name`; where its g is not known on this device it is measured and kept.

        Without `exact` it is not measured: enough for timing single calls, not for decoding.

        Raises:
            UserError: the model cannot be loaded, or the self-test failed.
        """
        key = GapKey(
            helper=self.hello.build,
            model=model.digest,
            threads=threads.alone,
            shared_threads=threads.shared,
            cpu=self.description.cpu,
        )
        known = self.profile.gap(key)
        placed = self.device.placement()
        self._load(
            Load(
                model=name,
                path=str(model.path),
                role="target",
                threads=threads.alone,
                shared_threads=threads.shared,
                logit_gap=known.logit_gap if known is not None else None,
                cpus=placed.target_cpus if placed is not None else None,
            ),
            model,
        )
        if known is None and not exact:
            return
        if known is None:
            self._cancel.check()
            tested = self._self_test(name, f"self-test of {model.name} (once on this device)")
            known = GapEntry(
                key=key,
                logit_gap=tested.logit_gap,
                positions=tested.positions,
                measured=utc_text(datetime.now(UTC)),
            )
            self.storage_problem = self.profile.store(known) or self.storage_problem
        require_exact(model.manifest, known.logit_gap)
        self.gaps[name] = known.logit_gap

    def load_drafter(self, name: str, model: InstalledModel, threads: DrafterThreads | None = None) -> None:
        """Load a drafter under `name`; without `threads` it takes one beside the target."""
        threads = threads or DrafterThreads(self.device.default_threads())
        placed = self.device.placement()
        self._load(
            Load(
                model=name,
                path=str(model.path),
                role="drafter",
                threads=threads.waited_for,
                shared_threads=threads.shared,
                cpus=placed.drafter_cpus if placed is not None else None,
            ),
            model,
        )

    def describe_run(
        self,
        command: str,
        target: InstalledModel,
        drafter: InstalledModel | None,
        settings: dict[str, JsonValue],
        recordings: Sequence[RecordingUsed],
    ) -> RunManifest:
        """The manifest of a run that begins now."""
        now = datetime.now(UTC)
        device = self.description
        return RunManifest(
            run=new_run_id(now),
            created=utc_text(now),
            command=command,
            versions=Versions(
                as2d=as2d.__version__,
                protocol=PROTOCOL_VERSION,
                helper=self.hello.build,
                mnn=self.hello.mnn,
                python=platform.python_version(),
            ),
            device=manifest.Device(
                name=device.name,
                kind=device.kind,
                system=device.system,
                cpu=device.cpu,
                arch=self.hello.cpu.arch,
                cores=device.cores,
                features=self.hello.cpu.features,
                facts=self.device.facts(),
                placement=self.device.placement(),
                battery_current=self.device.battery_current(),
            ),
            target=ModelUsed(name=target.name, digest=target.digest),
            drafter=ModelUsed(name=drafter.name, digest=drafter.digest) if drafter is not None else None,
            settings=settings,
            recordings=tuple(recordings),
            status="running",
            started_in=working_folder(),
        )

    def begin_run(self, manifest: RunManifest) -> None:
        """Begin to record. A full disk is kept in `storage_problem` and decoding goes on unrecorded.

        Raises:
            InputRefused: the runs folder cannot be written.
        """
        self.manifest = manifest
        try:
            self._run = RunStore(runs_dir()).create(manifest)
        except OutOfSpace as error:
            self.storage_problem = error
        self.log.record_into(self._run.recorder if self._run is not None else None)

    @property
    def run(self) -> ActiveRun:
        """The run that is recorded.

        Raises:
            UserError: it could not be begun.
        """
        if self._run is None:
            raise self.storage_problem or RuntimeError("no run was begun")
        return self._run

    def use(self, recording: RecordingUsed) -> None:
        """Let the manifest tell of a recording that came after the run began, before it is decoded: a run
        that is killed then knows it too. A manifest that cannot be written is kept in `storage_problem`.
        """
        if self._run is None or recording in self._run.manifest.recordings:
            return
        try:
            self._run.use(recording)
        except UserError as error:
            self.storage_problem = error
        self.manifest = self._run.manifest

    def next_run(self, manifest: RunManifest) -> None:
        """End the run in order and begin another with the same helper and models, which go on.

        Raises:
            UserError: the one cannot be ended or the other not be begun.
        """
        ended, fold = self.run, self.log.fold
        following = RunStore(runs_dir()).create(manifest)
        self.log.turn_over(following.recorder)
        self._run, self.manifest = following, manifest
        ended.finish("done", fold)
        self.device.learn_battery(fold.telemetry.battery, fold.busy)

    def close(self, status: RunStatus, message: str | None = None) -> None:
        """End the helper and the run; a run that could not be written is told in `storage_problem`."""
        self._watches.close()
        try:
            self.engine.close()
        finally:
            if self._run is not None:
                try:
                    self._run.finish(status, self.log.fold, message, self.log.ended)
                    self.device.learn_battery(self.log.fold.telemetry.battery, self.log.fold.busy)
                except UserError as error:
                    self.storage_problem = error
                self.manifest = self._run.manifest
            else:
                self.log.ended(RunEnded(t=now_ns(), status=status))

    def _load(self, load: Load, model: InstalledModel) -> None:
        def place_and_load() -> Loaded:
            # Each time: a device that was lost over it may have been cleaned meanwhile.
            path = self.device.place_model(model, self.progress, self._cancel)
            self.progress(f"load {model.name}", 0, 0)
            return self.engine.load(load.model_copy(update={"path": path}))

        if self._taken_over.pop(load.model, None) != load:
            self._despite_losses(place_and_load)
        self._models[load.model] = model

    def _self_test(self, name: str, step: str) -> SelfTested:
        with sample_wav() as wav, ExitStack() as placed:

            def test() -> SelfTested:
                sample = placed.enter_context(self.device.placed_audio(wav, self.progress, self._cancel))
                self.progress(step, 0, 0)
                # It takes minutes on a slow device, and the helper does not tell how far it is.
                with still_busy(lambda took: self.progress(f"{step}, {took} so far", 0, 0)):
                    return self.engine.self_test(name, sample, SAMPLE_LANGUAGE)

            return self._despite_losses(test)

    def _despite_losses(self, action: Callable[[], T]) -> T:
        """Do something with the helper, and once more with another one after each loss of the device."""
        for _ in range(MOST_LOSSES - 1):
            with suppress(ConnectionLost):
                return action()
            self.restart(self._cancel)
        return action()

    def progress(self, stage: str, done: int, total: int) -> None:
        """Say how far a step before decoding is, as `StepProgress`."""
        self.log.host(StepProgress(t=now_ns(), step=stage, done=done, total=total))
