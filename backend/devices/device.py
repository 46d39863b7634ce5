"""What decoding needs of a device, be it this computer or a phone."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from as2d.backend.helper.channel import HelperChannel
from as2d.backend.models.progress import Progress
from as2d.backend.models.store import InstalledModel
from as2d.backend.transcribe.cancel import CancelToken

DeviceKind = Literal["this computer", "phone"]

USEFUL_THREADS = 4
"""A target takes no more threads than this when nothing was said: small models gain little beyond."""


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

    def placed_audio(self, wav: Path, cancel: CancelToken) -> AbstractContextManager[str]:
        """The name on the device of a 16 kHz mono WAV file, which exists there within this block."""

    def default_threads(self) -> int:
        """Threads of a target when nothing was said."""

    def default_shared_threads(self, threads: int) -> int:
        """Threads of a target with `threads` while the drafter runs."""
