"""What decoding needs of a device, be it this computer or a phone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from as2d.backend.devices.facts import PhoneFacts
from as2d.backend.devices.placement import Placement
from as2d.backend.energy.calibration import CurrentCalibration
from as2d.backend.energy.series import BatterySeries
from as2d.backend.energy.spans import Spans
from as2d.backend.helper.channel import HelperChannel
from as2d.backend.models.progress import Progress
from as2d.backend.models.store import InstalledModel
from as2d.backend.protocol.host_events import HostEvent
from as2d.backend.transcribe.cancel import CancelToken

DeviceKind = Literal["this computer", "phone"]


@dataclass(frozen=True)
class Description:
    """What a device is. Measurements that hold for one `cpu` hold for every device with it."""

    name: str
    kind: DeviceKind
    system: str
    cpu: str
    cores: int


class Device(Protocol):
    """A device that can decode. Members that talk to it raise HelperFailed when it fails for good."""

    @property
    def helper_name(self) -> str:
        """Which helper this is, within a sentence: 'helper on …'."""

    def make_ready(self, progress: Progress, cancel: CancelToken) -> None:
        """Bring everything there that the helper program needs, waiting for a device that is away.

        Raises:
            UserError: the device cannot be used, or did not come back in time.
            Cancelled: cancelled meanwhile.
        """

    def describe(self) -> Description:
        """What the device is; call it after `make_ready`."""

    def open_channel(self) -> HelperChannel:
        """Start a helper; see `OpenChannel`."""

    def place_model(self, model: InstalledModel, progress: Progress, cancel: CancelToken) -> str:
        """The folder on the device that holds the model; what is missing there is brought first.

        Raises:
            UserError: that is impossible.
            Cancelled: cancelled meanwhile; what arrived is kept.
        """

    def placed_audio(self, wav: Path, progress: Progress, cancel: CancelToken) -> AbstractContextManager[str]:
        """The name on the device of a 16 kHz mono WAV file, which exists there within this block."""

    def facts(self) -> PhoneFacts | None:
        """What a phone is in detail; null for this computer."""

    def placement(self) -> Placement | None:
        """The processors for target and drafter; null: wherever the system puts them."""

    def battery_current(self) -> CurrentCalibration | None:
        """What is known of the device's battery current; null where nothing is, or there is no battery."""

    def learn_battery(self, series: BatterySeries, busy: Spans) -> None:
        """Learn from the readings of a run what the battery current means, and remember it.

        Raises:
            UserError: it cannot be stored.
        """

    def watch_reports(
        self, lacking: Callable[[], frozenset[str]], say: Callable[[HostEvent], None]
    ) -> AbstractContextManager[object]:
        """Ask the device's system for what its helper cannot read, within this block; see `ReportWatch`."""

    def default_threads(self) -> int:
        """Threads of a target when nothing was said."""

    def default_shared_threads(self, threads: int) -> int:
        """Threads of a target with `threads` while the drafter runs."""


@dataclass(frozen=True)
class JobState:
    """A detached job on its device. `results`: windows that are decoded; `exit_code` null: it runs, or was
    killed. `awake`: the device was kept from sleeping, which few allow.
    """

    running: bool
    results: int
    exit_code: int | None
    awake: bool


class JobDevice(Device, Protocol):
    """A device that can work on its own, without a connection to this computer."""

    @property
    def id(self) -> str:
        """The name that the device keeps, such as a phone's serial number."""

    def place_file(self, file: Path, progress: Progress, cancel: CancelToken) -> str:
        """The name on the device of a copy of a file; raises as `place_model`."""

    def remove_file(self, name: str, cancel: CancelToken) -> None:
        """Delete what `place_file` placed."""

    def wait_until_back(self, progress: Progress, cancel: CancelToken) -> None:
        """Wait for a device whose connection was lost; nothing is brought there.

        Raises:
            UserError: it did not come back in time.
            Cancelled: cancelled meanwhile.
        """

    def stop_job(self, job: str, cancel: CancelToken) -> None:
        """End a job and keep what it has done; one that has ended is no error."""

    def start_job(self, job: str, ops: str, lease_seconds: int, cancel: CancelToken) -> None:
        """Start a helper that works through the ops in a file of the device.

        It goes on without a connection, and ends after the last op or after `lease_seconds` at the latest.
        """

    def job_state(self, job: str, cancel: CancelToken) -> JobState | None:
        """How far a job is, whose lease this renews; None: the device knows no such job."""

    def fetch_events(self, job: str, into: Path, cancel: CancelToken) -> None:
        """Copy the events that a job has written so far into a file."""

    def remove_job(self, job: str, cancel: CancelToken) -> None:
        """End a job and take its files away; one that is gone is no error."""
