"""This computer as a device."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from as2d.backend.devices.device import Description
from as2d.backend.devices.this_computer import default_shared_threads, default_threads, this_computer
from as2d.backend.energy.series import BatterySeries
from as2d.backend.energy.spans import Spans
from as2d.backend.helper.child_channel import ChildChannel
from as2d.backend.models.progress import Progress
from as2d.backend.models.store import InstalledModel
from as2d.backend.paths import helper_path
from as2d.backend.protocol.host_events import HostEvent
from as2d.backend.transcribe.cancel import CancelToken


class LocalDevice:
    """See `Device`: everything is here already."""

    def __init__(self) -> None:
        """Find the helper program.

        Raises:
            HelperFailed: it is missing.
        """
        self._program = helper_path()

    @property
    def helper_name(self) -> str:
        """See `Device.helper_name`."""
        return f"helper {self._program}"

    def make_ready(self, progress: Progress, cancel: CancelToken) -> None:  # noqa: ARG002  (nothing to bring)
        """See `Device.make_ready`."""
        cancel.check()

    def describe(self) -> Description:
        """See `Device.describe`."""
        computer = this_computer()
        return Description(computer.name, "this computer", computer.system, computer.cpu, computer.cores)

    def open_channel(self) -> ChildChannel:
        """See `Device.open_channel`."""
        return ChildChannel(self._program)

    def place_model(
        self,
        model: InstalledModel,
        progress: Progress,  # noqa: ARG002  (nothing to bring)
        cancel: CancelToken,
    ) -> str:
        """See `Device.place_model`."""
        cancel.check()
        return str(model.path)

    @contextmanager
    def placed_audio(
        self,
        wav: Path,
        progress: Progress,  # noqa: ARG002  (nothing to bring)
        cancel: CancelToken,
    ) -> Iterator[str]:
        """See `Device.placed_audio`."""
        cancel.check()
        yield str(wav)

    def facts(self) -> None:
        """See `Device.facts`."""

    def placement(self) -> None:
        """See `Device.placement`."""

    def battery_current(self) -> None:
        """See `Device.battery_current`."""

    def learn_battery(self, series: BatterySeries, busy: Spans) -> None:
        """See `Device.learn_battery`; computers have no record."""

    def watch_reports(
        self,
        lacking: Callable[[], frozenset[str]],  # noqa: ARG002  (computers have no such reports)
        say: Callable[[HostEvent], None],  # noqa: ARG002
    ) -> AbstractContextManager[None]:
        """See `Device.watch_reports`."""
        return nullcontext()

    def default_threads(self) -> int:
        """See `Device.default_threads`."""
        return default_threads()

    def default_shared_threads(self, threads: int) -> int:
        """See `Device.default_shared_threads`."""
        return default_shared_threads(threads)
