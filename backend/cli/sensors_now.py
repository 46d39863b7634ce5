"""`as2d sensors`: which sensors of a device can be read."""

from __future__ import annotations

from as2d.backend.cli.console import emit, table
from as2d.backend.cli.device_option import DeviceOption, device_of
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.cli.progress import EventProgress
from as2d.backend.devices.sensors import look_at_sensors, sensor_rows
from as2d.backend.transcribe.cancel import CancelToken


def sensors(device: DeviceOption = None, adb_server: AdbServerOption = None) -> None:
    """Show which sensors of a device can be read, what they say now, and why others cannot be read."""
    chosen = device_of(device, adb_server)
    with EventProgress() as progress:
        seen = look_at_sensors(chosen, progress.step, CancelToken())
    rows = [
        [row.name, row.value if row.value is not None else f"not available: {row.reason}"]
        for row in sensor_rows(seen.telemetry)
    ]
    emit(table(("sensor", "now"), rows))
