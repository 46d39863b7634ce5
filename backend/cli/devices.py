"""`as2d devices` and `as2d nickname`."""

from __future__ import annotations

import queue
import time
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from as2d.backend.cli.console import emit, number, say, table
from as2d.backend.cli.options import AdbServerOption
from as2d.backend.devices.adb.address import server_address
from as2d.backend.devices.adb.listing import list_phones
from as2d.backend.devices.adb.server import AdbServer
from as2d.backend.devices.adb.watching import Listed, Watch
from as2d.backend.devices.choosing import ANY_PHONE, choose_phone, find_phone
from as2d.backend.devices.phone import Phone, TransportKind
from as2d.backend.devices.remembered import RememberedDevices
from as2d.backend.devices.report import ComputerReport, report_computer, report_devices
from as2d.backend.errors import HelperFailed, UserError, WrongUse

_GIGABYTE = 1e9
_WAYS = {
    TransportKind.USB: "USB",
    TransportKind.WIFI: "Wi-Fi",
    TransportKind.TCP: "network",
    TransportKind.EMULATOR: "emulator",
}
_NONE_YET = (
    "No phone is connected: plug one in with USB debugging turned on in its developer options, or see "
    "`as2d pair --help`."
)


def devices(
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on and list the phones anew whenever something changes.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object, with --watch one a line at every change.")
    ] = False,
    adb_server: AdbServerOption = None,
) -> None:
    """List the devices that can decode: this computer, and phones with their state and what to do.

    One that cannot decode is listed with the reason, which is no error; not being able to look for phones is.
    """
    server = adb_server_of(adb_server)
    computer, problem = report_computer()
    if not json:
        emit(_computer_table(computer))
    if problem is not None:
        say(f"This computer cannot decode: {problem.message}")
    if watch:
        _watch(server, computer, json)
    failed: UserError | None = None
    phones: list[Phone] = []
    try:
        announce_start(server)
        phones = list_phones(server)
    except UserError as error:
        failed = error
    if json:
        message = failed.message if failed is not None else None
        emit(report_devices(computer, phones, message).model_dump_json(indent=1) + "\n")
    else:
        emit(_phones_text(phones))
        _say_remembered_problem()
        if not phones and failed is None:
            say(_NONE_YET)
    if failed is not None:
        raise failed


def nickname(
    phone: Annotated[
        str,
        typer.Argument(
            metavar="PHONE",
            help="A phone: its nickname, serial number, address, or model if only one has it.",
        ),
    ],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="The nickname, unique among your phones.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take the phone's nickname away.")] = False,
    adb_server: AdbServerOption = None,
) -> None:
    """Give a phone a nickname, by which every command knows it from then on."""
    if (name is None) != remove:
        raise WrongUse(
            "`as2d nickname PHONE NAME` names a phone, `as2d nickname PHONE --remove` takes its name away."
        )
    remembered = RememberedDevices()
    key = _remembered_key(phone, remembered)
    if key is None:
        server = adb_server_of(adb_server)
        announce_start(server)
        phones = list_phones(server)
        if phone.casefold() == ANY_PHONE:
            found = choose_phone(None, phones, remembered=remembered)
        else:
            found = find_phone(phone, phones, remembered)
        if any(found.id == way.place for way in found.transports):
            raise HelperFailed(
                f"The phone {found.label} has not told its serial number, by which it would be known again; "
                "make it ready first, as `as2d devices` says."
            )
        key = found.id
    remembered.set_nickname(key, name)
    say(f"The phone {key} " + ("has no nickname now." if name is None else f"is called '{name}' now."))


def adb_server_of(option: str | None) -> AdbServer:
    """The adb server that the option or the environment names; raises `WrongUse` for no address."""
    return AdbServer(server_address(option))


def announce_start(server: AdbServer) -> None:
    """Say so if the adb server has to be started first, which takes seconds."""
    if server.address.named_by is None and not server.is_running():
        say("Starting the adb server …")


def phone_line(phone: Phone) -> str:
    """A phone in a few words."""
    android = f", Android {phone.android}" if phone.android else ""
    model = f", {phone.full_model}" if phone.full_model not in (None, phone.name) else ""
    return f"{phone.label}{model}{android}"


def _watch(server: AdbServer, computer: ComputerReport, json: bool) -> NoReturn:
    lists: queue.SimpleQueue[Listed] = queue.SimpleQueue()
    announce_start(server)
    if not json:
        _say_remembered_problem()
    with Watch(server, lists.put):
        while True:
            listed = lists.get()
            if json:
                emit(report_devices(computer, listed.phones, listed.problem).model_dump_json() + "\n")
                continue
            if listed.problem is not None:
                say(f"Problem: {listed.problem}")
            emit(f"\n{time.strftime('%H:%M:%S')}" + (_phones_text(listed.phones) or "  no phone\n"))


def _computer_table(computer: ComputerReport) -> str:
    memory = number(computer.memory_bytes / _GIGABYTE if computer.memory_bytes else None, 0, "GB")
    free = number(computer.free_memory_bytes / _GIGABYTE if computer.free_memory_bytes else None, 0, "GB")
    head = ("device", "state", "system", "cores", "threads", "memory", "free", "helper")
    row = [
        f"this computer: {computer.cpu}",
        computer.state,
        f"{computer.system} {computer.arch}",
        str(computer.cores),
        str(computer.threads),
        memory,
        free,
        "–" if computer.helper is None else f"{computer.helper}, MNN {computer.mnn}",
    ]
    return table(head, [row], right=(3, 4, 5, 6))


def _phones_text(phones: Sequence[Phone]) -> str:
    """The phones as a table with an empty line before it, and below it what to do; empty without phones."""
    if not phones:
        return ""
    head = ("phone", "state", "model", "Android", "serial", "reached by")
    rows = [
        [
            phone.name,
            phone.state.value,
            phone.full_model or "–",
            phone.android or "–",
            phone.id,
            ", ".join(f"{_WAYS[way.kind]} {way.place.removeprefix('usb:')}" for way in phone.transports),
        ]
        for phone in phones
    ]
    todo = [f"{phone.label} {phone.sentence}.\n" for phone in phones if phone.sentence]
    return "\n" + table(head, rows) + ("\n" + "".join(todo) if todo else "")


def _remembered_key(name: str, remembered: RememberedDevices) -> str | None:
    """The serial number of a phone that has this nickname or number, whether it is connected or not."""
    phones = remembered.read().phones
    wanted = name.casefold()
    found = [
        key for key, phone in phones.items() if wanted in (key.casefold(), (phone.nickname or "").casefold())
    ]
    return found[0] if len(found) == 1 else None


def _say_remembered_problem() -> None:
    """A damaged devices.json costs the nicknames; say so."""
    try:
        RememberedDevices().read()
    except UserError as error:
        say(f"Warning: {error.message}")
