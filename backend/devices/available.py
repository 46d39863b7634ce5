"""The devices that can be chosen, for whoever must know nothing of how phones are reached."""

from __future__ import annotations

from collections.abc import Callable

from as2d.backend.devices.adb.phone_device import PhoneDevice
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.adb.watching import Listed, Watch
from as2d.backend.devices.choosing import choose_device
from as2d.backend.devices.device import Device
from as2d.backend.devices.local import LocalDevice
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.paths import arm64_helper_path
from as2d.backend.transcribe.cancel import CancelToken

__all__ = ["DeviceWatch", "Listed", "open_device"]


class DeviceWatch:
    """Tells the list of phones at every change, until it is closed."""

    def __init__(self, listener: Callable[[Listed], None]) -> None:
        """Begin. `listener` is called on the watch's own thread and must not block.

        Raises:
            WrongUse: the environment names no valid address of an adb server.
        """
        self._watch = Watch(AdbServer(), listener)

    def close(self) -> None:
        """End; afterwards the listener is not called any more."""
        self._watch.close()


def open_device(name: str | None, cancel: CancelToken | None = None) -> Device:
    """The device that `name` means, as in `choose_device`; None: this computer.

    Raises:
        UserError: there is no such device, it is not ready, or several are meant.
        Cancelled: cancelled meanwhile.
    """
    server = AdbServer()
    phone = choose_device(name, cancel, server=server)
    if phone is None:
        return LocalDevice()
    arm64_helper_path()  # one that is missing is told at once
    return PhoneDevice(server, phone, cpus=RememberedDevices().phone(phone.id).cpus)
