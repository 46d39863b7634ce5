"""adb's list of devices, in the long and the short form, from the server and from the program."""

from __future__ import annotations

import re
from dataclasses import dataclass

from as2d.backend.devices.adb.states import WORDS, state_of
from as2d.backend.devices.adb.words import lines_of
from as2d.backend.devices.phone import PhoneState, TransportKind

_NO_PERMISSIONS = r"no permissions(?:\s*\([^)]*\))?(?:;\s*see\s*\[[^\]]*\])?"
_STATES = "|".join([_NO_PERMISSIONS, *sorted(map(re.escape, WORDS), key=len, reverse=True)])
_REST = r"(?P<rest>(?:\s+[A-Za-z_]+:\S.*)?)"
_KNOWN = re.compile(rf"(?P<serial>\S.*?)\s+(?P<state>{_STATES}){_REST}")
_OTHER = re.compile(rf"(?P<serial>\S+)\s+(?P<state>[a-z][a-z-]*){_REST}")
_DETAIL = re.compile(r"([A-Za-z_]+):((?:(?!\s+[A-Za-z_]+:).)*)")
_MDNS = re.compile(
    r"adb-(?:(?P<paired>.+)-[A-Za-z0-9]{6}(?: \(\d+\))?\._adb-tls-connect|(?P<plain>.+)\._adb)\._tcp\.?"
)
_EMULATOR = re.compile(r"emulator-\d+")
_NETWORK = re.compile(r"(?:\[[^\]]+\]|[^:\s]+|[0-9a-fA-F:]+):\d+")
_NO_SERIAL = {"(no serial number)", "unknown", "0123456789abcdef", "1234567890abcdef", "none", ""}


@dataclass(frozen=True)
class Row:
    """One transport as adb lists it. `words` are adb's own for the state; `place` is as `usb:1-2`."""

    serial: str
    state: PhoneState
    words: str
    place: str | None = None
    product: str | None = None
    model: str | None = None
    number: int | None = None

    @property
    def kind(self) -> TransportKind:
        """How the phone is reached."""
        if self.place is not None:
            return TransportKind.USB
        if _EMULATOR.fullmatch(self.serial):
            return TransportKind.EMULATOR
        if _MDNS.fullmatch(self.serial):
            return TransportKind.WIFI
        return TransportKind.TCP if _NETWORK.fullmatch(self.serial) else TransportKind.USB

    @property
    def serialno(self) -> str | None:
        """The phone's own serial number where the transport's name holds it."""
        if self.kind is TransportKind.USB:
            return real_serialno(self.serial)
        announced = _MDNS.fullmatch(self.serial)
        return real_serialno(announced["paired"] or announced["plain"]) if announced is not None else None


def real_serialno(text: str) -> str | None:
    """A serial number, or None for what makers and adb write where there is none."""
    found = text.strip()
    return None if found.lower() in _NO_SERIAL or set(found) <= {"?", "0"} else found


def parse_rows(text: str) -> list[Row]:
    """The transports in adb's answer; lines that list none (adb starting its server, headings) are left
    out.
    """
    return [row for row in map(_row_of, lines_of(text)) if row is not None]


def _row_of(line: str) -> Row | None:
    serial, tab, state = line.partition("\t")
    if tab and state.strip() and "\t" not in state:
        match = _KNOWN.fullmatch(f"{serial.strip() or '(no serial number)'} {state.strip()}")
    else:
        match = _KNOWN.fullmatch(line.strip())
    match = match or _OTHER.fullmatch(line.strip())
    if match is None:
        return None
    details: dict[str, str] = {}
    place = None
    for key, value in _DETAIL.findall(match["rest"]):
        if key in ("product", "model", "device", "transport_id"):
            details[key] = value.strip()
        elif place is None:
            place = f"{key}:{value.strip()}"
    number = details.get("transport_id", "")
    return Row(
        serial=match["serial"].strip(),
        state=state_of(match["state"]),
        words=match["state"],
        place=place,
        product=details.get("product") or None,
        model=details.get("model", "").replace("_", " ").strip() or None,
        number=int(number) if number.isdecimal() else None,
    )
