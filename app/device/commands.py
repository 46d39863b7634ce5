"""The commands about devices; they are about the device that the tab shows."""

from __future__ import annotations

from as2d.app.translation import tr

DEVICE_COMMANDS = (
    "device.use",
    "device.measure",
    "device.budget",
    "device.sensors",
    "device.refresh",
    "device.copy",
    "device.stop",
    "phone.add",
    "phone.reconnect",
    "phone.disconnect",
    "phone.nickname",
    "phone.push",
    "phone.clean",
    "phone.cpus",
    "phone.battery",
    "phone.collect",
)
BREAKS = ("device.measure", "device.refresh", "phone.add", "phone.push", "phone.cpus", "phone.collect")
"""The commands with a line above them in the menu."""


def device_rows() -> list[tuple[str, str, str, tuple[str, ...], str | None, bool]]:
    """Group, id, text, shortcuts, icon, checkable."""
    group = tr("Device")
    return [
        (group, "device.use", tr("&Decode on this device"), (), "check", False),
        (group, "device.measure", tr("&Measure the cost of calls"), (), None, False),
        (group, "device.budget", tr("Choose the &budget"), (), None, False),
        (group, "device.sensors", tr("Read the &sensors"), (), None, False),
        (group, "device.refresh", tr("&Look at the device again"), (), None, False),
        (group, "device.copy", tr("C&opy what is shown"), (), "copy", False),
        (group, "device.stop", tr("S&top what is being done to the device"), (), "stop", False),
        (group, "phone.add", tr("&Add a phone …"), ("Ctrl+Shift+D",), "phone", False),
        (group, "phone.reconnect", tr("&Reconnect"), (), None, False),
        (group, "phone.disconnect", tr("D&isconnect"), (), None, False),
        (group, "phone.nickname", tr("&Nickname …"), (), None, False),
        (group, "phone.push", tr("&Push the models"), (), "export", False),
        (group, "phone.clean", tr("Cl&ean the phone …"), (), "trash", False),
        (group, "phone.cpus", tr("Pro&cessors …"), (), None, False),
        (group, "phone.battery", tr("Battery c&urrent …"), (), None, False),
        (group, "phone.collect", tr("Collect &what the phone has done"), (), None, False),
    ]
