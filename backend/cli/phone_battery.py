"""`as2d phone battery`: what a phone's battery current means."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from as2d.backend.cli.console import emit, say, table
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.cli.phones import PhoneOption, chosen_phone
from as2d.backend.cli.sensors import calibration_text
from as2d.backend.devices.adb.connection import AdbTarget
from as2d.backend.devices.adb.shell import run
from as2d.backend.devices.battery_memory import current_of, keep_current
from as2d.backend.devices.dumpsys import BatteryReport, parse_battery
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.energy.calibration import Unit, given_calibration
from as2d.backend.errors import WrongUse
from as2d.backend.transcribe.cancel import CancelToken

_SECONDS = 20.0
_SIGNS: dict[str, Literal[1, -1]] = {"positive": 1, "negative": -1}


def battery(
    unit: Annotated[
        Unit | None, typer.Option(help="Say what the phone's current is in, instead of measuring it.")
    ] = None,
    sign: Annotated[
        Literal["positive", "negative"] | None,
        typer.Option(help="With --unit: the current's sign while the battery empties."),
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Forget what is known; the next run on battery measures anew.")
    ] = False,
    device: PhoneOption = None,
    adb_server: AdbServerOption = None,
) -> None:
    """Show a phone's battery and what its current means, or say it; what is said is kept."""
    if forget and unit is not None:
        raise WrongUse("--forget and --unit contradict each other.")
    if sign is not None and unit is None:
        raise WrongUse("--sign alone does not say what the current is; give --unit too.")
    chosen = chosen_phone(device, adb_server)
    phone = chosen.phone
    remembered = RememberedDevices()
    if unit is not None:
        keep_current(
            phone.id, given_calibration(unit, _SIGNS[sign] if sign is not None else None), remembered
        )
    elif forget:
        keep_current(phone.id, None, remembered)
    emit(_report_table(_ask(chosen.target)))
    known = current_of(remembered.phone(phone.id))
    if known is None:
        say(f"What the battery current of {phone.label} means is not known yet: a run on battery shows it.")
        return
    emit(f"{calibration_text(known)}\n" + "".join(f"  {line}\n" for line in known.evidence))


def _ask(target: AdbTarget) -> BatteryReport:
    said = run(target, ["dumpsys", "battery"], seconds=_SECONDS, cancel=CancelToken())
    return parse_battery(said.out.decode("utf-8", "replace"))


def _report_table(report: BatteryReport) -> str:
    faked = " (faked by `dumpsys battery`)" if report.faked else ""
    rows = [
        ["status", (report.status or "not told") + faked],
        ["charger", {True: "connected", False: "none", None: "not told"}[report.charger]],
        ["level", f"{report.level} %" if report.level is not None else "not told"],
        ["voltage", f"{report.voltage_uv / 1e6:.3f} V" if report.voltage_uv is not None else "not told"],
        ["temperature", f"{report.temperature_c:.1f} °C" if report.temperature_c is not None else "not told"],
    ]
    return table(("battery", "now"), rows)
