"""A phone as a device that decodes."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from as2d.backend.devices.adb.connection import AdbTarget, TransportLost
from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.adb.pairing import reconnect
from as2d.backend.devices.adb.phone_channel import PhoneChannel
from as2d.backend.devices.adb.phone_jobs import (
    fetch_events,
    job_state,
    remove_job,
    start_job,
    stop_job,
)
from as2d.backend.devices.adb.reports import REPORTS, ReportWatch, read_reports
from as2d.backend.devices.adb.server import AdbServer, ServerRefused
from as2d.backend.devices.adb.shell import run
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.devices.battery_memory import current_of, learn_current
from as2d.backend.devices.device import Description, JobState
from as2d.backend.devices.facts import FACTS_SCRIPT, PhoneFacts, parse_facts
from as2d.backend.devices.phone import Phone, TransportKind
from as2d.backend.devices.placement import Placement, placement
from as2d.backend.devices.remembered import CpuPlacement, RememberedDevices
from as2d.backend.devices.this_computer import USEFUL_THREADS
from as2d.backend.energy.calibration import CurrentCalibration
from as2d.backend.energy.series import BatterySeries
from as2d.backend.energy.spans import Spans
from as2d.backend.errors import HelperFailed, InputRefused
from as2d.backend.models.progress import Progress
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import arm64_helper_path
from as2d.backend.protocol.host_events import HostEvent, PhoneReading
from as2d.backend.transcribe.cancel import CancelToken

AWAY_SECONDS = 1800.0
"""How long a phone whose connection broke is waited for."""

_LOOK_SECONDS = 1.0
_RECONNECT_SECONDS = 5.0
_FACTS_SECONDS = 60.0

T = TypeVar("T")


class PhoneDevice:
    """See `Device`. A phone that goes away is waited for; what was being pushed goes on where it stopped."""

    def __init__(
        self,
        server: AdbServer,
        phone: Phone,
        *,
        cpus: CpuPlacement | None = None,
        away_seconds: float = AWAY_SECONDS,
    ) -> None:
        """`phone` is ready now; `cpus`: the processors that the user chose."""
        self._server = server
        self._phone = phone
        self._cpus = cpus or CpuPlacement()
        self._away_seconds = away_seconds
        self._program = ""
        self._target = server.target(phone.best.target, phone.label)
        self._store: PhoneStore | None = None  # over the connection that there is
        self._lost = False
        self._facts: PhoneFacts | None = None

    @property
    def helper_name(self) -> str:
        """See `Device.helper_name`."""
        return f"helper on {self._phone.label}"

    def make_ready(self, progress: Progress, cancel: CancelToken) -> None:
        """See `Device.make_ready`.

        Raises:
            HelperFailed: the helper program for phones is missing.
        """
        helper = arm64_helper_path()
        self._lost |= bool(self._program)  # a helper that ran has ended, as when a cable is pulled
        self._program = self._with_store(
            lambda store: store.place_helper(helper, progress, cancel), progress, cancel
        )
        if self._facts is None:
            self._facts = self._with_store(lambda _: read_facts(self._target, cancel), progress, cancel)

    def describe(self) -> Description:
        """See `Device.describe`."""
        facts = self.facts()
        system = f"Android {facts.android}" if facts.android else "Android"
        return Description(self._phone.label, "phone", system, facts.cpu, facts.cores or 1)

    def facts(self) -> PhoneFacts:
        """See `Device.facts`; call it after `make_ready`."""
        if self._facts is None:
            raise RuntimeError("the phone was not made ready")
        return self._facts

    def placement(self) -> Placement | None:
        """See `Device.placement`; call it after `make_ready`."""
        return placement(
            self.facts().clusters, target_cpus=self._cpus.target, drafter_cpus=self._cpus.drafter
        )

    def open_channel(self) -> PhoneChannel:
        """See `Device.open_channel`."""
        return PhoneChannel(self._target, self._program)

    def place_model(self, model: InstalledModel, progress: Progress, cancel: CancelToken) -> str:
        """See `Device.place_model`."""
        return self._with_store(lambda store: store.place_model(model, progress, cancel), progress, cancel)

    @contextmanager
    def placed_audio(self, wav: Path, progress: Progress, cancel: CancelToken) -> Iterator[str]:
        """See `Device.placed_audio`."""
        path = self.place_file(wav, progress, cancel)
        try:
            yield path
        finally:
            # What stays on a phone that is away is taken away by `as2d phone clean`.
            with contextlib.suppress(TransportLost):
                self.remove_file(path, CancelToken())

    @property
    def id(self) -> str:
        """See `JobDevice.id`."""
        return self._phone.id

    def place_file(self, file: Path, progress: Progress, cancel: CancelToken) -> str:
        """See `JobDevice.place_file`."""
        return self._with_store(lambda store: store.place_file(file, progress, cancel), progress, cancel)

    def remove_file(self, name: str, cancel: CancelToken) -> None:
        """See `JobDevice.remove_file`."""
        (self._store or PhoneStore(self._target)).remove_file(name, cancel)

    def wait_until_back(self, progress: Progress, cancel: CancelToken) -> None:
        """See `JobDevice.wait_until_back`."""
        self._lost = True
        self._with_store(lambda _: None, progress, cancel)

    def start_job(self, job: str, ops: str, lease_seconds: int, cancel: CancelToken) -> None:
        """See `JobDevice.start_job`."""
        start_job(self._target, job, self._program, ops, lease_seconds, cancel)

    def stop_job(self, job: str, cancel: CancelToken) -> None:
        """See `JobDevice.stop_job`."""
        stop_job(self._target, job, cancel)

    def job_state(self, job: str, cancel: CancelToken) -> JobState | None:
        """See `JobDevice.job_state`."""
        return job_state(self._target, job, cancel)

    def fetch_events(self, job: str, into: Path, cancel: CancelToken) -> None:
        """See `JobDevice.fetch_events`."""
        fetch_events(self._target, job, into, cancel)

    def remove_job(self, job: str, cancel: CancelToken) -> None:
        """See `JobDevice.remove_job`."""
        remove_job(self._target, job, cancel)

    def reports(self, cancel: CancelToken) -> PhoneReading:
        """What Android says of battery and temperatures.

        Raises:
            TransportLost: the phone is out of reach.
            Cancelled: cancelled meanwhile.
        """
        return read_reports(self._target, REPORTS, cancel)

    def battery_current(self) -> CurrentCalibration | None:
        """See `Device.battery_current`."""
        try:
            return current_of(RememberedDevices().phone(self.id))
        except InputRefused:  # a damaged record is told where it is written
            return None

    def learn_battery(self, series: BatterySeries, busy: Spans) -> None:
        """See `Device.learn_battery`."""
        learn_current(self.id, series, busy)

    @contextmanager
    def watch_reports(
        self, lacking: Callable[[], frozenset[str]], say: Callable[[HostEvent], None]
    ) -> Iterator[None]:
        """See `Device.watch_reports`."""
        watch = ReportWatch(lambda: self._target, lacking, say)
        try:
            yield
        finally:
            watch.close()

    def default_threads(self) -> int:
        """See `Device.default_threads`."""
        placed = self.placement()
        return placed.threads if placed is not None else min(self.describe().cores, USEFUL_THREADS)

    def default_shared_threads(self, threads: int) -> int:
        """See `Device.default_shared_threads`."""
        placed = self.placement()
        if placed is not None and not set(placed.target_cpus) & set(placed.drafter_cpus):
            return threads
        return threads if self.describe().cores > threads else max(threads - 1, 1)

    def _with_store(self, action: Callable[[PhoneStore], T], progress: Progress, cancel: CancelToken) -> T:
        """Do something with the store; once a lost phone is back, do it again.

        The phone is looked for only after its connection was lost: that asks every phone there is.
        """
        end = time.monotonic() + self._away_seconds
        while True:
            try:
                if self._lost:
                    self._target = self._reach(progress, cancel, end)
                    self._store, self._lost = None, False
                self._store = self._store or PhoneStore(self._target)
                return action(self._store)
            except TransportLost:
                self._lost = True
                if time.monotonic() > end:
                    raise
                _pause(_LOOK_SECONDS, cancel)

    def _reach(self, progress: Progress, cancel: CancelToken, end: float) -> AdbTarget:
        """The way to the phone, which is waited for until `end`."""
        asked_again = time.monotonic()
        while True:
            cancel.check()
            phone = self._look(cancel)
            if phone is not None and phone.ready:
                self._phone = phone
                return self._server.target(phone.best.target, phone.label)
            if time.monotonic() > end:
                state = f"is {phone.state}" if phone is not None else "is not connected"
                raise HelperFailed(
                    f"The phone {self._phone.label} {state} and did not come back within "
                    f"{self._away_seconds / 60:.0f} minutes; connect it and start again."
                )
            progress(f"wait for the phone {self._phone.label}", 0, 0)
            if time.monotonic() > asked_again + _RECONNECT_SECONDS:
                self._ask_again(cancel)
                asked_again = time.monotonic()
            _pause(_LOOK_SECONDS, cancel)

    def _look(self, cancel: CancelToken) -> Phone | None:
        try:
            phones = list_phones(self._server, cancel)
        except HelperFailed:  # another program restarts adb's server
            return None
        return next((phone for phone in phones if phone.id == self._phone.id), None)

    def _ask_again(self, cancel: CancelToken) -> None:
        """Let adb try once more to reach the phone: anew where it is listed, else by its address."""
        serials = [way.serial for way in self._phone.transports]
        with contextlib.suppress(HelperFailed, ServerRefused):  # it is asked again later
            tried = {row.serial for row in reconnect(self._server, serials, cancel)}
            for way in self._phone.transports:
                if way.kind is TransportKind.TCP and way.serial not in tried:
                    self._server.ask(f"host:connect:{way.serial}", cancel=cancel)


def read_facts(target: AdbTarget, cancel: CancelToken) -> PhoneFacts:
    """Ask a phone what it is.

    Raises:
        TransportLost: it is out of reach.
        Cancelled: cancelled meanwhile.
    """
    said = run(target, ["sh", "-c", FACTS_SCRIPT], seconds=_FACTS_SECONDS, cancel=cancel)
    return parse_facts(said.out.decode("utf-8", "replace"))


def _pause(seconds: float, cancel: CancelToken) -> None:
    """Wait, ended by a cancel.

    Raises:
        Cancelled: cancelled.
    """
    woken = threading.Event()
    with cancel.calling(woken.set):
        woken.wait(seconds)
    cancel.check()
