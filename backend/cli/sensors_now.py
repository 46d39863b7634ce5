"""`as2d sensors`: which sensors of a device can be read."""

from __future__ import annotations

from as2d.backend.cli.console import emit, table
from as2d.backend.cli.device_option import DeviceOption, phone_of
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.cli.progress import EventProgress
from as2d.backend.devices.local import LocalDevice
from as2d.backend.devices.sensors import look_at_sensors, sensor_rows
from as2d.backend.transcribe.cancel import CancelToken


def sensors(device: DeviceOption = None, adb_server: AdbServerOption = None) -> None:
    """Show which sensors of a device can be read, what they say now, and why others cannot be read."""
    phone = phone_of(device, adb_server)
    cancel = CancelToken()
    with EventProgress() as progress:
        seen = look_at_sensors(phone or LocalDevice(), progress.step, cancel)
        reading = phone.reports(cancel) if phone is not None else None
    rows = [
        [row.name, row.value if row.value is not None else f"not available: {row.reason}"]
        for row in sensor_rows(seen.telemetry, reading)
    ]
    emit(table(("sensor", "now"), rows))
