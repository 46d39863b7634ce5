"""The states of a phone in adb's words, and what they mean to whoever holds it."""

from __future__ import annotations

from pathlib import Path

from as2d.backend.devices.phone import PhoneState, TransportKind

_USB_DEVICES = Path("/sys/bus/usb/devices")
_RULES = "/etc/udev/rules.d/51-android.rules"
_DIGITS = frozenset("0123456789abcdef")

WORDS = {
    "device": PhoneState.READY,
    "offline": PhoneState.OFFLINE,
    "unauthorized": PhoneState.UNAUTHORIZED,
    "authorizing": PhoneState.AUTHORIZING,
    "connecting": PhoneState.CONNECTING,
    "recovery": PhoneState.RECOVERY,
    "sideload": PhoneState.SIDELOAD,
    "rescue": PhoneState.RESCUE,
    "bootloader": PhoneState.BOOTLOADER,
    "host": PhoneState.HOST,
    "detached": PhoneState.DETACHED,
    "unknown": PhoneState.UNKNOWN,
    "no device": PhoneState.OFFLINE,
}
"""adb's one-word states; 'no permissions' comes with reasons."""

_MEANINGS = {
    PhoneState.READY: "",
    PhoneState.UNAUTHORIZED: (
        "has not accepted this computer; unlock it and accept the question about USB debugging, and if none "
        "appears, plug it in again"
    ),
    PhoneState.AUTHORIZING: "is deciding about this computer; unlock it and accept if it asks",
    PhoneState.CONNECTING: "is being connected; this takes a moment",
    PhoneState.RECOVERY: "is in its recovery menu; restart it into Android",
    PhoneState.SIDELOAD: "waits for an update in its recovery menu; restart it into Android",
    PhoneState.RESCUE: "is in rescue mode; restart it into Android",
    PhoneState.BOOTLOADER: "is in its boot loader; restart it into Android",
    PhoneState.HOST: "is no phone but a computer that acts as one; plug in a phone",
    PhoneState.DETACHED: "was left to another program with `adb detach`; `adb attach` gives it back",
}


def state_of(words: str) -> PhoneState:
    """The state that adb's words name; UNKNOWN for words that this version does not know."""
    if words.startswith("no permissions"):
        return PhoneState.NO_PERMISSIONS
    return WORDS.get(words, PhoneState.UNKNOWN)


def meaning_of(
    state: PhoneState, words: str, kind: TransportKind, place: str, *, usb_devices: Path = _USB_DEVICES
) -> str:
    """What a state means and what to do, to follow the phone's name; empty for a phone that is ready.

    `words` are adb's own, `place` is where the phone is plugged in, as `usb:1-2`.
    """
    if state is PhoneState.NO_PERMISSIONS:
        return _no_permissions(words, place, usb_devices)
    if state is PhoneState.OFFLINE:
        if kind is TransportKind.USB:
            return "does not answer; `as2d reconnect` tries it anew, and plugging it in again helps if not"
        return "does not answer; `as2d reconnect` tries it anew if it is on and in the same network"
    if state is PhoneState.UNKNOWN:
        return f"is in a state that this version does not know ('{words}'); plug it in again"
    return _MEANINGS[state]


def udev_rule(place: str, usb_devices: Path = _USB_DEVICES) -> str:
    """The rule that lets users open phones of this maker; of every maker where it cannot be read."""
    vendor = ""
    port = place.removeprefix("usb:")
    if port and "/" not in port and port not in (".", ".."):
        try:
            vendor = (usb_devices / port / "idVendor").read_text(encoding="ascii", errors="replace").strip()
        except OSError:
            vendor = ""
    known = len(vendor) == 4 and set(vendor) <= _DIGITS
    chosen = f'ATTR{{idVendor}}=="{vendor}"' if known else 'ENV{DEVTYPE}=="usb_device"'
    return f'SUBSYSTEM=="usb", {chosen}, MODE="0660", GROUP="plugdev", TAG+="uaccess"'


def _no_permissions(words: str, place: str, usb_devices: Path) -> str:
    joined = " and add yourself to the group plugdev" if "not in the plugdev group" in words else ""
    member = joined or (" and add yourself to the group plugdev" if "requires plugdev" in words else "")
    return (
        f"may not be opened by you over USB; as root write the line {udev_rule(place, usb_devices)} into "
        f"{_RULES}{member}, run `udevadm control --reload`, and plug the phone in again"
    )
