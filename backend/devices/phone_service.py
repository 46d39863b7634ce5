"""What can be done with a phone besides decoding, for whoever must know nothing of how phones are reached."""

from __future__ import annotations

from collections.abc import Sequence

from as2d.backend.devices.adb.address import ServerAddress
from as2d.backend.devices.adb.cleaning import Cleaned, Contents
from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.phone_device import PhoneDevice, read_facts
from as2d.backend.devices.adb.reports import REPORTS, read_reports
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.adb.store import PhoneStore
from as2d.backend.devices.choosing import choose_device
from as2d.backend.devices.facts import PhoneFacts
from as2d.backend.devices.phone import Phone
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.devices.wireless import (
    PairedPhone,
    Tried,
    connect_phone,
    disconnect_phones,
    pair_phone,
    reconnect_phones,
)
from as2d.backend.errors import HelperFailed
from as2d.backend.jobs.cleaning import clean_everything
from as2d.backend.models.progress import Progress
from as2d.backend.models.store import ModelStore
from as2d.backend.paths import arm64_helper_path, models_dir
from as2d.backend.protocol.host_events import PhoneReading
from as2d.backend.transcribe.cancel import CancelToken

__all__ = ["Cleaned", "Contents", "PairedPhone", "PhoneService", "Tried"]


class PhoneService:
    """The phones behind the adb server that the environment names, else this computer's.

    Phones are named as in `choose_device`. All members may be called on any thread, and raise UserError where
    the phone or the server is out of reach, and Cancelled when `cancel` was.
    """

    def __init__(self, address: ServerAddress | None = None) -> None:
        """Talk to the server at `address`; by default where the environment says.

        Raises:
            WrongUse: the environment names no valid address.
        """
        self._server = AdbServer(address)

    def device(self, name: str, cancel: CancelToken) -> PhoneDevice:
        """The phone as a device that decodes."""
        phone = self._ready(name, cancel)
        return PhoneDevice(self._server, phone, cpus=RememberedDevices().phone(phone.id).cpus)

    def facts(self, name: str, cancel: CancelToken) -> PhoneFacts:
        """What the phone is."""
        return read_facts(self._target(name, cancel), cancel)

    def reports(self, name: str, cancel: CancelToken) -> PhoneReading:
        """What Android says of battery and temperatures."""
        return read_reports(self._target(name, cancel), REPORTS, cancel)

    def contents(self, name: str, cancel: CancelToken) -> Contents:
        """What of ours is on the phone."""
        return PhoneStore(self._target(name, cancel)).contents(cancel)

    def push(self, name: str, models: Sequence[str], progress: Progress, cancel: CancelToken) -> None:
        """Bring the helper program and models to the phone; models that are missing here are installed."""
        store = ModelStore(models_dir())
        installed = [store.ensure(model, progress, cancel) for model in models]
        phone = PhoneStore(self._target(name, cancel))
        phone.place_helper(arm64_helper_path(), progress, cancel)
        for model in installed:
            phone.place_model(model, progress, cancel)

    def clean(self, name: str, cancel: CancelToken, *, jobs: bool) -> Cleaned:
        """Take everything of ours away; see `clean_everything`."""
        return clean_everything(self._target(name, cancel), jobs=jobs, cancel=cancel)

    def connect(self, address: str, progress: Progress, cancel: CancelToken, *, what: str) -> Phone:
        """Connect a phone in the network; see `connect_phone`. What its owner has to do is a stage."""
        return connect_phone(self._server, address, cancel, lambda said: progress(said, 0, 0), what)

    def pair(self, address: str, code: str, cancel: CancelToken, *, what: str) -> PairedPhone:
        """Pair with a phone in the network; see `pair_phone`."""
        return pair_phone(self._server, address, code, cancel, what)

    def disconnect(self, name: str, cancel: CancelToken) -> list[str]:
        """Disconnect a phone in the network; see `disconnect_phones`."""
        return disconnect_phones(self._server, name, cancel)

    def reconnect(self, name: str | None, cancel: CancelToken) -> list[Tried]:
        """Try a phone anew, or all that do not answer; see `reconnect_phones`."""
        return reconnect_phones(self._server, name, cancel)[0]

    def _ready(self, name: str, cancel: CancelToken) -> Phone:
        phone = choose_device(name, cancel, server=self._server)
        if phone is None:
            raise HelperFailed("This computer is no phone; choose a phone.")
        return phone

    def _target(self, name: str, cancel: CancelToken) -> AdbTarget:
        phone = self._ready(name, cancel)
        return self._server.target(phone.best.target, phone.label)
